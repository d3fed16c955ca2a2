import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { describe } from 'vitest';
import { makeRun } from '../../src/agent/run-making.ts';
import { newModel } from '../../src/fleet/model.ts';
import { openRunFolders } from '../../src/store/run-folders.ts';
import { type Errand, type IssuedTicket, issueTicket } from '../../src/terminal/tickets.ts';
import { find, takeAway } from '../agent/running-agent.ts';
import { callsOf, type Desk, seesInside, type Terminal, test } from '../attach/terminals.ts';
import { allNotices, defaultWindows } from '../fleet/watched-fleet.ts';

function issue(
  desk: Desk,
  workspace: string,
  variables = {},
  how: { readonly key?: string; readonly startsFirst?: true } = {},
): IssuedTicket {
  return issueFor(desk, { kind: 'attach', key: null, workspace, ...how }, variables);
}

function issueFor({ stage }: Desk, errand: Errand, variables = {}): IssuedTicket {
  const times = { nowMs: Date.now(), lifeMs: 600_000 };
  const issuing = issueTicket(stage.program.ownFolder, { errand, variables }, times);
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

  test('starts a session with what the login shell sets, which the window lacks', async ({
    desk,
    expect,
  }) => {
    desk.stage.scale(5);
    const fleet = await desk.stage.addFleet([{ name: 'alpha', running: false }]);
    const alpha = find(fleet, 'alpha');
    const { home } = desk.stage.program;
    writeFileSync(join(home, '.bash_profile'), 'export FROM_THE_PROFILE=1\n');
    const variables = { SHELL: '/bin/bash', FROM_THE_SERVICE: '1' };
    const { word } = issue(desk, alpha.workspace, {
      ...carriedOf(desk),
      SANDY_TRAY_TIME_SCALE: '5',
    });
    const window = desk.attach(['--ticket', word], { variables });
    await window.sees('[Enter starts it');
    await window.presses('\r');
    await seesInside(window, fleet, alpha);
    const names = (verb: string) => callsOf(fleet, verb).map(({ envNames }) => envNames);
    expect(names('--start')).toEqual([
      expect.arrayContaining(['FROM_THE_PROFILE', 'FROM_THE_SERVICE', 'TERM']),
    ]);
    // Nor does anything wait for the login shell that needs nothing of it.
    for (const verb of ['--print-state', '--attach']) {
      expect(names(verb).flat()).not.toContain('FROM_THE_PROFILE');
    }
    expect(names('--attach')).toHaveLength(1);
  });

  test('starts a session from a terminal of the person’s own with that one’s environment', async ({
    desk,
    expect,
  }) => {
    desk.stage.scale(5);
    const fleet = await desk.stage.addFleet([{ name: 'alpha', running: false }]);
    const alpha = find(fleet, 'alpha');
    writeFileSync(join(desk.stage.program.home, '.bash_profile'), 'export FROM_THE_PROFILE=1\n');
    const terminal = desk.attach([alpha.workspace], { variables: { SHELL: '/bin/bash' } });
    await terminal.sees('[Enter starts it');
    await terminal.presses('\r');
    await seesInside(terminal, fleet, alpha);
    expect(callsOf(fleet, '--start').flatMap(({ envNames }) => envNames)).not.toContain(
      'FROM_THE_PROFILE',
    );
  });

  test('that asks for a start makes one of a session that an update lost, once nobody is at work', async ({
    desk,
    expect,
  }) => {
    const { stage } = desk;
    stage.scale(5);
    stage.configure({ returnWindowSeconds: 10 });
    const fleet = await stage.addFleet(['alpha', { name: 'bravo', build: 'hangs' }]);
    const alpha = find(fleet, 'alpha');
    const agent = await stage.startAgent();
    await agent.seesState(alpha, 'detached');
    const cron = await takeAway(stage, fleet, alpha);
    await agent.seesState(alpha, 'overdue');
    const variables = { ...carriedOf(desk), SANDY_TRAY_TIME_SCALE: '5' };
    const how = { key: alpha.key, startsFirst: true } as const;
    const window = desk.attach(['--ticket', issue(desk, alpha.workspace, variables, how).word]);
    await window.sees(`[not started: An update started elsewhere is running (pid ${cron.pid})`);
    expect(callsOf(fleet, '--start')).toEqual([]);
    cron.child.kill('SIGKILL');
    await cron.ended;
    const second = desk.attach(['--ticket', issue(desk, alpha.workspace, variables, how).word]);
    await seesInside(second, fleet, alpha);
    expect(callsOf(fleet, '--start')).toMatchObject([{ tty: true }]);
    // By now there is nothing to start.
    const third = desk.attach(['--ticket', issue(desk, alpha.workspace, variables, how).word]);
    await seesInside(third, fleet, alpha);
    expect(callsOf(fleet, '--start')).toHaveLength(1);
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

describe.concurrent('a window for what an update printed', () => {
  /** A run that is over, with its output; null: it printed nothing. */
  function addRun({ stage }: Desk, output: string | null): string {
    const asked = { op: 'update', keys: null, idleForMinutes: null, rebuild: false } as const;
    const by = { origin: 'menu', onTerminal: false } as const;
    const record = makeRun(asked, by, newModel(defaultWindows, allNotices));
    const folders = openRunFolders(stage.program.ownFolder);
    folders.create({ ...record, endedAt: Date.now() });
    if (output !== null) writeFileSync(folders.logPath(record.id), output);
    return record.id;
  }

  test.for([
    ['its lines', 'Restarting atlas...\n', 'Restarting atlas...', 0],
    ['that there are none', null, 'It printed nothing.', 0],
    ['that they are gone', undefined, 'is not kept any more', 1],
  ] as const)('shows of one that is over, without an agent, %s', async (one, { desk, expect }) => {
    const [, output, words, code] = one;
    addRun(desk, 'Restarting another...\n');
    const id = output === undefined ? '../gone' : addRun(desk, output);
    const { word } = issueFor(desk, { kind: 'read-run', id }, carriedOf(desk));
    const window = desk.attach(['--ticket', word]);
    await window.sees(words);
    expect(await closeByKey(window, 'x')).toBe(code);
  });
});
