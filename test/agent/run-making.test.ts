import { describe, expect, test } from 'vitest';
import { isForgotten, makeRun } from '../../src/agent/run-making.ts';
import { newModel } from '../../src/fleet/model.ts';
import { windowsFrom } from '../../src/fleet/windows.ts';
import type { RunRecord, RunStep } from '../../src/store/run-record.ts';
import { allNotices } from '../fleet/watched-fleet.ts';

const MINUTE_MS = 60_000;
const settings = {
  pollFullSeconds: 900,
  returnWindowSeconds: 90,
  watchMinutes: 15,
  settleSeconds: 60,
};

function makeRecord(steps: readonly Partial<RunStep>[] = [{}, {}]): RunRecord {
  const model = newModel(windowsFrom(settings, 1), allNotices);
  const asked = { op: 'update', keys: ['a', 'b'], idleForMinutes: null, rebuild: false } as const;
  const record = makeRun(asked, { origin: 'cli', onTerminal: false }, model);
  return {
    ...record,
    askedAt: 0,
    steps: record.steps.map((step, index) => ({ ...step, ...steps[index] })),
  };
}

describe('what was left unfinished is forgotten', () => {
  test.for([
    ['never begun, and just asked for', [], 14, false],
    ['never begun, a quarter of an hour ago', [], 15, true],
    ['a step that ended just now', [{ startedAt: 0, endedAt: 590 * MINUTE_MS }], 600, false],
    ['a step that ended long ago', [{ startedAt: 0, endedAt: 0 }], 600, true],
  ] as const)('%s', ([_, steps, minutes, expected]) => {
    expect(isForgotten(makeRecord(steps), minutes * MINUTE_MS)).toBe(expected);
  });
});
