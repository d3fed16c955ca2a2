import { describe, expect, test } from 'vitest';
import type { FleetView } from '../../src/fleet/view.ts';
import { drawTray } from '../../src/tray/draw-tray.ts';
import type { TrayExtras } from '../../src/tray/situation.ts';
import {
  detached,
  down,
  extras,
  failure,
  finishedRun,
  fleet,
  listItems,
  missing,
  overdue,
  printPicture,
  run,
  session,
  stale,
  stopped,
  today,
} from './fleet-sketches.ts';

const three = [session('atlas'), session('hermes', { ...detached, ...stale }), session('kiln')];
const oldSandy = (version: string, capabilities: readonly string[]): FleetView['sandy'] => ({
  path: '/usr/local/bin/sandy',
  version,
  schemaVersion: 1,
  capabilities,
});
const blind = { blindSince: today('12:40'), checkedAt: today('12:39') } as const;
const unknown = { state: 'unknown', count: 0 } as const;
const many = Array.from({ length: 30 }, (_, index) =>
  session(`s${String(index).padStart(2, '0')}`, index % 7 === 6 ? stale : {}),
);
const hostile = [
  session('\u202eevil\u001b[31m\nsecond line', { workspace: '/home/dev/a\nb\u001b]0;title\u0007' }),
  session('-rf $(reboot) "quoted" __mnemonic & <b>'),
  session(`long-${'x'.repeat(200)}-3dfda686`, { workspace: `/${'deep/'.repeat(60)}end` }),
  session('👩‍👩‍👧 שלום', { workspace: null }),
  session('', { reason: `${'word '.repeat(200)}` }),
  session('\ud800', { workspace: '' }),
];

type Situation = readonly [FleetView, Partial<TrayExtras>?];

/** One file each in `pictures/`: the whole menu as a person would read it. */
const situations: Readonly<Record<string, Situation>> = {
  'first-look': [fleet([], { checkedAt: null, sandy: null, badge: unknown })],
  'no-sessions': [fleet([])],
  ok: [fleet([session('atlas'), session('kiln', detached)])],
  stale: [fleet(three, { badge: { state: 'stale', count: 1 } })],
  'every-state': [
    fleet([
      session('a-running', { attachedClients: 2, updatedAt: today('03:08') }),
      session('b-detached', detached),
      session('c-starting', {
        state: 'starting',
        attachedClients: null,
        actions: ['open', 'stop'],
      }),
      session('d-ending', { state: 'ending', attachedClients: null }),
      session('e-zombie', { state: 'ending', attachedClients: null, health: ['zombie'] }),
      session('f-missing', { ...missing, waitingShims: 2 }),
      session('g-overdue', overdue),
      session('h-down', down),
      session('i-ended', { ...stopped, state: 'ended' }),
      session('j-stopped', stopped),
      session('k-no-folder', { health: ['workspace-missing'], actions: [] }),
      session('l-conflict', { health: ['conflict'], actions: [] }),
    ]),
  ],
  'updating-own': [
    fleet(
      [
        session('atlas'),
        session('hermes', { ...missing, evidence: 'own-run' }),
        session('kiln', stale),
      ],
      {
        run: run(),
        badge: { state: 'updating', count: 5 },
      },
    ),
  ],
  building: [
    fleet(three, {
      run: run({ phase: 'building', current: null, restarted: [], progress: [0, null] }),
      badge: { state: 'updating', count: null },
    }),
  ],
  'updating-elsewhere': [
    fleet(three, {
      run: run({ origin: 'outside', log: null, progress: [1, null], restarted: ['atlas'] }),
      badge: { state: 'updating', count: null },
    }),
  ],
  settling: [
    fleet(three, {
      run: run({ phase: 'settling', current: null, progress: [2, 2] }),
      badge: { state: 'updating', count: 0 },
    }),
  ],
  hung: [
    fleet(three, {
      run: run({ phase: 'hung', current: null, restarted: [], progress: [0, 3] }),
      badge: { state: 'updating', count: 3 },
    }),
  ],
  failure: [
    fleet([session('atlas', overdue), session('kiln')], {
      failures: [failure('atlas')],
      badge: { state: 'attention', count: 1 },
    }),
  ],
  'failures-of-every-kind': [
    fleet(
      [
        session('a', down),
        session('b', { ...down, health: ['workspace-missing'], actions: ['ack'] }),
        session('c'),
        session('d', down),
      ],
      {
        failures: [
          failure('a', { kind: 'update-failed' }),
          failure('b', { kind: 'start-failed' }),
          failure('c', { kind: 'not-attachable' }),
          failure('d', { kind: 'stuck' }),
          ...['e', 'f', 'g', 'h'].map((key) => failure(key)),
        ],
        badge: { state: 'attention', count: 8 },
      },
    ),
  ],
  'last-night': [
    fleet([session('atlas'), session('hermes'), session('kiln', down)], {
      lastRun: finishedRun({
        origin: 'schedule',
        failed: [{ key: 'kiln', reason: 'could not be restarted and is down' }],
        skipped: [{ key: 'orion', reason: 'active (idle 3m < 30m)' }],
        log: '/state/runs/1/output',
      }),
    }),
  ],
  'last-run-nothing': [
    fleet([session('atlas')], {
      lastRun: finishedRun({ startedAt: today('12:10'), endedAt: today('12:10'), restarted: [] }),
    }),
  ],
  'last-run-in-use': [
    fleet([session('atlas', stale), session('kiln', stale)], {
      lastRun: finishedRun({
        restarted: [],
        skipped: [
          { key: 'atlas', reason: 'active (idle 3m < 30m)' },
          { key: 'hermes', reason: 'current' },
          { key: 'kiln', reason: 'active (idle probe failed)' },
        ],
      }),
    }),
  ],
  'last-run-left': [
    fleet([session('atlas')], {
      lastRun: finishedRun({
        restarted: [],
        skipped: [{ key: 'atlas', reason: 'staleness unknown' }],
      }),
    }),
  ],
  'last-run-failed': [
    fleet([session('atlas')], {
      lastRun: finishedRun({
        outcome: 'failed',
        reason: 'the image of kiln could not be built',
        skipped: [{ key: 'kiln', reason: 'build failed' }],
      }),
    }),
  ],
  'last-run-failed-words': [
    fleet([session('atlas')], {
      lastRun: finishedRun({
        outcome: 'failed',
        reason: `sandy ended with code 1, and its last words were: \u001b[31m${'no\nspace left '.repeat(30)}`,
        restarted: ['atlas'],
        failed: [{ key: 'kiln', reason: 'did not come back' }],
      }),
    }),
  ],
  'last-run-seen': [fleet([session('atlas')], { lastRun: finishedRun() }), { seenRunId: 'run-1' }],
  'docker-away': [fleet(three, { ...blind, docker: 'unreachable', badge: unknown })],
  'sandy-silent': [fleet(three, { ...blind, docker: 'unknown', badge: unknown })],
  'no-sandy': [
    fleet([], { ...blind, checkedAt: null, docker: 'unknown', sandy: null, badge: unknown }),
    { agentTroubles: ['sandy was not found. Install it, or set sandyPath to where it is.'] },
  ],
  'sandy-without-updates': [
    fleet([session('atlas', { actions: ['open', 'stop'] })], {
      sandy: oldSandy('1.1.0', ['attach', 'start', 'stop']),
    }),
  ],
  'sandy-without-daemons': [fleet([], { sandy: oldSandy('1.0.1', []) })],
  'thirty-sessions': [fleet(many, { badge: { state: 'stale', count: 4 } })],
  'hostile-names': [
    fleet(hostile, {
      failures: [failure(hostile[0]?.key ?? '', { text: '\u001b[2Jgone\nand more' })],
      badge: { state: 'attention', count: 1 },
    }),
  ],
  'quiet-hours': [fleet(three, { quiet: { until: today('07:30'), held: 3 } })],
  checking: [
    fleet([...three, session('off', stopped)], { badge: { state: 'stale', count: 1 } }),
    { work: { op: 'check', keys: null, since: today('12:40') } },
  ],
  'starting-one': [
    fleet([session('atlas', stopped), session('kiln')]),
    { work: { op: 'start', keys: ['atlas'], since: today('12:51') } },
  ],
  answered: [
    fleet([session('atlas')]),
    { answer: '12:40: A start of kiln has been running since 12:39. Try again when it is over.' },
  ],
  'one-more-session': [
    fleet(
      [...many.filter(({ imageStale }) => imageStale === false).slice(0, 12), session('z', stale)],
      {
        badge: { state: 'stale', count: 1 },
      },
    ),
  ],
  'last-run-cancelled': [
    fleet([session('atlas')], {
      lastRun: finishedRun({ outcome: 'cancelled', restarted: ['atlas'] }),
    }),
  ],
  'stale-beyond-counting': [fleet([], { badge: { state: 'stale', count: 120 } })],
};

function draw([view, more = {}]: Situation) {
  return drawTray(view, { ...extras, ...more });
}

test.each(Object.entries(situations))('%s', async (name, situation) => {
  await expect(printPicture(draw(situation))).toMatchFileSnapshot(`pictures/${name}.txt`);
});

function rowOf(situation: Situation, id: string) {
  const found = listItems(draw(situation).items).find(({ item }) => item.id === id);
  return found?.item;
}

describe('what a row asks for', () => {
  test('an update of one session names it, and is never scoped by idleness', () => {
    expect(rowOf([fleet(three)], 'session/hermes/update')).toMatchObject({
      enabled: true,
      action: { kind: 'update', keys: ['hermes'], idleForMinutes: null },
    });
  });

  test('the first offer for all spares who is at work', () => {
    expect(rowOf([fleet(three)], 'update-all/idle')).toMatchObject({
      action: { kind: 'update', keys: null, idleForMinutes: 30 },
    });
  });

  test('a switch asks for its opposite', () => {
    expect(rowOf([fleet(three)], 'notices/notify.ended')).toMatchObject({
      checked: false,
      action: { kind: 'set-notice', preference: 'notify.ended', on: true },
    });
  });

  test.each([
    ['menu', 'building', true],
    ['cli', 'hung', true],
    ['schedule', 'restarting', false],
    ['menu', 'settling', false],
    ['outside', 'building', false],
  ] as const)('a run from %s in the phase %s can be cancelled: %s', (origin, phase, can) => {
    expect(rowOf([fleet(three, { run: run({ origin, phase }) })], 'run/cancel')).toMatchObject({
      enabled: can,
    });
  });

  test.each(['building', 'hung', 'restarting'] as const)(
    'while a run is %s nothing acts',
    (phase) => {
      const view = fleet([...three, session('off', stopped)], { run: run({ phase }) });
      const acting = listItems(draw([view]).items).flatMap(({ item }) =>
        item.kind === 'action' && item.enabled ? [item.action.kind] : [],
      );
      for (const kind of ['update', 'start', 'stop', 'check', 'start-in-terminal'] as const) {
        expect(acting).not.toContain(kind);
      }
    },
  );

  test.each([
    ['check', null, 'a check for updates runs'],
    ['update', null, 'an update runs'],
    ['start', ['a-session-of-a-long-name'], 'a-session-of-a… is starting'],
    ['stop', ['kiln'], 'kiln is stopping'],
  ] as const)('while sandy is busy with a %s of %j nothing else acts', (op, keys, why) => {
    const work = { op, keys, since: today('12:40') };
    const view = fleet([...three, session('off', stopped)], { failures: [failure('off')] });
    const acting = listItems(draw([view, { work }]).items).flatMap(({ item }) =>
      item.kind === 'action' && item.enabled ? [item.action.kind] : [],
    );
    for (const kind of ['update', 'start', 'stop', 'check', 'start-in-terminal'] as const) {
      expect(acting).not.toContain(kind);
    }
    expect(acting).toContain('open');
    expect(rowOf([view, { work }], 'update-all/idle')).toMatchObject({
      label: `Only those idle 30 min or more (${why})`,
    });
  });

  test('a session that is being started can be stopped, which waits for it', () => {
    const view = fleet([session('atlas', { ...detached, state: 'starting' }), session('kiln')]);
    const work = { op: 'start', keys: ['atlas'], since: today('12:40') } as const;
    expect(rowOf([view, { work }], 'session/atlas/stop')).toMatchObject({ enabled: true });
    expect(rowOf([view, { work }], 'session/kiln/stop')).toMatchObject({ enabled: false });
  });

  test('a check that runs can be cancelled', () => {
    const work = { op: 'check', keys: null, since: today('12:40') } as const;
    expect(rowOf([fleet(three), { work }], 'checking')).toMatchObject({
      label: 'Checking for updates since 12:40',
    });
    expect(rowOf([fleet(three), { work }], 'checking/cancel')).toMatchObject({
      enabled: true,
      action: { kind: 'cancel' },
    });
    expect(rowOf([fleet(three)], 'checking')).toBeUndefined();
  });

  test('the output of a run is asked for by its id, while another one runs too', () => {
    const log = '/state/output';
    const view = fleet(three, {
      run: run({ id: 'run-2', log }),
      lastRun: finishedRun({ id: 'run-1', log }),
    });
    const asked = ['run/output', 'last-run/output'].map((id) => rowOf([view], id));
    expect(asked).toMatchObject([
      { action: { kind: 'show-run-log', id: 'run-2' } },
      { action: { kind: 'show-run-log', id: 'run-1' } },
    ]);
  });

  test('a terminal can be opened while docker is away: it waits by itself', () => {
    const view = fleet(three, { ...blind, docker: 'unreachable' });
    expect(rowOf([view], 'session/atlas/open')).toMatchObject({ enabled: true });
    expect(rowOf([view], 'session/atlas/stop')).toMatchObject({ enabled: false });
  });

  test('the summary of a run goes when it was looked at, and that of the next one shows', () => {
    const view = fleet(three, { lastRun: finishedRun({ id: 'run-2' }) });
    expect(rowOf([view, { seenRunId: 'run-1' }], 'last-run')).toMatchObject({
      opened: { kind: 'seen-last-run', id: 'run-2' },
    });
    expect(rowOf([view, { seenRunId: 'run-2' }], 'last-run')).toBeUndefined();
  });
});

describe('the tooltip says no more than is known', () => {
  test.each<[string, FleetView, string]>([
    ['two', fleet([session('a'), session('b')]), '2 sessions, none stale, no failures'],
    ['none', fleet([]), '0 sessions, no failures'],
    [
      'one whose image is not known',
      fleet([session('a'), session('b', { imageStale: null })]),
      '2 sessions, none known to be stale, no failures',
    ],
    [
      'one that is dead inside',
      fleet([session('a'), session('b', { health: ['zombie'] })]),
      '2 sessions, none stale, 1 needs a look',
    ],
    [
      'failures that were dismissed',
      fleet([session('a'), session('b', down), session('c', overdue)]),
      '1 session, none stale, 2 need a look',
    ],
    [
      'a sandy that is too old',
      fleet([], { sandy: oldSandy('1.0.1', []) }),
      'sandy 1.0.1 has no daemon sessions; 1.1.0 has',
    ],
  ])('%s', (_what, view, title) => {
    expect(draw([view]).tooltip.title).toBe(title);
  });
});
