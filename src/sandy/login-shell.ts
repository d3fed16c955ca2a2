import { randomBytes } from 'node:crypto';
import { userInfo } from 'node:os';
import { isAbsolute } from 'node:path';
import { runChild } from '../system/spawning.ts';
import {
  ASKING_VARIABLE,
  type Environment,
  parseLoginAnswer,
  writeLoginQuestion,
} from './environment.ts';

const LIMIT_MS = 4_000;
const MAX_OUTPUT_BYTES = 4 * 1024 * 1024;

/**
 * The environment that the person's login shell makes, or null when it gave none within 4 s. Profiles
 * that print, ask, hang, or start another program are no trouble: stdin is closed, there is no
 * terminal, and a shell that doesn't answer is killed with everything it started in its group.
 */
export async function askLoginShell(own: Environment, cwd: string): Promise<Environment | null> {
  const shell = chooseShell(own.SHELL);
  const startedAt = performance.now();
  // An interactive shell reads the rc files too; where one of them goes astray (`exec tmux`), the
  // profile alone is better than nothing.
  for (const flags of ['-lic', '-lc']) {
    const limitMs = LIMIT_MS - (performance.now() - startedAt);
    if (limitMs <= 0) return null;
    const mark = randomBytes(12).toString('hex');
    const outcome = await runChild({
      file: shell,
      args: [flags, writeLoginQuestion(mark)],
      environment: { ...own, TERM: 'dumb', [ASKING_VARIABLE]: '1' },
      cwd,
      limitMs,
      maxOutputBytes: MAX_OUTPUT_BYTES,
      killing: 'group',
    });
    if (!('stdout' in outcome)) continue;
    const answer = parseLoginAnswer(outcome.stdout, mark);
    if (answer !== null) return answer;
  }
  return null;
}

/** `$SHELL`, but cron sets that to /bin/sh for everybody: then the user's own entry knows better. */
function chooseShell(fromEnvironment: string | undefined): string {
  if (fromEnvironment && isAbsolute(fromEnvironment) && fromEnvironment !== '/bin/sh') {
    return fromEnvironment;
  }
  return readOwnShell() ?? '/bin/sh';
}

function readOwnShell(): string | null {
  try {
    return userInfo().shell;
  } catch {
    // A user id without an entry, as in many containers.
    return null;
  }
}
