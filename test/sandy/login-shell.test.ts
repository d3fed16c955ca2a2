import { existsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { askLoginShell } from '../../src/sandy/login-shell.ts';
import { expectGone, readPid } from '../processes.ts';
import { makeScratchFolder, writeScript } from '../scratch-folder.ts';

const PATH = '/usr/bin:/bin';

/** Asks bash with this as its login profile. */
function askBash(home: string, profile: string, more: Record<string, string> = {}) {
  writeFileSync(join(home, '.bash_profile'), profile);
  return askLoginShell({ HOME: home, PATH, SHELL: '/bin/bash', ...more }, home);
}

describe('asking the login shell', () => {
  it('brings what the profile sets, and hands over what we have', async () => {
    const profile = `export PATH="/brew/bin:$PATH" DOCKER_HOST='unix:///a b' MULTI='a
b=c'; export GIVEN="$GIVEN+"`;
    expect(await askBash(makeScratchFolder(), profile, { GIVEN: '1' })).toMatchObject({
      PATH: expect.stringMatching(/^\/brew\/bin:.*\/usr\/bin/),
      DOCKER_HOST: 'unix:///a b',
      MULTI: 'a\nb=c',
      GIVEN: '1+',
    });
  });

  it.each([
    ['noise', 'echo motd; echo err >&2; printf "\\033[31m<>|"'],
    ['a question', 'read -r answer; read -r other </dev/tty'],
    ['echoed commands', 'set -xv; trap \'echo "$BASH_COMMAND"\' DEBUG'],
    [
      'its own awk, env and printf',
      'awk() { echo no; }; env() { echo no; }; printf() { :; }; alias awk=no',
    ],
    ['a failure', 'false; return 3'],
    ['an exit trap', 'trap "echo bye; exit 9" EXIT'],
    ['a terminal that must be there', 'stty sane; tput reset; exec 3</dev/tty'],
    ['our own mark of asking', 'test -n "$SANDY_TRAY_ASKING_LOGIN_SHELL" || exit 1'],
  ])('is not troubled by a profile with %s', async (_name, profile) => {
    const answer = await askBash(makeScratchFolder(), `export FOUND=1\n${profile}`);
    expect(answer).toMatchObject({ FOUND: '1', PATH: expect.stringContaining('/usr/bin') });
  });

  it('falls back to the profile alone where the interactive part goes astray', async () => {
    const profile = 'export FOUND=1; case $- in *i*) exec false;; esac';
    expect(await askBash(makeScratchFolder(), profile)).toMatchObject({ FOUND: '1' });
  });

  it('gives up a profile that hangs, and leaves nothing of it behind', async () => {
    const home = makeScratchFolder();
    const profile = `sleep 1000 & echo $! > ${home}/pid; wait`;
    expect(await askBash(home, profile)).toBeNull();
    await expectGone(await readPid(join(home, 'pid')));
  });

  it('reads the answer of a shell that hangs after it', async () => {
    const home = makeScratchFolder();
    const profile = `export FOUND=1; trap 'sleep 1000 & echo $! > ${home}/pid; wait' EXIT`;
    expect(await askBash(home, profile)).toMatchObject({ FOUND: '1' });
    await expectGone(await readPid(join(home, 'pid')));
  });

  it('does not wait for what a profile leaves running', async () => {
    const home = makeScratchFolder();
    const profile = `export FOUND=1; sleep 1000 & echo $! > ${home}/pid`;
    expect(await askBash(home, profile)).toMatchObject({ FOUND: '1' });
    process.kill(await readPid(join(home, 'pid')), 'SIGKILL');
  });

  it('is null where there is no shell, or none that answers', async () => {
    const home = makeScratchFolder();
    const ask = (SHELL: string) => askLoginShell({ HOME: home, PATH, SHELL }, home);
    expect(await ask('/nonexistent/sh')).toBeNull();
    expect(await ask('/bin/false')).toBeNull();
    expect(await ask(writeScript(join(home, 'loud'), 'yes'))).toBeNull();
  });

  it('runs the shell with one argument vector, from which nothing is expanded', async () => {
    const home = makeScratchFolder();
    const shell = writeScript(join(home, 'a shell; touch x'), 'exec /bin/sh -c "$2"');
    expect(await askLoginShell({ HOME: home, PATH, SHELL: shell }, home)).toMatchObject({ PATH });
    expect(existsSync(join(home, 'x'))).toBe(false);
  });
});
