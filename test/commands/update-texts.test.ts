import { describe, expect, test } from 'vitest';
import { updateTexts } from '../../src/commands/update-texts.ts';
import type { RunOutcome } from '../../src/store/run-record.ts';

const outcome = (parts: Partial<RunOutcome>): RunOutcome => ({
  kind: 'ok',
  text: null,
  restarted: [],
  candidates: [],
  skipped: [],
  failed: [],
  ...parts,
});

const busy = { key: 'b', reason: 'active (idle 3m < 30m)' };
const unbuilt = { key: 'b', reason: 'build failed' };
const lost = { key: 'c', reason: 'did not come back' };

describe('what an update came to', () => {
  test.each<[string, Partial<RunOutcome>, string]>([
    ['nothing was there', {}, 'Nothing was restarted: no session needed it.\n'],
    [
      'all are current',
      { skipped: [{ key: 'b', reason: 'current' }] },
      'Nothing was restarted: no session needed it.\n  b  skipped: current\n',
    ],
    [
      'one is in use',
      { skipped: [busy] },
      'Nothing was restarted: 1 session was left as it was, since it is in use.\n  b  skipped: active (idle 3m < 30m)\n',
    ],
    [
      'one failed',
      { kind: 'failed', restarted: ['a'], failed: [lost] },
      '1 restarted, 1 failed.\n  a  restarted\n  c  did not come back\n',
    ],
    [
      'an image could not be built',
      { kind: 'failed', text: 'a reason', restarted: ['a', 'd'], skipped: [unbuilt] },
      'The update failed: a reason.\n2 sessions were restarted.\n  a  restarted\n  d  restarted\n  b  skipped: build failed\n',
    ],
    [
      'the same, and one failed',
      { kind: 'failed', text: 'a reason', failed: [lost], skipped: [unbuilt] },
      'The update failed: a reason.\nNo session was restarted, and 1 failed.\n  c  did not come back\n  b  skipped: build failed\n',
    ],
    [
      'it was cancelled',
      { kind: 'cancelled', restarted: ['a'] },
      'Cancelled; 1 restarted before.\n  a  restarted\n',
    ],
  ])('%s', (_what, parts, expected) => {
    expect(updateTexts.sum(outcome(parts))).toBe(expected);
  });
});
