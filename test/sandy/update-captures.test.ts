import { describe, expect, it } from 'vitest';
import type { UpdateProgress } from '../../src/sandy/update-output.ts';
import { followLines, readLines, readUpdateCaptures } from './update-captures.ts';

const all = readUpdateCaptures();

/** The hashes in the keys of a version's sessions. */
const HASHES: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  '1.2.0': { alpha: 'c001afff', beta: 'f90e77d6', gamma: 'f14ef854', gone: '217ea696' },
  '1.2.1': { alpha: 'eb48b969', beta: '8b06864f', gamma: 'bb4a8586', gone: '2557e390' },
  '1.7.0': { alpha: 'ea067652', beta: '268d404b', gamma: 'fd19171e', gone: 'd38764db' },
};

const MISSING = 'skip: workspace folder is missing';
const STALE = 'restart: stale';
const CURRENT = 'skip: current';
const HUNG =
  'ERROR: failed to solve: process "/bin/sh -c apt-get update" did not complete successfully: exit code: 100';

/** A progress in few words: sessions by the first part of their key, failures with their step. */
interface Expected {
  readonly found?: number;
  readonly planned?: Readonly<Record<string, string>>;
  readonly missingFolders?: readonly string[];
  readonly buildFailed?: readonly string[];
  readonly restarting?: readonly string[];
  readonly restarted?: readonly string[];
  readonly failed?: Readonly<Record<string, 'stop' | 'start'>>;
  readonly finished?: UpdateProgress['finished'];
  readonly building?: { readonly of: string; readonly seconds: number; readonly unchanged: number };
}

const nothing: Expected = {};

const staleAlpha: Expected = { found: 1, planned: { alpha: STALE }, restarting: ['alpha'] };
const restartedAlpha: Expected = { ...staleAlpha, restarted: ['alpha'], finished: 'summary' };
const staleBeta: Expected = { found: 1, planned: { beta: STALE }, restarting: ['beta'] };
const twoDue: Expected = {
  found: 4,
  planned: { beta: CURRENT, gone: MISSING, gamma: STALE, alpha: STALE },
  missingFolders: ['gone'],
};
const allDue: Expected = {
  found: 4,
  planned: { alpha: STALE, beta: STALE, gone: MISSING, gamma: STALE },
  missingFolders: ['gone'],
};
const concurrent: Expected = {
  ...allDue,
  restarting: ['alpha', 'gamma', 'beta'],
  finished: 'summary',
};
const hung: Expected = { found: 1, building: { of: 'alpha', seconds: 40, unchanged: 20 } };

const SAME_IN_ALL: Readonly<Record<string, Expected>> = {
  'attach-beta-during-update': nothing,
  'start-again-alpha': nothing,
  'start-alpha': nothing,
  'start-beta': nothing,
  'start-gamma': nothing,
  'start-gone': nothing,
  'stop-all': nothing,
  'stop-all-dry': nothing,
  'stop-all-noyes': nothing,
  'dry-run': { ...twoDue, finished: 'dry-run' },
  'idle-for-30-dry-run': {
    ...twoDue,
    planned: {
      beta: CURRENT,
      gone: MISSING,
      gamma: 'skip: active (idle 0m < 30m)',
      alpha: STALE,
    },
    finished: 'dry-run',
  },
  'idle-for-banana': nothing,
  'no-sessions': {
    found: 1,
    planned: { gone: MISSING },
    missingFolders: ['gone'],
    finished: 'nothing',
  },
  'no-yes': twoDue,
  'nothing-to-do': { found: 1, planned: { alpha: CURRENT }, finished: 'nothing' },
  'rebuild-alpha': restartedAlpha,
  'tty-answer-n': twoDue,
  'tty-yes-alpha': restartedAlpha,
  'yes-all': {
    ...allDue,
    restarting: ['alpha', 'beta', 'gamma'],
    restarted: ['alpha', 'beta', 'gamma'],
    finished: 'summary',
  },
  'yes-workspace-alpha': restartedAlpha,
  'yes-workspace-without-session': { found: 0, finished: 'none' },
};

const DIFFERENT: Readonly<Record<string, Expected>> = {
  '1.2.0/update/concurrent-1': { ...concurrent, restarted: ['alpha', 'gamma', 'beta'] },
  '1.2.1/update/concurrent-1': {
    ...concurrent,
    restarted: ['alpha', 'gamma'],
    failed: { beta: 'stop' },
  },
  '1.7.0/update/concurrent-1': {
    ...concurrent,
    restarted: ['alpha', 'gamma'],
    failed: { beta: 'stop' },
  },
  '1.2.0/update/concurrent-2': nothing,
  '1.2.1/update/concurrent-2': {
    ...concurrent,
    restarted: ['gamma', 'beta'],
    failed: { alpha: 'stop' },
  },
  '1.7.0/update/concurrent-2': {
    ...concurrent,
    restarted: ['gamma'],
    failed: { alpha: 'stop', beta: 'stop' },
  },
  '1.2.0/update/rebuild-build-fails': {
    found: 1,
    planned: { alpha: 'skip: build failed' },
    buildFailed: ['alpha'],
    finished: 'nothing',
  },
  '1.2.1/update/rebuild-build-fails': hung,
  '1.7.0/update/rebuild-build-fails': hung,
  '1.2.0/update/stop-fails': { ...staleBeta, failed: { beta: 'start' }, finished: 'summary' },
  '1.2.1/update/stop-fails': { ...staleBeta, failed: { beta: 'stop' }, finished: 'summary' },
  '1.7.0/update/stop-fails': { ...staleBeta, restarted: ['beta'], finished: 'summary' },
};

/** Each scenario has keys of its own. */
const SCENARIOS: Readonly<Record<string, readonly [Readonly<Record<string, string>>, Expected]>> = {
  'group-kill/update': [
    { alpha: '8a6d73fd', beta: 'ad58458b' },
    {
      found: 2,
      planned: { beta: STALE, alpha: STALE },
      restarting: ['beta', 'alpha'],
      restarted: ['beta', 'alpha'],
      finished: 'summary',
    },
  ],
  'kill-mid-restart/update': [{ alpha: 'd8be3947' }, staleAlpha],
  'kill-mid-start/update': [{ alpha: 'b5fb46d9' }, staleAlpha],
  'reboot/update': [
    { alpha: '1220e4d1', beta: 'd89e6e6b' },
    { found: 2, planned: { beta: CURRENT, alpha: CURRENT }, finished: 'nothing' },
  ],
  'reboot/update-stale': [{ alpha: '1220e4d1' }, restartedAlpha],
  'run-fails/update': [
    { alpha: '09604b7c', beta: 'a39e3140' },
    {
      found: 2,
      planned: { beta: STALE, alpha: STALE },
      restarting: ['beta', 'alpha'],
      restarted: ['beta'],
      failed: { alpha: 'start' },
      finished: 'summary',
    },
  ],
  'start-refused/update': [
    { alpha: '6df80d54' },
    { ...staleAlpha, failed: { alpha: 'start' }, finished: 'summary' },
  ],
  'stop-timeout/update': [
    { alpha: '584b4ccc' },
    { ...staleAlpha, failed: { alpha: 'stop' }, finished: 'summary' },
  ],
  'supervisor-gone/update': [{ alpha: 'a8babbe6' }, restartedAlpha],
};

function expectationFor(name: string): UpdateProgress {
  const [version = '', folder, ...rest] = name.replace(/\.tty$/, '').split('/');
  if (folder === 'scenarios') {
    const [hashes, expected] = SCENARIOS[rest.join('/')] ?? [];
    if (hashes === undefined || expected === undefined) throw new Error(`not expected: ${name}`);
    return spellOut(expected, hashes);
  }
  const expected = DIFFERENT[`${version}/update/${rest[0]}`] ?? SAME_IN_ALL[rest[0] ?? ''];
  if (expected === undefined) throw new Error(`not expected: ${name}`);
  return spellOut(expected, HASHES[version] ?? {});
}

function spellOut(expected: Expected, hashes: Readonly<Record<string, string>>): UpdateProgress {
  const key = (session: string) => `${session}-${hashes[session]}`;
  const planned = Object.entries(expected.planned ?? {}).map(([session, plan]) => {
    const [action = '', reason = ''] = plan.split(/: (.*)/);
    return [key(session), { action: action as 'restart' | 'skip', reason }] as const;
  });
  const { building } = expected;
  return {
    found: expected.found ?? null,
    building:
      building === undefined
        ? null
        : {
            key: key(building.of),
            seconds: building.seconds,
            phase: HUNG,
            unchangedSeconds: building.unchanged,
          },
    planned: expected.planned === undefined ? null : new Map(planned),
    missingFolders: (expected.missingFolders ?? []).map(key),
    buildFailed: (expected.buildFailed ?? []).map(key),
    restarting: (expected.restarting ?? []).map(key),
    restarted: (expected.restarted ?? []).map(key),
    failed: Object.entries(expected.failed ?? {}).map(([session, step]) => ({
      key: key(session),
      step,
    })),
    finished: expected.finished ?? null,
  };
}

describe('the output of an update', () => {
  it('is known from every version and scenario', () => {
    // A capture that is not found would not be missed below.
    expect(all).toHaveLength(22 + 22 + 25 + 3 * 3 + 9);
  });

  it.each(all)('is understood: $name', ({ name, bytes }) => {
    const expected = expectationFor(name);
    const lines = readLines(bytes);
    expect(followLines(lines)).toEqual(expected);
    expect(followLines(lines, followLines(lines))).toEqual(expected);
    expect(readLines(bytes, [1])).toEqual(lines);
  });

  it('shows each line as one without colours', () => {
    const capture = all.find(({ name }) => name === '1.7.0/update/tty-yes-alpha.tty');
    const texts = readLines(capture?.bytes ?? Buffer.alloc(0)).map(({ text }) => text);
    expect(texts.slice(0, 3)).toEqual([
      '[sandy] Found 1 daemon session(s) (scoped to /home/dev/ws/alpha).',
      '[sandy] Refreshing images for alpha-ea067652 (/home/dev/ws/alpha)...',
      '',
    ]);
  });
});
