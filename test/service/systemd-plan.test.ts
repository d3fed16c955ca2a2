import { expect, test } from 'vitest';
import type { UnitLook } from '../../src/service/systemd-look.ts';
import { planAgentUnit } from '../../src/service/systemd-plan.ts';

const idle: UnitLook = {
  isActive: false,
  isFailed: false,
  fileState: 'enabled',
  mainPid: null,
  needsReload: false,
  nextAt: '',
  endedAt: '',
  exitCode: 0,
  result: 'success',
};
const failed: UnitLook = { ...idle, isFailed: true, result: 'exit-code' };
const unit = { path: '/units/sandy-tray.service', text: 'new', before: 'new' };

/** The commands, without the words that all of them begin with. */
const plan = (look: UnitLook, before: string | null, running: 'in-order' | 'by-hand') =>
  planAgentUnit(
    {
      kind: 'reachable',
      agent: look,
      timer: idle,
      update: idle,
      hasDesktop: true,
      unitFolder: '/units',
    },
    { ...unit, before },
    running,
  ).map((step) => (step.kind === 'run' ? step.argv.slice(2).join(' ') : step.kind));

test('a unit that failed is forgiven before it is started', () => {
  expect(plan(failed, 'new', 'in-order')).toEqual([
    'reset-failed sandy-tray.service',
    'start sandy-tray.service',
  ]);
  expect(plan(idle, 'new', 'in-order')).toEqual(['start sandy-tray.service']);
  // systemd forgets nothing by reading its files again.
  expect(plan(failed, 'old', 'in-order')).toEqual([
    'write',
    'daemon-reload',
    'reset-failed sandy-tray.service',
    'start sandy-tray.service',
  ]);
  const disabled = { ...failed, fileState: 'disabled' };
  expect(plan(disabled, 'new', 'in-order')).toEqual([
    'reset-failed sandy-tray.service',
    'enable --now sandy-tray.service',
  ]);
});

test('it is forgiven beside an agent by hand too: the service is to take over later', () => {
  expect(plan(failed, 'new', 'by-hand')).toEqual(['reset-failed sandy-tray.service']);
});
