/** What a helper says: lines of JSON, from a program that may say anything. */

/** The longest line that means something is a fraction of this. */
const MAX_LINE_BYTES = 64 * 1024;
/** What a person can click in a second is a fraction of this. */
const MAX_BYTES_A_SECOND = 256 * 1024;

/**
 * Cuts what comes into lines, without their ends. Too long a line, or too much in a second, is told once;
 * nothing is read any more afterwards.
 */
export function splitLines(
  onLine: (line: string) => void,
  onTooMuch: () => void,
): (bytes: Buffer) => void {
  let rest = '';
  let secondAt = performance.now();
  let bytesOfSecond = 0;
  let isTooMuch = false;
  return (bytes) => {
    if (isTooMuch) return;
    const now = performance.now();
    if (now - secondAt > 1_000) {
      secondAt = now;
      bytesOfSecond = 0;
    }
    bytesOfSecond += bytes.length;
    // The protocol is ASCII but for labels, which nobody reads back.
    const lines = (rest + bytes.toString('latin1')).split('\n');
    rest = lines.pop() ?? '';
    if (bytesOfSecond > MAX_BYTES_A_SECOND || rest.length > MAX_LINE_BYTES) {
      isTooMuch = true;
      rest = '';
      onTooMuch();
      return;
    }
    for (const line of lines) onLine(line);
  };
}

/** A message as a line of ASCII: what is cut anywhere on its way can then still be read. */
export function writeMessage(message: unknown): string {
  const text = JSON.stringify(message).replace(
    /[\u007f-\uffff]/g,
    (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
  return `${text}\n`;
}
