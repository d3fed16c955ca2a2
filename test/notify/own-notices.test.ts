import { expect, test } from 'vitest';
import { composeAnswer, composeProgress } from '../../src/notify/own-notices.ts';
import { run } from '../tray/fleet-sketches.ts';

test('how far a run has come offers what it printed, and only where that is here', () => {
  const own = composeProgress(run({ id: 'run-2' }), 0);
  expect(own).toMatchObject({ key: 'progress:run-2', runs: ['run-2'] });
  expect(own.actions).toEqual([{ id: 'output', label: 'Show output' }]);
  expect(composeProgress(run({ origin: 'outside', log: null }), 0).actions).toEqual([]);
});

test.each([
  ['refused', 'That could not be done'],
  ['done', 'sandy sessions'],
  ['checked', 'Checked for updates'],
] as const)('an answer of the kind %s is headed “%s”', (kind, title) => {
  expect(composeAnswer('So it is.', kind, 5)).toMatchObject({
    kind: 'answer',
    at: 5,
    title,
    body: 'So it is.',
  });
});
