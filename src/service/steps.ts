/** What installing and uninstalling consist of: decided first, then shown or carried out. */

import type { Argv } from './host.ts';

export type Step =
  | { readonly kind: 'make-folder'; readonly path: string }
  | { readonly kind: 'write'; readonly path: string; readonly text: string }
  | { readonly kind: 'remove'; readonly path: string }
  | {
      readonly kind: 'run';
      readonly argv: Argv;
      /** `ignore`: what it is to do away with may not be there. */
      readonly onFailure: 'stop' | 'ignore';
      /** How often it is tried before it counts as failed. */
      readonly tries: number;
    }
  /** Waits until this command fails: what it shows is gone then. */
  | { readonly kind: 'await-gone'; readonly argv: Argv };

/** A step of its own kind that must work at once. */
export function run(...argv: Argv): Step {
  return { kind: 'run', argv, onFailure: 'stop', tries: 1 };
}

/** One that may fail. */
export function tryToRun(...argv: Argv): Step {
  return { kind: 'run', argv, onFailure: 'ignore', tries: 1 };
}

/** A file as it is to be, and as it is. */
export interface FileChange {
  readonly path: string;
  readonly text: string;
  readonly before: string | null;
}

/** The steps that make the files so; none where they are. */
export function writeChanged(files: readonly FileChange[]): Step[] {
  return files
    .filter(({ text, before }) => text !== before)
    .map(({ path, text }) => ({ kind: 'write', path, text }));
}
