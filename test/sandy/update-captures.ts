import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import {
  createLineReader,
  noProgress,
  type ReadLine,
  readUpdateOutput,
  type UpdateProgress,
} from '../../src/sandy/update-output.ts';

const captures = join(import.meta.dirname, '../captures');

/** What a captured command printed on its streams, in the order in which it came. */
export interface Capture {
  /** `VERSION/update/NAME` or `1.7.0/scenarios/NAME/FILE`. */
  readonly name: string;
  readonly bytes: Buffer;
}

/** Every command captured in an `update` folder, and every update within a scenario. */
export function readUpdateCaptures(): Capture[] {
  const found = readdirSync(captures, { recursive: true, encoding: 'utf8' }).sort();
  return found.flatMap((file): Capture[] => {
    const [, folder] = file.split('/');
    const name = file.replace(/\.[a-z]+$/, '');
    if (folder === 'update') {
      if (file.endsWith('.log')) return [{ name, bytes: readLog(file) }];
      if (file.endsWith('.tty')) return [{ name: file, bytes: readFileSync(join(captures, file)) }];
    }
    if (folder !== 'scenarios' || !/\/update[^/]*$/.test(name)) return [];
    if (file.endsWith('.log')) return [{ name, bytes: readLog(file) }];
    // The one that was killed together with its group left only its stdout.
    if (name.endsWith('group-kill/update') && file.endsWith('.stdout'))
      return [{ name, bytes: readFileSync(join(captures, file)) }];
    return [];
  });
}

/** Tabs part seconds, stream and line; escapes and carriage returns are spelled out. */
function readLog(file: string): Buffer {
  const lines = readFileSync(join(captures, file), 'utf8').split('\n').slice(0, -1);
  const printed = lines.flatMap((line) => {
    const [, stream, text] = /^ *[\d.]+\t([OETX])\t(.*)$/.exec(line) ?? [];
    if (stream === undefined || text === undefined) throw new Error(`${file}: ${line}`);
    if (stream === 'X') return [];
    return [`${text.replaceAll('\\e', '\x1b').replaceAll('\\r', '\r')}\n`];
  });
  return Buffer.from(printed.join(''));
}

/** Reads all bytes, in pieces of the given sizes over and over. */
export function readLines(bytes: Buffer, sizes: readonly number[] = [bytes.length]): ReadLine[] {
  const reader = createLineReader();
  const lines: ReadLine[] = [];
  for (let start = 0, turn = 0; start < bytes.length; turn += 1) {
    const size = Math.max(1, sizes[turn % sizes.length] ?? 1);
    lines.push(...reader.take(bytes.subarray(start, start + size)));
    start += size;
  }
  return [...lines, ...reader.end()];
}

export function followLines(
  lines: readonly ReadLine[],
  from: UpdateProgress = noProgress,
): UpdateProgress {
  return lines.reduce((progress, { line }) => readUpdateOutput(progress, line), from);
}
