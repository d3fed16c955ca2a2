/**
 * Descriptors that a child must not have. Node marks its own so that no child gets them; the master of a
 * pty is opened by native code that does not, and on Linux every later child would hold it: the pty, and
 * whoever runs in it, would then outlive this process for as long as that child lives.
 */

import { openSync } from 'node:fs';

const leaking = new Set<number>();
let nothing: number | null = null;

/** Keeps a descriptor from the children that are started from now on; returns how to end that. */
export function withholdDescriptor(descriptor: number): () => void {
  // Elsewhere a child gets only what it is given.
  if (process.platform === 'linux') leaking.add(descriptor);
  return () => {
    leaking.delete(descriptor);
  };
}

/**
 * The `stdio` of a child that is not to have what is withheld: the same entries, and behind them, where a
 * withheld descriptor would be, /dev/null in its place. Entries between are left as they are.
 */
export function withholdingStdio<const T extends readonly unknown[]>(stdio: T): Mutable<T> {
  const entries: unknown[] = [...stdio];
  for (const descriptor of leaking) {
    while (entries.length < descriptor) entries.push('ignore');
    nothing ??= openSync('/dev/null', 'r+');
    entries[descriptor] = nothing;
  }
  return entries as unknown as Mutable<T>;
}

type Mutable<T> = { -readonly [K in keyof T]: T[K] };
