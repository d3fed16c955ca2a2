import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, type ExpectStatic } from 'vitest';
import {
  type Fleet,
  readCalls,
  removeContainer,
  setLock,
  setSession,
} from '../../fixtures/fake-sandy/fleet.mjs';
import { catalogue } from '../../src/commands/catalogue.ts';
import type { StatusDocument } from '../../src/control/status-document.ts';
import { find, type Spawned, type Stage, test, until } from '../agent/running-agent.ts';

const OWN_PROCESSES = join(import.meta.dirname, '..', 'agent', 'own-processes-preload.mjs');

const start = (stage: Stage, ...args: string[]): Spawned =>
  stage.start(['update', ...args], { preloads: [OWN_PROCESSES] });

async function update(stage: Stage, ...args: string[]) {
  const child = start(stage, ...args);
  const { code } = await child.ended;
  return { code, stdout: child.stdout(), stderr: child.stderr() };
}

const updatesOf = (fleet: Fleet) =>
  readCalls(fleet.dir).filter(({ argv }) => argv[0] === '--update-sessions');

async function statusOf({ program }: Stage): Promise<StatusDocument> {
  return JSON.parse((await program.run(['status', '--json'])).stdout);
}

const linesOf = (text: string): string[] => text.split('\n').slice(0, -1);

/** Nothing but a line break steers a terminal, and nothing reorders its text. */
const STEERING = /[^\P{Cc}\n]|[\u200b-\u200f\u202a-\u202e\u2060-\u2069\ufeff]/u;

function expectUsage(
  expect: ExpectStatic,
  ran: { code: number | null; stdout: string; stderr: string },
): void {
  expect({ code: ran.code, stdout: ran.stdout }).toEqual({ code: 2, stdout: '' });
  expect(ran.stderr).toMatch(/^[^\n]+\.\nUsage: [^\n]+\n$/);
  expect(ran.stderr).toContain(`\nUsage: sandy-tray ${catalogue.update?.usage}\n`);
}

describe.concurrent('wrong usage', () => {
  test.for<[string[], string]>([
    [[], 'Name the sessions to update, or say --all, and not both.'],
    [['--yes'], 'Name the sessions to update, or say --all, and not both.'],
    [['alpha', '--all', '--yes'], 'Name the sessions to update, or say --all, and not both.'],
    [['--all'], 'Nobody can be asked here'],
    [['alpha'], 'Nobody can be asked here'],
    [['--all', '--json'], 'Nobody can be asked here'],
    [['--all', '--idle-for', '5'], 'Nobody can be asked here'],
    [['--all', '--yes', '--idle-for', '0'], '"0" is no number of minutes'],
    [['--all', '--yes', '--idle-for', 'x\x1b[31m\u202e\ny'], '"x↵y" is no number of minutes'],
    [['--all', '--yes', '--idle-for', '1.5'], '"1.5" is no number of minutes'],
    [['--all', '--yes', '--idle-for', ''], '"" is no number of minutes'],
    [['--all', '--yes', '--idle-for=-1'], '"-1" is no number of minutes'],
    [['--all', '--dry-run', '--idle-for', '1e3'], '"1e3" is no number of minutes'],
    [['--all', '--yes', '--idle-for'], "'--idle-for"],
    [['--cancel', '--all'], '--cancel stands alone.'],
    [['--cancel', 'alpha'], '--cancel stands alone.'],
    [['--cancel', '--yes'], '--cancel stands alone.'],
    [['--cancel', '--dry-run'], '--cancel stands alone.'],
    [['--cancel', '--idle-for', '5'], '--cancel stands alone.'],
  ])('%j is refused in two lines', async ([args, sentence], { stage, expect }) => {
    const fleet = await stage.addFleet(['alpha']);
    const ran = await update(stage, ...args);
    expectUsage(expect, ran);
    expect(ran.stderr).toContain(sentence);
    expect(ran.stderr).not.toMatch(STEERING);
    expect(readCalls(fleet.dir)).toEqual([]);
  });

  test('a name that fits none, or several, is refused and nothing runs', async ({
    stage,
    expect,
  }) => {
    const fleet = await stage.addFleet(['alpha', 'alpine']);
    for (const name of ['bravo', 'al', '', 'no\x1b[31m\u202e\n']) {
      const ran = await update(stage, 'alpine-', name, '--yes');
      expectUsage(expect, ran);
      expect(ran.stderr).not.toMatch(STEERING);
    }
    expect(updatesOf(fleet)).toEqual([]);
  });
});

/** A session whose image build never ends, so that an update stays before anything is restarted. */
const building = { name: 'bravo', build: 'hangs' } as const;

describe.concurrent('a dry run', () => {
  test('needs no --yes, restarts nothing and leaves nothing', async ({ stage, expect }) => {
    stage.scale(20);
    const fleet = await stage.addFleet(['alpha', 'bravo', { name: 'charlie', stale: false }]);
    const agent = await stage.startAgent();
    const before = await agent.sees(({ sessions }) => sessions.length === 3, 'all sessions');
    const ran = await update(stage, '--all', '--dry-run');
    expect({ code: ran.code, stderr: ran.stderr }).toEqual({ code: 0, stderr: '' });
    expect(ran.stdout).toContain('--dry-run: no sessions restarted (2 restart candidate(s)).');
    const [alpha, bravo, charlie] = ['alpha', 'bravo', 'charlie'].map(
      (name) => find(fleet, name).key,
    );
    const sum = linesOf(ran.stdout).slice(-4);
    expect(sum[0]).toBe('2 sessions would be restarted.');
    expect(sum.slice(1).sort()).toEqual([
      `  ${alpha}  would be restarted`,
      `  ${bravo}  would be restarted`,
      `  ${charlie}  left as it is: current`,
    ]);
    // Another look, and what comes of it.
    expect((await update(stage, 'charlie', '--dry-run')).stdout).toContain(
      'Nothing would be restarted.',
    );
    expect(agent.newest()).toMatchObject({ run: null, lastRun: null });
    const shown = (status: StatusDocument) =>
      status.sessions.map(({ key, state, startedAt }) => [key, state, startedAt]);
    expect(shown(agent.newest())).toEqual(shown(before));
    expect(updatesOf(fleet).map(({ argv }) => argv.slice(0, 2))).toEqual([
      ['--update-sessions', '--dry-run'],
      ['--update-sessions', '--dry-run'],
    ]);
    expect(stage.records().filter(({ kind, notice }) => notice || kind.startsWith('run-'))).toEqual(
      [],
    );
    expect(await stage.noticesAtEnd(agent)).toEqual([]);
  });

  test('without an agent leaves nothing either', async ({ stage, expect }) => {
    stage.scale(20);
    await stage.addFleet(['alpha']);
    const ran = await update(stage, 'alpha', '--dry-run', '--json');
    expect(ran).toMatchObject({ code: 0, stderr: '' });
    expect(await statusOf(stage)).toMatchObject({ run: null, lastRun: null });
    expect(stage.records().filter(({ kind }) => kind.startsWith('run-'))).toEqual([]);
  });

  test('is no evidence, and joined by another dry run only', async ({ stage, expect }) => {
    stage.scale(20);
    const fleet = await stage.addFleet(['alpha', building]);
    const agent = await stage.startAgent();
    const first = start(stage, '--all', '--dry-run');
    await until(
      () => first.stdout().includes('still refreshing'),
      () => `the build: ${first.stdout()} ${first.stderr()}`,
    );

    const second = start(stage, 'alpha', '--dry-run');
    await until(
      () => second.stdout().includes('still refreshing'),
      () => `the same build: ${second.stdout()} ${second.stderr()}`,
    );
    expect(second.stdout()).toMatch(/^This update is running already; /);
    for (const args of [
      ['--all', '--yes'],
      ['alpha', '--yes'],
      ['alpha', '--yes', '--json'],
    ]) {
      const busy = await update(stage, ...args);
      expect(busy.code).toBe(75);
      const words =
        /A check for updates has been running since \d\d:\d\d\. Try again when it is over\./;
      if (!args.includes('--json')) expect(busy.stderr).toMatch(words);
      else
        expect(JSON.parse(busy.stdout)).toMatchObject({
          event: 'busy',
          text: expect.stringMatching(words),
        });
    }
    expect((await stage.program.run(['stop', 'alpha'])).code).toBe(75);

    const alpha = find(fleet, 'alpha');
    removeContainer(fleet.dir, alpha.record);
    setLock(fleet.dir, alpha.key, 'free');
    await agent.seesState(alpha, 'ended');

    const cancelled = await update(stage, '--cancel');
    expect(cancelled).toEqual({
      code: 0,
      stdout: 'The update was cancelled; no session was touched.\n',
      stderr: '',
    });
    for (const asker of [first, second]) expect((await asker.ended).code).toBe(1);
    expect(updatesOf(fleet)).toHaveLength(1);
    expect(await stage.noticesAtEnd(agent)).toEqual([]);
  });
});

/** What an update prints for programs. */
type Event = { readonly event: string } & Readonly<Record<string, unknown>>;

describe.concurrent('for programs', () => {
  test('every line is an event, in the order in which it happened', async ({ stage, expect }) => {
    stage.scale(20);
    const fleet = await stage.addFleet(['alpha', 'bravo', { name: 'charlie', stale: false }]);
    const agent = await stage.startAgent();
    const ran = await update(stage, '--all', '--yes', '--json');
    expect({ code: ran.code, stderr: ran.stderr }).toEqual({ code: 0, stderr: '' });
    const events: Event[] = linesOf(ran.stdout).map((line) => JSON.parse(line));
    expect(events[0]).toEqual({
      event: 'started',
      id: expect.any(String),
      joined: false,
      log: expect.stringMatching(/\/output\.log$/),
    });
    const { id, log } = events[0] as Event;
    const keys = ['alpha', 'bravo'].map((name) => find(fleet, name).key);
    expect(events.at(-1)).toEqual({
      event: 'done',
      id,
      outcome: expect.objectContaining({
        kind: 'ok',
        restarted: expect.arrayContaining(keys),
        failed: [],
        skipped: [{ key: find(fleet, 'charlie').key, reason: 'current' }],
      }),
    });
    const progress = events.filter(({ event }) => event === 'progress');
    const done = progress.map((one) => (one.progress as [number, number | null])[0]);
    expect(done).toEqual([...done].sort());
    expect(progress.at(-1)?.progress).toEqual([expect.any(Number), 2]);
    for (const key of keys) {
      const own = events.filter((one) => one.key === key).map(({ event }) => event);
      expect(own).toEqual(['refreshing', 'planned', 'restarting', 'restarted']);
    }
    // Nothing of sandy's is lost: the lines, in its order.
    const texts = events.flatMap(({ event, text }) => (event === 'progress' ? [] : [text ?? '']));
    expect(texts.slice(1, -1)).toEqual(linesOf(readFileSync(String(log), 'utf8')));
    await agent.stop();
  });

  test('one that joins says so in an event too', async ({ stage, expect }) => {
    stage.scale(20);
    await stage.addFleet(['alpha', building]);
    const agent = await stage.startAgent({ watched: false });
    const first = start(stage, '--all', '--yes', '--json');
    await until(
      () => first.stdout().includes('heartbeat'),
      () => `the build: ${first.stdout()} ${first.stderr()}`,
    );
    const second = start(stage, 'alpha', '--yes', '--json');
    await until(
      () => second.stdout().includes('heartbeat'),
      () => `the same build: ${second.stdout()} ${second.stderr()}`,
    );
    expect((await update(stage, '--cancel', '--json')).stdout).toBe(
      `${JSON.stringify({ event: 'cancelled', text: 'The update was cancelled; no session was touched.' })}\n`,
    );
    const [, joined] = await Promise.all(
      [first, second].map(async (asker): Promise<Event[]> => {
        expect((await asker.ended).code).toBe(1);
        return linesOf(asker.stdout()).map((line) => JSON.parse(line));
      }),
    );
    expect(joined?.[0]).toMatchObject({ event: 'started', joined: true });
    expect(joined?.at(-1)).toMatchObject({ event: 'done', outcome: { kind: 'cancelled' } });
    await agent.stop();
  });
});

/** What a version to come may print. */
const STRANGE =
  'Pruning caches… 99 %\n[sandy] Restarting\n[sandy] \x1b[2J\x1b]0;owned\x07new \u202ekind of line\n' +
  '\x9b2Jnot \xffours\r\nRestarted: many\n--- Summary\n[sandy]   Build failed for\n';

describe.concurrent('away from a terminal', () => {
  test.for([
    ['with an agent', true],
    ['without one', false],
  ] as const)(
    "sandy's own lines come, and the sum, %s",
    async ([, hasAgent], { stage, expect }) => {
      stage.scale(20);
      const trouble = { '--update-sessions': { stdout: STRANGE } };
      const fleet = await stage.addFleet(['alpha', 'bravo', 'charlie'], { commands: trouble });
      setSession(fleet.dir, find(fleet, 'charlie').record, { start: 'refused' });
      const agent = hasAgent ? await stage.startAgent() : null;
      const { code, stdout } = await update(stage, '--all', '--yes');
      expect(code).toBe(1);
      expect(stdout).not.toMatch(STEERING);
      const lines = linesOf(stdout);
      const [alpha, bravo, charlie] = ['alpha', 'bravo', 'charlie'].map(
        (name) => find(fleet, name).key,
      );
      expect(lines.slice(0, 7)).toEqual([
        'Pruning caches… 99 %',
        '[sandy] Restarting',
        '[sandy] new kind of line',
        expect.stringContaining('ours'),
        'Restarted: many',
        '--- Summary',
        '[sandy]   Build failed for',
      ]);
      for (const key of [alpha, bravo]) {
        expect(lines).toContain(`[sandy] Restarting ${key}...`);
        expect(lines).toContain(`  ${key}  restarted`);
      }
      expect(lines).toContain('2 restarted, 1 failed.');
      expect(lines.at(-1)).toMatch(
        new RegExp(`^  ${charlie}  .*could not be restarted and is down`),
      );
      expect((await statusOf(stage)).lastRun).toMatchObject({ failed: [{ key: charlie }] });
      expect(stage.records().filter(({ kind }) => kind === 'run-completed')).toHaveLength(1);
      await agent?.stop();
    },
  );

  test('what is hostile in keys and workspaces stays harmless', async ({ stage, expect }) => {
    stage.scale(20);
    const steering = 'a\x1b]0;owned\x07\x1b[31m\n[sandy] Restarting b...\u202e\x9b2J';
    const fleet = await stage.addFleet([
      {
        key: `${steering}-1`,
        workspace: join(stage.program.folder, 'fleet', 'ws', `${steering}1`),
        record: 'one',
      },
      {
        key: `${steering}-2`,
        workspace: join(stage.program.folder, 'fleet', 'ws', `${steering}2`),
        record: 'two',
        start: 'refused',
      },
    ]);
    const agent = await stage.startAgent();
    const plain = await update(stage, '--all', '--yes');
    expect(plain.code).toBe(1);
    expect(plain.stdout + plain.stderr).not.toMatch(STEERING);
    expect(linesOf(plain.stdout)).toContain('  a↵[sandy] Restarting b...-1  restarted');
    const json = await update(stage, '--all', '--yes', '--json');
    expect(json.stdout).not.toMatch(/[\x00-\x09\x0b-\x1f]/);
    const events: Event[] = linesOf(json.stdout).map((line) => JSON.parse(line));
    expect(events.at(-1)).toMatchObject({ event: 'done', outcome: { kind: 'ok' } });
    for (const [verb, key] of [
      ['stop', `${steering}-1`],
      ['stop', `${steering}-1`],
      ['start', `${steering}-2`],
    ] as const) {
      const child = stage.start([verb, key], { preloads: [OWN_PROCESSES] });
      await child.ended;
      expect(child.stdout() + child.stderr()).toMatch(/a.*-[12] /);
      expect(child.stdout() + child.stderr()).not.toMatch(STEERING);
    }
    expect(agent.banners().join('\n')).not.toMatch(STEERING);
    expect(agent.banners().length).toBeGreaterThan(1);
    await agent.stop();
    expect(fleet.sessions.map(({ record }) => record)).toEqual(['one', 'two']);
  });
});
