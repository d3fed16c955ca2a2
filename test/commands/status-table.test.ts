import { expect, test } from 'vitest';
import { drawStatus } from '../../src/commands/status-table.ts';
import type { RunView } from '../../src/fleet/view.ts';
import { makeFleet } from '../control/fleets.ts';
import { finishedRun } from '../tray/fleet-sketches.ts';

const reader = { now: new Date('2026-11-29T12:00:00Z'), home: null };

test.each<[string, Partial<RunView>, string]>([
  ['came to its end', {}, ': 2 restarted, 0 failed.'],
  [
    'failed',
    { outcome: 'failed', reason: 'the image of a could not be built' },
    ' failed: the image of a could not be built. 2 sessions were restarted.',
  ],
  [
    'failed with words from outside',
    { outcome: 'failed', reason: '\u001b[31mno\nspace', restarted: [] },
    ' failed: no↵space. No session was restarted.',
  ],
])('the last update %s', (_what, parts, expected) => {
  const document = { ...makeFleet(1), lastRun: finishedRun(parts), epoch: null, rev: 0 };
  const line = drawStatus({ ...document, agent: null }, reader)
    .split('\n')
    .find((one) => one.startsWith('Last update'));
  expect(line?.replace(/^Last update .* to [\d:]+\d/, '')).toBe(expected);
});

test('that of an older agent, which gave no reason', () => {
  const { reason: _, ...lastRun } = finishedRun({ outcome: 'failed' });
  const document = { ...makeFleet(1), lastRun: lastRun as RunView, epoch: null, rev: 0 };
  expect(drawStatus({ ...document, agent: null }, reader)).toMatch(
    /^Last update .* failed\. 2 sessions were restarted\.$/m,
  );
});
