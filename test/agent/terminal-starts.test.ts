import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect } from 'vitest';
import { sessionOf, setSession } from '../../fixtures/fake-sandy/fleet.mjs';
import { test } from '../attach/terminals.ts';
import { isRunning } from '../processes.ts';
import {
  ask,
  begin,
  callsOf,
  changingCalls,
  isCalled,
  prepare,
  programArguments,
  readFailures,
  takeAway,
  verbs,
} from './asking.ts';
import { until } from './running-agent.ts';

describe.concurrent('a start that a person makes in a terminal', () => {
  test('is stopped when it lands, when somebody asked for that', async ({ desk }) => {
    const { stage } = desk;
    const { fleet, alpha, agent } = await prepare(stage, { beforeLockMs: 60_000 });
    await takeAway(agent, fleet, alpha);
    const window = desk.open(process.execPath, programArguments('start', 'alpha'));
    await isCalled(fleet, '--start');
    expect(await ask(stage, 'stop', 'alpha', '--json')).toMatchObject({ code: 0, stderr: '' });
    await window.sees(`Daemon session ready: ${alpha.key}`);
    await window.ended;
    expect(verbs(fleet)).toEqual(['--start', '--stop']);
    const [start, stop] = changingCalls(fleet);
    expect(stop?.at).toBeGreaterThanOrEqual(start?.exitedAt ?? Number.POSITIVE_INFINITY);
    expect(sessionOf(fleet.dir, alpha.record)?.container).toBeNull();
    expect(await readFailures(stage)).toEqual([]);
    expect((await stage.readLog()).filter(({ notice }) => notice)).toEqual([]);
  });

  test('and refuses to approve is told so there, and pinned nowhere', async ({ desk }) => {
    const { stage } = desk;
    const { fleet, alpha, agent } = await prepare(stage);
    await takeAway(agent, fleet, alpha);
    setSession(fleet.dir, alpha.record, { needsApproval: true, approved: false });
    const window = desk.open(process.execPath, programArguments('start', 'alpha'));
    await window.sees('Approve? [y/N]');
    const busy = await ask(stage, 'update', '--all', '--yes');
    expect(busy.code).toBe(75);
    expect(busy.stderr).toMatch(/^The start of alpha-\w+ has been running since \d\d:\d\d\./);
    window.type('n\r');
    await window.sees(`${alpha.key} is not running. Sandy's words are above;`);
    expect(await window.ends()).toBe(1);
    expect(await readFailures(stage)).toEqual([]);
    expect((await ask(stage, 'update', '--all', '--yes')).code).toBe(0);
  });

  test('and closes its window lets go of the slot', async ({ desk }) => {
    const { stage } = desk;
    const { fleet, alpha, agent } = await prepare(stage);
    await takeAway(agent, fleet, alpha);
    setSession(fleet.dir, alpha.record, { needsApproval: true, approved: false });
    const window = desk.open(process.execPath, programArguments('start', 'alpha'));
    await window.sees('Approve? [y/N]');
    window.close();
    await until(
      () =>
        callsOf(fleet, '--start').every(
          ({ exitedAt, pid }) => exitedAt !== null || !isRunning(pid),
        ),
      () => 'the end of what sandy asked',
    );
    await window.ended;
    setSession(fleet.dir, alpha.record, { needsApproval: false });
    expect(await ask(stage, 'start', 'alpha')).toMatchObject({ code: 0, stderr: '' });
  });

  test('is seen by the agent that was started meanwhile', async ({ desk }) => {
    const { stage } = desk;
    const { fleet, alpha, agent } = await prepare(stage);
    await takeAway(agent, fleet, alpha);
    await agent.stop();
    setSession(fleet.dir, alpha.record, { needsApproval: true, approved: false });
    const window = desk.open(process.execPath, programArguments('start', 'alpha'));
    await window.sees('Approve? [y/N]');
    await stage.startAgent({ watched: false });
    window.type('y\r');
    await window.sees(`${alpha.key} is running. Attach to it`);
    expect(await window.ends()).toBe(0);
  });

  test('in a folder where no session was ever seen becomes one', async ({ desk }) => {
    const { stage } = desk;
    const fleet = await stage.addFleet([]);
    const folder = join(stage.program.folder, 'elsewhere');
    mkdirSync(folder);
    const window = desk.open(process.execPath, programArguments('start', '.'), { cwd: folder });
    await window.sees(/Daemon session ready: elsewhere-\w+/);
    await window.sees(/elsewhere-\w+ is running\. Attach to it: sandy-tray attach elsewhere-\w+/);
    expect(await window.ends()).toBe(0);
    expect(callsOf(fleet, '--start').map(({ argv }) => argv)).toEqual([
      ['--start', '--workspace', folder],
    ]);
  });

  test('joins one that is made for somebody else', async ({ desk }) => {
    const { stage } = desk;
    const { fleet, alpha, agent } = await prepare(stage, { beforeLockMs: 90_000 });
    await takeAway(agent, fleet, alpha);
    const other = begin(stage, 'start', 'alpha');
    await isCalled(fleet, '--start');
    const window = desk.open(process.execPath, programArguments('start', 'alpha'));
    await window.sees('is being started already; waiting for that.');
    await window.sees(`${alpha.key} is running.`);
    expect(await window.ends()).toBe(0);
    expect((await other.ended).code).toBe(0);
    expect(callsOf(fleet, '--start')).toHaveLength(1);
  });

  test('is joined by one that is made for somebody else', async ({ desk }) => {
    const { stage } = desk;
    const { fleet, alpha, agent } = await prepare(stage, { beforeLockMs: 90_000 });
    await takeAway(agent, fleet, alpha);
    const window = desk.open(process.execPath, programArguments('start', 'alpha'));
    await isCalled(fleet, '--start');
    const other = await ask(stage, 'start', 'alpha');
    expect(other).toMatchObject({ code: 0, stderr: '' });
    await window.sees(`${alpha.key} is running.`);
    expect(await window.ends()).toBe(0);
    expect(callsOf(fleet, '--start')).toHaveLength(1);
  });
});
