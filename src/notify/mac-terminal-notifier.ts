import { findProgram, type MacProgramParts, runOnce, runProgram } from './mac-program.ts';
import type { MacWay } from './mac-way.ts';
import { shieldText } from './mac-words.ts';

/** What it ends with when it was refused. */
const REFUSED_CODE = 3;

/**
 * terminal-notifier 3 or newer, which has a permission of its own. It hands the banner over and ends: it
 * can run a command at a click, in a shell, and that is not used.
 */
export function createTerminalNotifier(parts: MacProgramParts): MacWay {
  const name = 'terminal-notifier';
  const { searchPath, environment } = parts;
  const { answerMs, askMs } = parts.limits;
  let file = '';
  let modern = '';
  return {
    name,
    clickable: false,
    async prepare() {
      file = findProgram(name, searchPath);
      if (file === '' || file === modern) return file !== '';
      const outcome = await runOnce({ file, args: ['-version'], environment, limitMs: askMs });
      const version = outcome.kind === 'exited' ? / (\d+)\.\d/.exec(outcome.stdout)?.[1] : null;
      if (Number(version ?? 0) < 3) return false;
      modern = file;
      return true;
    },
    start: ({ title, body, group }) => {
      const words = ['-title', shieldText(title), '-message', shieldText(body)];
      const args = [...words, '-group', group];
      const limitMs = answerMs;
      return runProgram(name, { file, args, environment, limitMs, refusedCode: REFUSED_CODE });
    },
    remove: async (group) => {
      await runProgram(name, { file, args: ['-remove', group], environment, limitMs: askMs }).ended;
    },
  };
}
