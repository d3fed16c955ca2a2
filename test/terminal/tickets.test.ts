import {
  chownSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  statSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, test } from 'vitest';
import {
  adoptCarried,
  type Errand,
  type IssuedTicket,
  issueTicket,
  pickCarried,
  type TicketContent,
  takeTicket,
} from '../../src/terminal/tickets.ts';
import { type Bundle, bundleScript, startScript } from '../node-script.ts';
import { makeScratchFolder } from '../scratch-folder.ts';

const content = {
  errand: { kind: 'attach', key: 'zork-3dfda686', workspace: '/w/$(touch X) "😀"\n-e' },
  variables: { SANDY_TRAY_DIR: '/d' },
} as const;
const AT = Date.parse('2026-03-01T03:00:00Z');
const LIFE_MS = 60_000;

function issue(folder: string, nowMs = AT, lifeMs = LIFE_MS): IssuedTicket {
  const issuing = issueTicket(folder, content, { nowMs, lifeMs });
  if (issuing.kind !== 'issued') throw new Error(issuing.errorCode);
  return issuing.ticket;
}

/** A state folder, deep and with a name that no command line should carry. */
const makeState = () => join(makeScratchFolder(), 'state "$(x)" 😀');

describe('a ticket', () => {
  test('is a file for this user only, named by letters that no program minds', () => {
    const folder = makeState();
    const ticket = issue(folder);
    expect(ticket.word).toMatch(/^[0-9a-f][A-Za-z0-9_-]+$/);
    expect(issue(folder).word).not.toBe(ticket.word);
    const tickets = join(folder, 'tickets');
    expect(statSync(tickets).mode & 0o777).toBe(0o700);
    for (const name of readdirSync(tickets)) {
      expect(statSync(join(tickets, name)).mode & 0o777).toBe(0o600);
    }
  });

  test('brings what it was written with, once, and needs nothing but its word', () => {
    const ticket = issue(makeState());
    expect(ticket.isTaken()).toBe(false);
    const expected: TicketContent = { ...content, createdAt: AT, expiresAt: AT + LIFE_MS };
    expect(takeTicket(ticket.word, AT + 1)).toEqual({ kind: 'taken', content: expected });
    expect(ticket.isTaken()).toBe(true);
    expect(takeTicket(ticket.word, AT + 1)).toEqual({ kind: 'unknown' });
    expect(ticket.withdraw()).toBe('taken');
  });

  test.each<Errand>([
    { kind: 'choose', first: ['a', 'b'] },
    { kind: 'read', page: 'log' },
    { kind: 'read-run', id: '20260301T030000000Z-0123abcd' },
  ])('brings any errand: %j', (errand) => {
    const times = { nowMs: AT, lifeMs: LIFE_MS };
    const issuing = issueTicket(makeState(), { ...content, errand }, times);
    if (issuing.kind !== 'issued') throw new Error(issuing.errorCode);
    expect(takeTicket(issuing.ticket.word, AT)).toMatchObject({ content: { errand } });
  });

  test('says whether the session is to be started; one that says nothing means no', () => {
    const folder = makeState();
    for (const how of [{}, { startsFirst: true }]) {
      const errand = { ...content.errand, ...how };
      const times = { nowMs: AT, lifeMs: LIFE_MS };
      const issuing = issueTicket(folder, { ...content, errand }, times);
      if (issuing.kind !== 'issued') throw new Error(issuing.errorCode);
      expect(takeTicket(issuing.ticket.word, AT)).toMatchObject({ content: { errand } });
    }
  });

  test.each([
    [-LIFE_MS, 'expired'],
    [1 - LIFE_MS, 'taken'],
    [0, 'taken'],
    [LIFE_MS - 1, 'taken'],
    [LIFE_MS, 'expired'],
    [LIFE_MS * 1_000, 'expired'],
  ])('%d ms after it was written it is %s', (afterMs, kind) => {
    expect(takeTicket(issue(makeState()).word, AT + afterMs).kind).toBe(kind);
  });

  test('that is withdrawn can be taken by nobody', () => {
    const ticket = issue(makeState());
    expect(ticket.withdraw()).toBe('withdrawn');
    expect(takeTicket(ticket.word, AT)).toEqual({ kind: 'unknown' });
    expect(ticket.isTaken()).toBe(false);
  });

  test.each([
    '',
    'x',
    '-',
    `${'0'.repeat(32)}-`,
    `${'0'.repeat(32)}-${Buffer.from('relative').toString('base64url')}`,
    `${'0'.repeat(32)}-${Buffer.from('/no/where').toString('base64url')}`,
    `${'0'.repeat(32)}-${Buffer.from('/dev/null').toString('base64url')}`,
    `${'0'.repeat(32)}-${Buffer.from('/tmp/\0').toString('base64url')}`,
    `../../etc/passwd-${Buffer.from('/').toString('base64url')}`,
  ])('%j is none', (word) => {
    expect(takeTicket(word, AT)).toEqual({ kind: 'unknown' });
  });

  test.each(['', 'null', '{}', '{"key":5}', 'no JSON'])('that holds %j is none', (text) => {
    const ticket = issue(makeState());
    writeFileSync(ticket.nameFile('ticket'), text);
    expect(takeTicket(ticket.word, AT)).toEqual({ kind: 'unknown' });
  });

  test.runIf(process.getuid?.() === 0)('of another user is none', () => {
    const ticket = issue(makeState());
    chownSync(ticket.nameFile('ticket'), 12_345, 12_345);
    expect(takeTicket(ticket.word, AT)).toEqual({ kind: 'unknown' });
  });

  test('a file where its folder should be is an answer', () => {
    const folder = makeScratchFolder();
    writeFileSync(join(folder, 'tickets'), '');
    const times = { nowMs: AT, lifeMs: LIFE_MS };
    expect(issueTicket(folder, content, times)).toMatchObject({ kind: 'not-written' });
  });
});

test('the next one sweeps what older ones left, and only that', () => {
  const folder = makeState();
  const tickets = join(folder, 'tickets');
  mkdirSync(join(tickets, 'a folder'), { recursive: true });
  const now = Date.now();
  for (const [name, ageMs] of [
    ['a.ticket', LIFE_MS + 1_000],
    ['b.taken', LIFE_MS + 1_000],
    ['c.log', 2 * LIFE_MS],
    ['d.ticket.0123456789ab.tmp', 2 * LIFE_MS],
    ['young.ticket', LIFE_MS - 10_000],
    ['young.log', 0],
  ] as const) {
    writeFileSync(join(tickets, name), '');
    utimesSync(join(tickets, name), new Date(now - ageMs), new Date(now - ageMs));
  }
  const ticket = issue(folder, now);
  expect(readdirSync(tickets).toSorted()).toEqual(
    [
      'a folder',
      'young.log',
      'young.ticket',
      ticket.nameFile('ticket').split('/').at(-1),
    ].toSorted(),
  );
});

test('carries what leads to our folders, and replaces it in whoever adopts', () => {
  const opener = {
    SANDY_TRAY_DIR: '/d',
    SANDY_TRAY_SANDY: '/s',
    XDG_STATE_HOME: '/st',
    PATH: '/bin',
    SANDY_TRAY_UNSET: undefined,
  };
  const carried = { SANDY_TRAY_DIR: '/d', SANDY_TRAY_SANDY: '/s', XDG_STATE_HOME: '/st' };
  expect(pickCarried(opener)).toEqual(carried);
  const other = { SANDY_TRAY_TIME_SCALE: '9', XDG_CONFIG_HOME: '/c', PATH: '/p', HOME: '/h' };
  adoptCarried(other, { variables: { ...carried, PATH: '/evil', LD_PRELOAD: '/evil' } });
  expect(other).toEqual({ ...carried, PATH: '/p', HOME: '/h' });
});

describe('among processes', () => {
  let taker: Bundle;
  beforeAll(async () => {
    taker = await bundleScript(join(import.meta.dirname, 'ticket-taker.ts'));
    return taker.remove;
  });
  const startTaker = async () => {
    const script = startScript(taker.file, []);
    expect(await script.hear()).toBe('ready');
    return script;
  };

  test('of 24 that try at once one gets it, again and again', async () => {
    const folder = makeState();
    const takers = await Promise.all(Array.from({ length: 24 }, startTaker));
    for (let round = 0; round < 20; round += 1) {
      const ticket = issue(folder, Date.now());
      for (const one of takers) one.tell(ticket.word);
      const heard = (await Promise.all(takers.map((one) => one.hear()))) as { kind: string }[];
      expect(heard.filter(({ kind }) => kind === 'taken')).toHaveLength(1);
      expect(heard.filter(({ kind }) => kind === 'unknown')).toHaveLength(23);
      expect(ticket.withdraw()).toBe('taken');
    }
  });

  test('withdrawing and taking at once: one of the two', async () => {
    const folder = makeState();
    const one = await startTaker();
    const seen = new Set<string>();
    for (let round = 0; round < 200; round += 1) {
      const ticket = issue(folder, Date.now());
      one.tell(ticket.word);
      const heard = one.hear() as Promise<{ kind: string }>;
      for (let spins = 0; spins < round % 20; spins += 1) await new Promise(setImmediate);
      const withdrawn = ticket.withdraw();
      expect({ withdrawn, heard: (await heard).kind }).toEqual(
        withdrawn === 'taken'
          ? { withdrawn, heard: 'taken' }
          : { withdrawn: 'withdrawn', heard: 'unknown' },
      );
      seen.add(withdrawn);
    }
    expect(seen.has('withdrawn')).toBe(true);
  });

  test('whoever is killed after taking has taken it; killed before, it is there for another', async () => {
    const folder = makeState();
    const [first, second, third] = await Promise.all([startTaker(), startTaker(), startTaker()]);
    const ticket = issue(folder, Date.now());
    first.child.kill('SIGKILL');
    await first.ended;
    second.tell(ticket.word);
    expect(await second.hear()).toMatchObject({ kind: 'taken' });
    second.child.kill('SIGKILL');
    await second.ended;
    third.tell(ticket.word);
    expect(await third.hear()).toEqual({ kind: 'unknown' });
    expect(ticket.isTaken()).toBe(true);
    expect(existsSync(ticket.nameFile('ticket'))).toBe(false);
    expect(JSON.parse(readFileSync(ticket.nameFile('taken'), 'utf8')).errand.key).toBe(
      content.errand.key,
    );
  });
});
