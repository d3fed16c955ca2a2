/** Terminals without an agent, whose session is stopped: whoever stops it with us says so on the disk. */

import { existsSync, readdirSync } from 'node:fs';
import { describe } from 'vitest';
import {
  type Fleet,
  readEvents,
  type Session,
  setSession,
} from '../../fixtures/fake-sandy/fleet.mjs';
import { readStopIntent, writeStopIntent } from '../../src/store/stop-intents.ts';
import { find, until } from '../agent/running-agent.ts';
import { attachesOf, type Desk, settles, type Terminal, test } from './terminals.ts';

/** A minute and more, at any rate: a terminal that waits for it has not ended by itself. */
const LONG = { returnWindowSeconds: 600, watchMinutes: 60 };

async function enter(
  desk: Desk,
): Promise<{ fleet: Fleet; alpha: Session; terminal: Terminal; stateFolder: string }> {
  desk.stage.scale(5);
  desk.stage.configure(LONG);
  const fleet = await desk.stage.addFleet(['alpha']);
  const alpha = find(fleet, 'alpha');
  const terminal = desk.attach([alpha.key]);
  await settles(terminal, fleet, alpha);
  return { fleet, alpha, terminal, stateFolder: desk.stage.program.ownFolder };
}

const stop = ({ stage }: Desk, session: Session) => stage.start(['stop', session.key]);

const stopByHand = ({ stage }: Desk, fleet: Fleet, { workspace }: Session) =>
  stage.sandy(fleet, '--stop', '--workspace', workspace).ended;

describe.concurrent('a terminal without an agent', () => {
  test('ends at once when its session is stopped with us', async ({ desk, expect }) => {
    const { fleet, alpha, terminal } = await enter(desk);
    const stopping = stop(desk, alpha);
    await terminal.sees(`[${alpha.key} was stopped]`);
    expect(await terminal.ends()).toBe(0);
    expect(await stopping.ended).toEqual({ code: 0, signal: null });
    expect(stopping.stdout()).toBe(`${alpha.key} is stopped.\n`);
    expect(attachesOf(fleet, alpha)).toHaveLength(1);
  });

  test('ends at once also when whoever stopped it was killed before sandy had done it', async ({
    desk,
    expect,
  }) => {
    const { fleet, alpha, terminal, stateFolder } = await enter(desk);
    // Sandy's own --stop does nothing, so that only the intent is left of this one.
    setSession(fleet.dir, alpha.record, { stop: 'ignored' });
    const stopping = stop(desk, alpha);
    await until(
      () => readStopIntent(stateFolder, alpha.key),
      () => `the intent in ${existsSync(stateFolder) ? readdirSync(stateFolder) : ''}`,
    );
    stopping.child.kill('SIGKILL');
    await stopping.ended;
    setSession(fleet.dir, alpha.record, { stop: 'ok' });
    await stopByHand(desk, fleet, alpha);
    await terminal.sees(`[${alpha.key} was stopped]`);
    expect(await terminal.ends()).toBe(0);
  });

  /** What says nothing of this end. */
  const nothingSaid: readonly [
    string,
    (desk: Desk, fleet: Fleet, alpha: Session) => Promise<void> | void,
  ][] = [
    [
      'one that is older than its window',
      ({ stage }, _fleet, { key }) => {
        writeStopIntent(stage.program.ownFolder, key, Date.now() - 121_000 / 5);
      },
    ],
    [
      'one from a clock that was set back',
      ({ stage }, _fleet, { key }) => {
        writeStopIntent(stage.program.ownFolder, key, Date.now() + 3_600_000);
      },
    ],
    [
      'one of another session',
      ({ stage }, _fleet, { key }) => {
        writeStopIntent(stage.program.ownFolder, `${key}2`, Date.now());
      },
    ],
  ];
  test.for(nothingSaid)('ignores %s, and waits', async ([, intend], { desk, expect }) => {
    const { fleet, alpha, terminal } = await enter(desk);
    await intend(desk, fleet, alpha);
    await stopByHand(desk, fleet, alpha);
    await waitsAndLeaves(desk, fleet, alpha, terminal);
    expect(await terminal.ends()).toBe(4);
  });

  test('ignores one that was met before it was attached, and waits', async ({ desk, expect }) => {
    desk.stage.scale(1);
    desk.stage.configure(LONG);
    const fleet = await desk.stage.addFleet(['alpha']);
    const alpha = find(fleet, 'alpha');
    expect(await stop(desk, alpha).ended).toEqual({ code: 0, signal: null });
    await desk.stage.sandy(fleet, '--start', '--workspace', alpha.workspace).ended;
    const terminal = desk.attach([alpha.key]);
    await settles(terminal, fleet, alpha);
    await stopByHand(desk, fleet, alpha);
    await waitsAndLeaves(desk, fleet, alpha, terminal);
    expect(await terminal.ends()).toBe(4);
  });
});

/** It is seen to be gone, and a look after that ends nothing; the person leaves. */
async function waitsAndLeaves(
  { stage }: Desk,
  fleet: Fleet,
  alpha: Session,
  terminal: Terminal,
): Promise<void> {
  await terminal.sees('is gone; it may come back');
  // It comes back under its eyes, which it would not had it ended.
  await stage.sandy(fleet, '--start', '--workspace', alpha.workspace).ended;
  await terminal.sees(`[${alpha.key} is back; attaching again]`);
  await settles(terminal, fleet, alpha);
  const before = readEvents(fleet.dir).length;
  await stage.sandy(fleet, '--stop', '--workspace', alpha.workspace).ended;
  await until(
    () => readEvents(fleet.dir).length > before,
    () => 'its second end',
  );
  await terminal.sees('is gone; it may come back');
  terminal.type('\x03');
}
