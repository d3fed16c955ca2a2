import { settleWithin } from '../system/settling.ts';

/** What mends something: a command that may be pasted, or what to do in a sentence of its own. */
export interface Remedy {
  readonly kind: 'command' | 'sentence';
  readonly text: string;
}

/** One line of doctor: a fact, how bad it is, and what mends it. */
export interface Check {
  readonly name: string;
  readonly level: 'ok' | 'warn' | 'fail';
  readonly fact: string;
  readonly remedy: Remedy | null;
}

export function ok(name: string, fact: string): Check {
  return { name, level: 'ok', fact, remedy: null };
}

export function warn(name: string, fact: string, remedy: Remedy | null): Check {
  return { name, level: 'warn', fact, remedy };
}

export function fail(name: string, fact: string, remedy: Remedy): Check {
  return { name, level: 'fail', fact, remedy };
}

export function command(text: string): Remedy {
  return { kind: 'command', text };
}

export function advice(text: string): Remedy {
  return { kind: 'sentence', text };
}

/** As a person reads it; with the remedy below it. */
export function drawCheck({ level, name, fact, remedy }: Check): string {
  const line = `${level.padEnd(4)}  ${name.padEnd(8)}  ${fact}`;
  return remedy === null ? line : `${line}\n${' '.repeat(16)}${drawRemedy(remedy)}`;
}

function drawRemedy({ kind, text }: Remedy): string {
  return kind === 'command' ? `mend it with: ${text}` : text;
}

/** As programs read it, to whom a remedy is its words. */
export function describeCheck({ remedy, ...check }: Check) {
  return { ...check, remedy: remedy?.text ?? null };
}

/** What was heard of a check. */
export interface Heard {
  readonly checks: readonly Check[];
  /** It goes on unheard. */
  readonly isLate: boolean;
}

/** A check that takes too long is a fact of its own. */
export async function withinLimit(
  name: string,
  limitMs: number,
  check: Promise<readonly Check[]>,
): Promise<Heard> {
  const checks = await settleWithin(check, limitMs, () => null);
  if (checks !== null) return { checks, isLate: false };
  const fact = `nothing was heard for ${Math.round(limitMs / 1000)} s`;
  return { checks: [warn(name, fact, null)], isLate: true };
}
