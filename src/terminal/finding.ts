import { hasDisplay } from '../system/display.ts';
import { findExecutable } from '../system/executable.ts';
import type { TerminalSetting } from '../system/terminal-names.ts';
import { listCandidates } from './candidates.ts';

/** The terminal that a window would be opened in first. */
export type FoundTerminal =
  | { readonly kind: 'found'; readonly name: string }
  | { readonly kind: 'no-display' }
  | { readonly kind: 'none' };

/** Looks for it as opening a window does, and opens nothing. */
export function findTerminal(
  platform: NodeJS.Platform,
  setting: TerminalSetting,
  environment: Readonly<Record<string, string | undefined>>,
): FoundTerminal {
  if (platform !== 'darwin' && !hasDisplay(environment)) return { kind: 'no-display' };
  const { list } = listCandidates({ platform, setting, environment });
  const found = list.find(
    ({ file }) => findExecutable(file, environment.PATH, '/').kind === 'found',
  );
  return found === undefined ? { kind: 'none' } : { kind: 'found', name: found.name };
}
