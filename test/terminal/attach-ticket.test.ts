import { setTimeout as pause } from 'node:timers/promises';
import { describe } from 'vitest';
import { type IssuedTicket, issueTicket } from '../../src/terminal/tickets.ts';
import { find } from '../agent/running-agent.ts';
import { type Desk, seesInside, type Terminal, test } from '../attach/terminals.ts';

function issue({ stage }: Desk, workspace: string, variables = {}): IssuedTicket {
  const content = { errand: { kind: 'attach', key: null, workspace }, variables } as const;
  const times = { nowMs: Date.now(), lifeMs: 600_000 };
  const issuing = issueTicket(stage.program.ownFolder, content, times);
  if (issuing.kind !== 'issued') throw new Error(issuing.errorCode);
  return issuing.ticket;
}

/** Waits longer than keys are ignored for, sees that the window is still there, and presses one. */
async function closeByKey(window: Terminal, key: string): Promise<number> {
  await window.sees('[any key closes this window]');
  await pause(1_200);
  if (window.isOver()) throw new Error('it did not wait');
  window.type(key);
  return await window.ends();
}

/** What a ticket of the program of this test carries. */
function carriedOf({ stage }: Desk): Record<string, string> {
  const { SANDY_TRAY_DIR = '', SANDY_TRAY_SANDY = '' } = stage.program.environment;
  return { SANDY_TRAY_DIR, SANDY_TRAY_SANDY };
}

describe.concurrent('attach --ticket', () => {
  test('attaches once; a second window says so and waits for a key', async ({ desk, expect }) => {
    const fleet = await desk.stage.addFleet(['alpha']);
    const alpha = find(fleet, 'alpha');
    const { word } = issue(desk, alpha.workspace, carriedOf(desk));
    const window = desk.attach(['--ticket', word], {
      variables: { SANDY_TRAY_SANDY: '/no/where' },
    });
    await seesInside(window, fleet, alpha);
    const second = desk.attach(['--ticket', word]);
    await second.sees('its ticket was used before');
    expect(await closeByKey(second, 'x')).toBe(4);
    expect(window.isOver()).toBe(false);
  });

  test.for(['', 'nonsense', '../../x', '-e'])(
    'with %j, which is no ticket, says so and waits',
    async (word, { desk, expect }) => {
      const window = desk.attach([`--ticket=${word}`]);
      await window.sees('This window came too late');
      expect(await closeByKey(window, '\r')).toBe(4);
    },
  );

  test('says what is wrong with what it was given, and waits', async ({ desk, expect }) => {
    const fleet = await desk.stage.addFleet(['alpha']);
    const variables = { ...carriedOf(desk), SANDY_TRAY_TIME_SCALE: 'fast' };
    const { word } = issue(desk, find(fleet, 'alpha').workspace, variables);
    const window = desk.attach(['--ticket', word]);
    await window.sees('SANDY_TRAY_TIME_SCALE is not a number above 0: "fast"');
    expect(await closeByKey(window, '\x03')).toBe(2);
  });

  test('takes nothing where there is no terminal, or with a session as well', async ({
    desk,
    expect,
  }) => {
    const fleet = await desk.stage.addFleet(['alpha']);
    const ticket = issue(desk, find(fleet, 'alpha').workspace, carriedOf(desk));
    for (const args of [
      ['--ticket', ticket.word],
      ['alpha', '--ticket', ticket.word],
      ['--ticket'],
    ]) {
      const { code, stdout, stderr } = await desk.stage.program.run(['attach', ...args]);
      expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
      expect(stderr).toMatch(/^[^\n]+\.\nUsage: sandy-tray attach [^\n]+\n$/);
    }
    expect(ticket.withdraw()).toBe('withdrawn');
  });

  test('is not in the help', async ({ desk, expect }) => {
    const { stdout } = await desk.stage.program.run(['attach', '--help']);
    expect(stdout).not.toContain('ticket');
  });
});
