import { expect, test } from 'vitest';
import { parseUnits } from '../../src/service/systemd-look.ts';
import { planAgentUnit } from '../../src/service/systemd-plan.ts';

const agent = (properties: string) => {
  const look = parseUnits(`Id=agent\n${properties}`).get('agent');
  if (look === undefined) throw new Error('no unit');
  return look;
};
const idle = agent('ActiveState=inactive\nUnitFileState=enabled');
const failed = agent('ActiveState=failed\nUnitFileState=enabled\nResult=start-limit-hit');
const unit = { path: '/units/sandy-tray.service', text: 'new', before: 'new' };

/** The commands, without the words that all of them begin with. */
const plan = (look: typeof idle, before: string | null, running: 'in-order' | 'by-hand') =>
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
