/** One line of doctor: a fact, how bad it is, and the one command or act that mends it. */
export interface Check {
  readonly name: string;
  readonly level: 'ok' | 'warn' | 'fail';
  readonly fact: string;
  readonly remedy: string | null;
}

export function ok(name: string, fact: string): Check {
  return { name, level: 'ok', fact, remedy: null };
}

export function warn(name: string, fact: string, remedy: string | null): Check {
  return { name, level: 'warn', fact, remedy };
}

export function fail(name: string, fact: string, remedy: string): Check {
  return { name, level: 'fail', fact, remedy };
}

/** As a person reads it; with the remedy below it. */
export function drawCheck({ level, name, fact, remedy }: Check): string {
  const line = `${level.padEnd(4)}  ${name.padEnd(8)}  ${fact}`;
  return remedy === null ? line : `${line}\n${' '.repeat(16)}mend it with: ${remedy}`;
}

/** A check that takes too long is a fact of its own; it goes on unheard. */
export async function withinLimit(
  name: string,
  limitMs: number,
  check: Promise<readonly Check[]>,
): Promise<readonly Check[]> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<readonly Check[]>((resolve) => {
    const fact = `nothing was heard for ${Math.round(limitMs / 1000)} s`;
    timer = setTimeout(() => resolve([warn(name, fact, null)]), limitMs);
  });
  try {
    return await Promise.race([check, late]);
  } finally {
    clearTimeout(timer);
  }
}
