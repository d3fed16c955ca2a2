/** Opening as the agent calls it, and the way of macOS with a stand-in for its `open`. */

import { existsSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, vi } from 'vitest';
import { readEvents, type Session } from '../../fixtures/fake-sandy/fleet.mjs';
import { type OpenParts, openTerminal } from '../../src/terminal/opening.ts';
import { find } from '../agent/running-agent.ts';
import { PROGRAM } from '../program.ts';
import { isAttached, type StandIns, test } from './desk-of-stand-ins.ts';

vi.setConfig({ testTimeout: 180_000, maxConcurrency: 6 });

function partsOf({ stage, variables }: StandIns): OpenParts {
  return {
    platform: 'linux',
    environment: { ...stage.program.environment, ...variables },
    stateFolder: stage.program.ownFolder,
    setting: null,
    program: [process.execPath, PROGRAM],
    // A busy machine needs seconds for a window.
    timeScale: 0.2,
  };
}

function requestFor({ key, workspace }: Session) {
  return { errand: { kind: 'attach', key, workspace }, activationToken: null } as const;
}

describe.concurrent('openTerminal', () => {
  test('puts round the command what its caller wants', async ({ standIns, expect }) => {
    const fleet = await standIns.stage.addFleet(['alpha']);
    const alpha = find(fleet, 'alpha');
    standIns.add('xterm', 'stays');
    const marker = join(standIns.folder, 'wrapped $(touch X)');
    const wrapper = standIns.addScript(
      'wrapper',
      'printf "%s\\n" "$1" "$2" > "$1"; shift; exec "$@"',
    );
    const outcome = await openTerminal(requestFor(alpha), {
      ...partsOf(standIns),
      wrap: ({ file, args, environment }) => ({
        file: wrapper,
        args: [marker, file, ...args],
        environment,
      }),
    });
    expect(outcome).toEqual({ kind: 'opened', terminal: 'xterm', failed: [] });
    await isAttached(fleet, alpha);
    expect(existsSync(marker)).toBe(true);
  });

  test('a wrapper that is not there is a failure of each, not of the caller', async ({
    standIns,
    expect,
  }) => {
    const fleet = await standIns.stage.addFleet(['alpha']);
    standIns.add('xterm', 'stays');
    const outcome = await openTerminal(requestFor(find(fleet, 'alpha')), {
      ...partsOf(standIns),
      wrap: (command) => ({ ...command, file: '/no/where' }),
    });
    expect(outcome).toEqual({
      kind: 'not-opened',
      hasDisplay: true,
      failed: [{ terminal: 'xterm', kind: 'not-started', errorCode: 'ENOENT' }],
    });
    expect(standIns.startsOf('xterm')).toEqual([]);
  });

  test('at once, several times: each window has its own session', async ({ standIns, expect }) => {
    const names = ['a', 'b', 'c', 'd'];
    const fleet = await standIns.stage.addFleet(names);
    standIns.add('xterm', 'stays');
    const parts = partsOf(standIns);
    const outcomes = await Promise.all(
      fleet.sessions.map((session) => openTerminal(requestFor(session), parts)),
    );
    expect(outcomes.map(({ kind }) => kind)).toEqual(names.map(() => 'opened'));
    for (const session of fleet.sessions) await isAttached(fleet, session);
    const entered = readEvents(fleet.dir).filter(({ why }) => why === 'client-attached');
    expect(entered).toHaveLength(names.length);
    const words = standIns.startsOf('xterm').map(({ args }) => args.at(-1));
    expect(new Set(words).size).toBe(names.length);
  });

  test('on macOS: by a file that removes itself, in the first application that is there', async ({
    standIns,
    expect,
  }) => {
    const { stage, folder } = standIns;
    const fleet = await stage.addFleet(['alpha']);
    const alpha = find(fleet, 'alpha');
    const { PATH = '', HOME = '', SHELL = '' } = stage.program.environment;
    writeFileSync(join(folder, 'server.json'), JSON.stringify({ PATH, HOME, SHELL }));
    standIns.add('application', 'server');
    standIns.addScript(
      'open',
      `test "$2" = com.googlecode.iterm2 || { echo "Unable to find application $2" >&2; exit 1; }
exec application -e "$3"`,
    );
    const outcome = await openTerminal(requestFor(alpha), {
      ...partsOf(standIns),
      platform: 'darwin',
      setting: 'kitty',
    });
    const failed = (terminal: string, bundle: string) => ({
      terminal,
      kind: 'exited',
      code: 1,
      lastLine: `Unable to find application ${bundle}`,
    });
    expect(outcome).toEqual({
      kind: 'opened',
      terminal: 'iterm2',
      failed: [failed('kitty', '-b'), failed('terminal', 'com.apple.Terminal')],
    });
    await isAttached(fleet, alpha);
    const [started] = standIns.startsOf('application');
    expect(started?.args[1]).toMatch(/\/own\/tickets\/[0-9a-f]{32}\.command$/);
    const left = readdirSync(join(stage.program.ownFolder, 'tickets'));
    expect(left.filter((name) => !name.endsWith('.log'))).toEqual([]);
  });
});
