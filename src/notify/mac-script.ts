import { findExecutable } from '../system/executable.ts';
import { type MacProgramParts, runProgram } from './mac-program.ts';
import type { MacWay } from './mac-way.ts';
import { shieldText } from './mac-words.ts';

const SCRIPT = [
  'on run argv',
  'display notification (item 2 of argv) with title (item 1 of argv)',
  'end run',
];

/** The system's own scripts: text only, and nothing can be taken down. The words are never in the script. */
export function createScriptNotifier(
  { environment, limits }: MacProgramParts,
  file: string,
): MacWay {
  const name = 'osascript';
  return {
    name,
    clickable: false,
    prepare: async () => findExecutable(file, undefined, '/').kind === 'found',
    start: ({ title, body }) => {
      const script = SCRIPT.flatMap((line) => ['-e', line]);
      const args = [...script, shieldText(title), shieldText(body)];
      return runProgram(name, { file, args, environment, limitMs: limits.answerMs });
    },
    remove: async () => {},
  };
}
