import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe } from 'vitest';
import { keyOf, readCalls, type SessionSpec } from '../../fixtures/fake-sandy/fleet.mjs';
import { type Program, type Ran, test, writeScript } from '../program.ts';

const LONG_AGO = Date.UTC(2026, 0, 2, 3, 4, 5);
const UPDATED = '2026-01-02T03:04:01Z';
const ISO = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/;

async function look(program: Program, ...flags: string[]): Promise<Ran & { document: Document }> {
  const ran = await program.run(['status', '--json', ...flags]);
  return { ...ran, document: JSON.parse(ran.stdout) };
}

// biome-ignore lint/suspicious/noExplicitAny: compared as a whole with what it must be
type Document = any;

/** The whole document of a fleet that was seen once, without an agent. */
function seen(expect: Expect, program: Program, parts: Partial<Document> = {}): Document {
  const { sandy, poll, ...rest } = parts;
  return {
    schema: 1,
    checkedAt: expect.stringMatching(ISO),
    imagesCheckedAt: expect.stringMatching(ISO),
    blindSince: null,
    epoch: null,
    rev: 0,
    agent: null,
    sandy: {
      path: program.environment.SANDY_TRAY_SANDY,
      version: '1.7.0',
      schemaVersion: 1,
      capabilities: ['attach', 'start', 'stop', 'update-sessions'],
      ...sandy,
    },
    docker: 'ok',
    badge: { state: 'ok', count: 0 },
    sessions: [],
    run: null,
    lastRun: null,
    failures: [],
    quiet: null,
    poll: {
      mode: 'full',
      nextInMs: expect.any(Number),
      reason: 'idle',
      lastMs: expect.any(Number),
      id: 1,
      awakeMs: 0,
      ...poll,
    },
    ...rest,
  };
}
type Expect = import('vitest').ExpectStatic;

function row(expect: Expect, session: { key: string; workspace: string }, parts = {}): Document {
  return {
    key: session.key,
    workspace: session.workspace,
    state: 'detached',
    since: expect.stringMatching(ISO),
    imageStale: false,
    attachedClients: 0,
    waitingShims: 0,
    startedAt: '2026-01-02T03:04:05.000Z',
    updatedAt: null,
    incarnation: expect.any(String),
    evidence: null,
    end: null,
    health: [],
    reason: null,
    actions: ['open', 'update', 'stop'],
    ...parts,
  };
}

/** What each version can say of the same two sessions. */
const versions = [
  { version: '0.12.0', lists: false, schema: 1, wanted: '1.1.0' },
  { version: '1.0.0', lists: false, schema: 1, wanted: '1.1.0' },
  { version: '1.1.0', lists: true, schema: 1, wanted: '1.2.0' },
  { version: '1.2.0', lists: true, schema: 1 },
  { version: '1.7.0', lists: true, schema: 1 },
  { version: '1.8.0', lists: true, schema: 1 },
  { version: '2.0.0', lists: true, schema: 2 },
  { version: '2.8.0', lists: true, schema: 4 },
  { version: '9.9.9', lists: true, schema: 9, unknown: true },
];

describe.concurrent.for(versions)('sandy $version', (given) => {
  const { version, lists, schema, wanted, unknown } = given;
  const setting = {
    version,
    commit: 'abc1234',
    ...(unknown
      ? {
          schemaVersion: schema,
          extraFields: {
            top: { moon: { phase: 1 } },
            sandbox: { moods: [1] },
            container: { moods: null },
          },
        }
      : {}),
  };
  const sessions: SessionSpec[] = [
    { name: 'a', startedAt: LONG_AGO },
    { name: 'b', startedAt: LONG_AGO, stale: true, clients: 2, updatedAt: UPDATED },
  ];
  const dated = lists && version !== '1.1.0';

  test('its document has the shape of schema 1', async ({ program, expect }) => {
    const fleet = await program.addFleet({ ...setting, sessions });
    const capabilities = [
      ...(lists ? ['attach', 'start', 'stop'] : []),
      ...(dated ? ['update-sessions'] : []),
    ];
    const actions = dated ? ['open', 'update', 'stop'] : ['open', 'stop'];
    const [a, b] = fleet.sessions;
    if (a === undefined || b === undefined) throw new Error('the fleet has two sessions');
    const { code, stderr, document } = await look(program);
    expect(code).toBe(0);
    expect(document).toStrictEqual(
      seen(expect, program, {
        sandy: { version: `${version}-abc1234`, schemaVersion: schema, capabilities },
        badge: dated ? { state: 'stale', count: 1 } : { state: 'ok', count: 0 },
        sessions: lists
          ? [
              row(expect, a, { imageStale: dated ? false : null, actions }),
              row(expect, b, {
                state: 'running',
                imageStale: dated ? true : null,
                attachedClients: 2,
                updatedAt: dated ? '2026-01-02T03:04:01.000Z' : null,
                actions,
              }),
            ]
          : [],
      }),
    );
    const warning =
      /^sandy's state has schema version 9, which is newer than this program knows\. Upgrade [^\n]+\.\n$/;
    if (unknown) expect(stderr).toMatch(warning);
    else expect(stderr).toBe('');
    // Another process knows nothing of the first one's warnings, and tells the same once.
    expect((await look(program)).stderr).toBe(stderr);
  });

  test('it is asked nothing that it does not know, its version first', async ({
    program,
    expect,
  }) => {
    const fleet = await program.addFleet({ ...setting, sessions });
    const { code, stdout } = await program.run(['status']);
    await program.run(['status']);
    expect(code).toBe(0);
    const calls = readCalls(fleet.dir);
    const asked = calls.map((call) => call.argv.join(' '));
    const first = ['--version', '--print-schema', '--print-state', '--version'];
    expect(asked.slice(0, 4)).toEqual(first);
    // A second look within a second uses the answer of the first.
    expect(['', '--print-state']).toContain(asked.slice(4).join(' '));
    expect(calls.filter((call) => call.launched || call.code !== 0)).toEqual([]);
    const limit = stdout.split('\n').filter((line) => line.includes('--upgrade'));
    expect(limit).toEqual(
      wanted === undefined
        ? []
        : [
            expect.stringMatching(
              `^sandy ${version}-abc1234 .+ came with ${wanted}: sandy --upgrade$`,
            ),
          ],
    );
    expect(stdout.split('\n').at(-2)).toMatch(/^[02] sessions.*\. Checked \d\d:\d\d.*one look\.$/);
  });
});

describe.concurrent('older than print-state', () => {
  test.for(['0.9.0', '0.11.4-dev', '0.12.0-rc1'])(
    '%s is asked for its version only',
    async (version, { program, expect }) => {
      const asked = join(program.folder, 'asked');
      const answer = `echo "$@" >>${asked}; [ "$*" = --version ] && echo 'sandy ${version}'`;
      const sandy = writeScript(join(program.folder, 'sandy'), answer);
      const { code, stdout, stderr } = await program.run(['status', '--json'], {
        SANDY_TRAY_SANDY: sandy,
      });
      expect(code).toBe(69);
      expect(JSON.parse(stdout)).toMatchObject({
        sandy: null,
        docker: 'unknown',
        badge: { state: 'unknown' },
      });
      expect(stderr).toBe(
        `sandy ${version} is too old to show its sessions. Upgrade it to 1.1.0 or newer with sandy --upgrade.\n`,
      );
      expect(readFileSync(asked, 'utf8')).toBe('--version\n');
    },
  );
});

describe.concurrent('sessions', () => {
  test('true, false and unknown images, and what only looks like a session', async ({
    program,
    expect,
  }) => {
    await program.addFleet({
      strangers: [{ name: 'sandy-tools', image: 'sandy-tools:1' }],
      sessions: [
        { name: 'current', startedAt: LONG_AGO },
        { name: 'old', stale: true, startedAt: LONG_AGO },
        { name: 'unknown', stale: null, startedAt: LONG_AGO },
        { name: 'bare', daemon: false },
        { name: 'off', running: false },
      ],
    });
    const { document } = await look(program);
    const images = document.sessions.map((session: Document) => [
      session.workspace.split('/').at(-1),
      session.imageStale,
    ]);
    expect(images).toEqual([
      ['current', false],
      ['old', true],
      ['unknown', null],
    ]);
    expect(document.badge).toEqual({ state: 'stale', count: 1 });
    const { stdout } = await program.run(['status']);
    const cells = stdout.split('\n').map((line) => line.split(/ {2,}/));
    expect(cells.slice(0, 4).map((line) => line.slice(1, 6))).toEqual([
      ['STATE', 'IMAGE', 'CLIENTS', 'STARTED', 'UPDATED'],
      ['detached', 'current', '0', '2026-01-02', '-'],
      ['detached', 'stale', '0', '2026-01-02', '-'],
      ['detached', '-', '0', '2026-01-02', '-'],
    ]);
    expect(stdout).toMatch(/\n3 sessions, 1 on a stale image\. Checked /);
  });

  test('each in the state and health that one look can tell', async ({ program, expect }) => {
    const fleet = await program.addFleet({
      version: '1.8.0',
      sessions: [
        { name: 'conflict', key: 'same', record: 'one', startedAt: LONG_AGO },
        { name: 'conflict2', key: 'same', record: 'two', running: false },
        { name: 'free', startedAt: LONG_AGO, lock: 'free' },
        { name: 'legacy', workspace: '', key: 'legacy-1', startedAt: LONG_AGO },
        { name: 'lost', startedAt: LONG_AGO, lock: 'dead' },
        { name: 'missing', startedAt: LONG_AGO, workspaceMissing: true },
        { name: 'starting', inner: 'gone', startedAt: Date.now() },
        { name: 'zombie', inner: 'gone', startedAt: LONG_AGO },
      ],
    });
    const { code, stderr, document } = await look(program);
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    const told = Object.fromEntries(
      document.sessions.map((session: Document) => [
        session.key.replace(/-[0-9a-f]{8}$/, ''),
        [session.state, session.health, session.reason, session.actions],
      ]),
    );
    const every = ['open', 'update', 'stop'];
    const says = (pattern: RegExp) => expect.stringMatching(pattern);
    expect(told).toEqual({
      same: ['detached', ['conflict'], says(/^Two workspaces claim this key\./), []],
      free: ['detached', ['supervisor-lost'], says(/supervisor is gone/), every],
      'legacy-1': ['detached', [], null, []],
      lost: ['detached', ['supervisor-lost'], says(/supervisor is gone/), every],
      missing: ['detached', ['workspace-missing'], says(/folder is missing/), []],
      starting: ['starting', [], says(/start is in progress/), ['open', 'stop']],
      zombie: ['ending', [], says(/ending, or dead inside/), every],
    });
    const { stdout } = await program.run(['status']);
    for (const { key } of fleet.sessions.filter((session) => session.record !== 'two')) {
      const { reason } = document.sessions.find((session: Document) => session.key === key);
      if (reason !== null) expect(stdout).toContain(`\n  ${key}: ${reason}\n`);
    }
  });

  test('home is a ~ in the table only', async ({ program, expect }) => {
    const inside = join(program.home, 'work');
    const beside = `${program.home}work`;
    await program.addFleet({ sessions: [inside, beside].map((workspace) => ({ workspace })) });
    const { stdout } = await program.run(['status']);
    expect(stdout).toMatch(/ ~\/work\n/);
    expect(stdout).toContain(` ${beside}\n`);
    const { document } = await look(program);
    const workspaces = document.sessions.map((session: Document) => session.workspace);
    expect(new Set(workspaces)).toEqual(new Set([inside, beside]));
  });

  test('none is not blind', async ({ program, expect }) => {
    await program.addFleet();
    const { code, stdout, stderr } = await program.run(['status']);
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    expect(stdout).toMatch(/^0 sessions\. Checked \d\d:\d\d, images \d\d:\d\d\. [^\n]+\n$/);
  });
});

/** What may be in a person's path, by what it tries. */
const hostile = {
  spaces: '/w/ two  spaces ',
  quotes: `/w/it's "quoted" \\ back`,
  substitution: '/w/$(touch X)`touch X`;touch X',
  newline: '/w/new\nline\r\ttab',
  dash: '/w/--stop',
  emoji: '/w/👩‍💻 ❤️ 日本',
  reversed: '/w/\u202egpj.exe\u2066\u200f',
  escapes: '/w/\x1b]0;owned\x07\x1b[31mred\x9b2J\x1b[H',
  percent: '/w/%s%n$HOME',
};

/** Nothing but a line break steers a terminal, and nothing reorders its text. */
const STEERING = /[^\P{Cc}\n]|[\u200b-\u200f\u202a-\u202e\u2060-\u2069\ufeff]/u;

function everyName(folder: string): string[] {
  return readdirSync(folder, { recursive: true, encoding: 'utf8' });
}

describe.concurrent('hostile paths', () => {
  test('are exact in the document, clean in the table, and never run', async ({
    program,
    expect,
  }) => {
    await program.addFleet({
      rawControls: false,
      sessions: Object.values(hostile).flatMap((workspace) => [
        { workspace },
        { workspace: `${workspace}2`, key: `${workspace.slice(3)}-key`, startedAt: LONG_AGO },
      ]),
    });
    const { code, stderr, document } = await look(program);
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    const pairs = document.sessions.map((session: Document) => [session.key, session.workspace]);
    expect(Object.fromEntries(pairs)).toEqual(
      Object.fromEntries(
        Object.values(hostile).flatMap((workspace) => [
          [keyOf(workspace), workspace],
          [`${workspace.slice(3)}-key`, `${workspace}2`],
        ]),
      ),
    );
    const table = await program.run(['status']);
    expect({ code: table.code, stderr: table.stderr }).toEqual({ code: 0, stderr: '' });
    expect(table.stdout).not.toMatch(STEERING);
    expect(table.stdout.split('\n')).toHaveLength(1 + document.sessions.length + 2);
    expect(table.stdout).toContain('/w/new↵line');
    expect(everyName(program.folder).filter((name) => /(^|\/)X$/.test(name))).toEqual([]);
  });

  test('raw control characters of one session do not blind the fleet', async ({
    program,
    expect,
  }) => {
    const workspaces = [hostile.newline, hostile.escapes, hostile.reversed, '/w/plain'];
    await program.addFleet({
      rawControls: true,
      sessions: workspaces.map((workspace) => ({ workspace })),
    });
    const { code, stderr, document } = await look(program);
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    const shown = document.sessions.map((session: Document) => session.workspace);
    expect(shown.sort()).toEqual([...workspaces].sort());
    expect((await program.run(['status'])).stdout).not.toMatch(STEERING);
  });

  test.for(Object.entries(hostile).filter(([name]) => name !== 'dash'))(
    'also as the folder of sandy, home and state: %s',
    async ([, path], { program, expect }) => {
      const name = path.slice(3);
      const fleet = await program.addFleet({ rawControls: false, sessions: [{ name: 'a' }] }, name);
      const variables = { HOME: fleet.dir, SANDY_TRAY_DIR: join(fleet.dir, 'own') };
      const plain = await program.run(['status'], variables);
      expect(plain).toMatchObject({ code: 0, stderr: '' });
      expect(plain.stdout).toMatch(/~\/ws\/a\n/);
      const json = await program.run(['status', '--json'], variables);
      const document = JSON.parse(json.stdout);
      expect(document.sandy.path).toBe(fleet.sandy);
      expect(document.sessions[0].workspace).toBe(join(fleet.dir, 'ws', 'a'));
      const doctor = await program.run(['doctor'], variables);
      expect(doctor.stdout).not.toMatch(STEERING);
      expect(doctor.stdout).toMatch(/^ok +sandy /m);
      expect(everyName(program.folder).filter((file) => /(^|\/)X$/.test(file))).toEqual([]);
    },
  );
});
