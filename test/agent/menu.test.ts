/** The built agent's menu, as a panel on a test's own bus sees and clicks it. */

import { describe, expect, vi } from 'vitest';
import { destroyFleet, setKnobs, setSession } from '../../fixtures/fake-sandy/fleet.mjs';
import { acquireSlot } from '../../src/store/slot.ts';
import { type ServerStandIn, startServer } from '../notify/server-stand-in.ts';
import { makeScratchFolder } from '../scratch-folder.ts';
import { eventually, startBus } from '../system/bus-stand-in.ts';
import { type StandIns, test } from '../terminal/desk-of-stand-ins.ts';
import { type Panel, type Row, startPanel } from '../tray/panel-stand-in.ts';
import { ask, begin, callsOf } from './asking.ts';
import { find, until } from './running-agent.ts';

vi.setConfig({ testTimeout: 180_000 });

const TERMINAL = 'kitty';
const FAST = 6;
/** How long a window may take is scaled too, and a busy machine takes its time. */
const WITH_WINDOWS = 1;

async function prepare(
  standIns: StandIns,
  sessions: Parameters<StandIns['stage']['addFleet']>[0],
  scale = FAST,
) {
  const { stage } = standIns;
  const bus = await startBus(makeScratchFolder());
  const server = await startServer(bus.variables);
  const panel = await startPanel(bus.variables);
  stage.scale(scale);
  stage.configure({ terminal: TERMINAL, tray: 'status-notifier' });
  const fleet = await stage.addFleet(sessions);
  standIns.add(TERMINAL, 'stays');
  const PATH = `${standIns.variables.PATH}:${stage.program.environment.PATH}`;
  const variables = { ...standIns.variables, ...bus.variables, PATH };
  const agent = await stage.startAgent({ tray: true, variables });
  await agent.sees(({ agent: one }) => one?.tray === 'shown', 'the icon');
  const end = async () => {
    agent.signal('SIGTERM');
    expect(await agent.ended).toEqual({ code: 0, signal: null });
    return agent.stderr();
  };
  return { stage, server, panel, fleet, agent, end };
}

/** A row by the labels of those that lead to it; waits for it. */
async function see(panel: Panel, ...path: readonly RegExp[]): Promise<Row> {
  let found: Row | null = null;
  await eventually(async () => {
    const root = await panel.layout();
    found = path.reduce<Row | null>(
      (row, label) => row?.rows.find((one) => label.test(labelOf(one))) ?? null,
      root,
    );
    expect(
      found,
      `${path.join(' > ')} in ${JSON.stringify(root.rows.map(labelOf))}`,
    ).not.toBeNull();
  });
  return found as unknown as Row;
}

const labelOf = ({ properties }: Row) => String(properties.label ?? '');

async function seeNone(panel: Panel, label: RegExp): Promise<void> {
  await eventually(async () => {
    const labels = (await panel.layout()).rows.map(labelOf);
    expect(labels.filter((one) => label.test(one))).toEqual([]);
  });
}

async function click(panel: Panel, ...path: readonly RegExp[]): Promise<void> {
  const row = await see(panel, ...path);
  expect(row.properties.enabled).toBe(true);
  await panel.event(row.number, 'clicked');
}

const isBanner = (server: ServerStandIn, title: string, body: RegExp) =>
  until(
    () => server.notified.some((one) => one.title === title && body.test(one.body)),
    () => `“${title}” ${body}: ${JSON.stringify(server.notified)}`,
  );

describe('a check for updates', () => {
  const CHECK = /^Check for updates \(restarts nothing\)$/;

  test('is seen while it runs, can be cancelled, and says what it found', async ({ standIns }) => {
    const { stage, server, panel, fleet, end } = await prepare(standIns, [
      'alpha',
      { name: 'bravo', stale: false, build: 'hangs' },
    ]);
    const checking = /^Checking for updates since \d\d:\d\d$/;
    // Somebody's in a terminal.
    const other = begin(stage, 'update', '--all', '--dry-run');
    await see(panel, checking);
    expect((await ask(stage, 'update', '--cancel')).code).toBe(0);
    await other.ended;
    await seeNone(panel, checking);

    await click(panel, CHECK);
    await see(panel, checking);
    const why = 'a check for updates runs';
    for (const path of [
      [new RegExp(`^Check for updates \\(${why}\\)$`)],
      [/ alpha-/, new RegExp(`^Stop \\(${why}\\)$`)],
    ]) {
      expect((await see(panel, ...path)).properties.enabled).toBe(false);
    }
    await click(panel, checking, /^Cancel this check$/);
    await see(panel, /^\d\d:\d\d: The check for updates was cancelled\.$/);
    await isBanner(server, 'sandy sessions', /^The check for updates was cancelled\.$/);
    await seeNone(panel, checking);

    setSession(fleet.dir, find(fleet, 'bravo').record, { build: 'ok' });
    await click(panel, CHECK);
    const sum = /^Checked \d\d:\d\d: 1 session would be restarted: alpha-\w+/;
    await see(panel, sum);
    await isBanner(server, 'Checked for updates', sum);
    await seeNone(panel, /was cancelled/);
    const { key } = find(fleet, 'alpha');
    expect(server.notified.at(-1)?.body).toMatch(new RegExp(`${key}\\.$`));

    setKnobs(fleet.dir, { commands: { '--update-sessions': { exitCode: 9, stderr: 'no disk' } } });
    await click(panel, CHECK);
    await see(panel, /^\d\d:\d\d: The check failed: sandy ended with code 9/);
    const failed = /^The check failed: .*See what it says: sandy-tray update --all --dry-run$/;
    await isBanner(server, 'That could not be done', failed);
    for (const { argv } of callsOf(fleet, '--update-sessions')) {
      expect(argv).toEqual(['--update-sessions', '--dry-run']);
    }
    expect((await stage.readLog()).filter(({ kind }) => kind.startsWith('run-'))).toEqual([]);
    expect((await end()).trimEnd().split('\n')).toEqual([expect.stringMatching(failed)]);
    await destroyFleet(fleet.dir);
  });
});

describe('why nothing came of a click', () => {
  test('stays until a person clicks something else, not until a summary was looked at', async ({
    standIns,
  }) => {
    const { stage, panel, agent, end } = await prepare(standIns, ['alpha', 'bravo']);
    expect((await ask(stage, 'update', 'alpha', '--yes')).code).toBe(0);
    const summary = await see(panel, /^Last (update|night) .*: 1 restarted, 0 failed$/);
    const since = new Date().toISOString();
    const slot = await acquireSlot(stage.program.ownFolder, { op: 'start', keys: ['zork'], since });
    if (slot.kind !== 'held') throw new Error(slot.kind);
    await click(panel, /^Check for updates/);
    const refusal = /^\d\d:\d\d: The start of zork has been running since/;
    await see(panel, refusal);

    await panel.event(0, 'opened');
    await panel.event(summary.number, 'opened');
    await panel.event(0, 'closed');
    await agent.sees(({ lastRun }) => lastRun?.seen === true, 'that the summary was looked at');
    await seeNone(panel, /^Last /);
    await see(panel, refusal);
    await click(panel, /^Look again now$/);
    await seeNone(panel, refusal);
    await slot.release();
    await end();
  });
});

describe('what an update printed', () => {
  test('is shown of the one that was asked for, while another one runs', async ({ standIns }) => {
    const { stage, panel, fleet, agent, end } = await prepare(
      standIns,
      ['alpha', { name: 'bravo', build: 'hangs' }],
      WITH_WINDOWS,
    );
    expect((await ask(stage, 'update', 'alpha', '--yes')).code).toBe(0);
    const second = begin(stage, 'update', 'bravo', '--yes');
    await agent.sees(({ run }) => run?.phase === 'building', 'the second update');
    const bravo = find(fleet, 'bravo').key;
    const closes = 'any key closes this window';

    await click(panel, /^Updating/, /^Show output$/);
    expect(await standIns.shows(TERMINAL, bravo)).not.toContain(closes);
    // Before anything else is said: whoever looked at this one has not seen the other's sum.
    const again = agent.looksAgain(1);
    await click(panel, /^Look again now$/);
    await again;
    expect(agent.newest().lastRun).toMatchObject({ seen: false });

    await click(panel, /^Last (update|night)/, /^Show output$/);
    const shown = await standIns.shows(TERMINAL, closes);
    expect(shown).toContain(`Restarting ${find(fleet, 'alpha').key}`);
    await agent.sees(({ lastRun }) => lastRun?.seen === true, 'that its output was looked at');

    expect((await ask(stage, 'update', '--cancel')).code).toBe(0);
    await second.ended;
    await end();
    await destroyFleet(fleet.dir);
  });
});
