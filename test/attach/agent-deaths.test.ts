import { mkdirSync, readFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { describe } from 'vitest';
import {
  type Fleet,
  readEvents,
  type Session,
  setKnobs,
} from '../../fixtures/fake-sandy/fleet.mjs';
import { find, type RunningAgent, until } from '../agent/running-agent.ts';
import {
  attachesOf,
  callsOf,
  type Desk,
  earlyAttaches,
  settles,
  type Terminal,
  test,
} from './terminals.ts';

interface Scene {
  readonly fleet: Fleet;
  readonly alpha: Session;
  readonly terminal: Terminal;
  readonly agent: RunningAgent;
  /** Kills the agent and starts another one. */
  readonly replaceAgent: () => Promise<void>;
  readonly stop: () => Promise<unknown>;
  readonly start: () => Promise<unknown>;
}

/** A terminal that is in, through an agent. */
async function enter(
  { stage, ...desk }: Desk,
  { scale = 5, delays = {} }: { scale?: number; delays?: Record<string, number> } = {},
): Promise<Scene> {
  stage.scale(scale);
  stage.configure({ returnWindowSeconds: 60 });
  const fleet = await stage.addFleet(['alpha'], { delays });
  const alpha = find(fleet, 'alpha');
  let agent = await stage.startAgent({ watched: false });
  await stage.logs('baseline');
  const first = agent;
  const terminal = desk.attach([alpha.key]);
  await settles(terminal, fleet, alpha);
  const run = (verb: string) => stage.sandy(fleet, verb, '--workspace', alpha.workspace).ended;
  return {
    fleet,
    alpha,
    terminal,
    agent: first,
    async replaceAgent() {
      agent.signal('SIGKILL');
      await agent.ended;
      agent = await stage.startAgent({ watched: false });
    },
    stop: () => run('--stop'),
    start: () => run('--start'),
  };
}

describe.concurrent('an agent that is killed and started again while a terminal', () => {
  test('is attached: one attach at the return', async ({ desk, expect }) => {
    const { fleet, alpha, terminal, replaceAgent } = await enter(desk);
    await replaceAgent();
    desk.stage.sandy(fleet, '--update-sessions', '--yes');
    await terminal.sees('was restarted for updates');
    await settles(terminal, fleet, alpha);
    expect(attachesOf(fleet, alpha)).toHaveLength(2);
  });

  test('waits for one that is gone: one attach at the return', async ({ desk, expect }) => {
    const { fleet, alpha, terminal, replaceAgent, stop, start } = await enter(desk);
    await stop();
    await terminal.sees('is gone; it may');
    await replaceAgent();
    await start();
    await terminal.sees('attaching again');
    await settles(terminal, fleet, alpha);
    expect(attachesOf(fleet, alpha)).toHaveLength(2);
    expect(earlyAttaches(fleet, alpha)).toEqual([]);
  });

  test('waits for one that is gone: the window is neither refilled nor shortened', async ({
    desk,
    expect,
  }) => {
    // Twelve seconds of which nine are spent when the agent dies.
    const { fleet, alpha, terminal, replaceAgent, stop } = await enter(desk);
    const windowMs = 12_000;
    await stop();
    await terminal.sees('is gone; it may');
    const goneAt = Date.now();
    await until(
      () => Date.now() - goneAt > windowMs * 0.75,
      () => 'three quarters of the window',
    );
    await replaceAgent();
    const replacedAt = Date.now();
    await terminal.sees(`[${alpha.key} did not come back]`);
    expect(Date.now() - goneAt).toBeGreaterThanOrEqual(windowMs * 0.95);
    expect(Date.now() - replacedAt).toBeLessThan(windowMs * 0.75);
    expect(attachesOf(fleet, alpha)).toHaveLength(1);
  });

  test('waits for one that is starting: one attach, when it is ready', async ({ desk, expect }) => {
    const { fleet, alpha, terminal, replaceAgent } = await enter(desk, {
      delays: { innerMs: 20_000 },
    });
    desk.stage.sandy(fleet, '--update-sessions', '--yes');
    await terminal.sees('is starting');
    await replaceAgent();
    await terminal.sees('was restarted for updates');
    await settles(terminal, fleet, alpha);
    expect(attachesOf(fleet, alpha)).toHaveLength(2);
    expect(earlyAttaches(fleet, alpha)).toEqual([]);
  });

  test('is attaching: still the same attach', async ({ desk, expect }) => {
    const { fleet, alpha, terminal, replaceAgent, stop, start } = await enter(desk);
    await stop();
    await start();
    setKnobs(fleet.dir, { commands: { '--attach': { delayMs: 10_000 } } });
    await until(
      () => attachesOf(fleet, alpha).length === 2,
      () => 'the attach',
    );
    await replaceAgent();
    await settles(terminal, fleet, alpha);
    terminal.type('touch here\r');
    await terminal.sees('touched here');
    expect(attachesOf(fleet, alpha)).toHaveLength(2);
  });

  test('has given up: said when it is back, attached at Enter', async ({ desk, expect }) => {
    const { fleet, alpha, terminal, replaceAgent, stop, start } = await enter(desk, { scale: 20 });
    await stop();
    await terminal.sees(`[${alpha.key} did not come back]`);
    await terminal.sees('q quits]');
    await replaceAgent();
    await start();
    await terminal.sees(`[${alpha.key} is back; Enter attaches]`);
    await terminal.sees('q quits]');
    expect(attachesOf(fleet, alpha)).toHaveLength(1);
    await terminal.presses('\r');
    await settles(terminal, fleet, alpha);
    expect(attachesOf(fleet, alpha)).toHaveLength(2);
  });

  test('was just detached: left as detached, at once', async ({ desk, expect }) => {
    const { fleet, alpha, terminal, agent } = await enter(desk);
    agent.signal('SIGKILL');
    terminal.type('\x02d');
    await terminal.sees(`[detached from ${alpha.key}; it keeps running]`);
    expect(await terminal.ends()).toBe(3);
    expect(attachesOf(fleet, alpha)).toHaveLength(1);
  });
});

describe.concurrent('a look that does not end', () => {
  for (const state of ['an agent', 'nobody'] as const) {
    test(`by ${state} keeps a detached terminal for two seconds at most`, async ({
      desk,
      expect,
    }) => {
      const { fleet, alpha, terminal, agent } = await enter(desk);
      if (state === 'nobody') {
        agent.signal('SIGKILL');
        await agent.ended;
      }
      setKnobs(fleet.dir, { commands: { '--print-state': { output: 'hang' } } });
      terminal.type('\x02d');
      await terminal.sees('[detached (from session sandy)]');
      const leftAt = Date.now();
      await terminal.sees(`[detached from ${alpha.key}; it keeps running]`);
      expect(await terminal.ends()).toBe(3);
      // The process that hangs is killed on the way out.
      expect(Date.now() - leftAt).toBeLessThan(10_000);
    });
  }
});

describe.concurrent('an agent that', () => {
  test('hangs while a terminal waits is done without', async ({ desk, expect }) => {
    const { fleet, alpha, terminal, agent, stop, start } = await enter(desk);
    await stop();
    await terminal.sees('is gone; it may');
    agent.signal('SIGSTOP');
    try {
      await start();
      await terminal.sees('attaching again');
      await settles(terminal, fleet, alpha);
      expect(attachesOf(fleet, alpha)).toHaveLength(2);
    } finally {
      agent.signal('SIGCONT');
    }
  });

  test('hangs from before its terminal waits is done without, too', async ({ desk, expect }) => {
    const { fleet, alpha, terminal, agent, stop, start } = await enter(desk);
    agent.signal('SIGSTOP');
    try {
      await stop();
      await start();
      await terminal.sees('attaching again');
      await settles(terminal, fleet, alpha);
      expect(attachesOf(fleet, alpha)).toHaveLength(2);
    } finally {
      agent.signal('SIGCONT');
    }
  });

  test('speaks another protocol is said, and done without', async ({ desk, expect }) => {
    const { stage } = desk;
    stage.scale(5);
    const fleet = await stage.addFleet(['alpha']);
    const alpha = find(fleet, 'alpha');
    mkdirSync(stage.program.ownFolder, { recursive: true });
    const newer = createServer((socket) => {
      socket.on('error', () => {});
      socket.write(`${JSON.stringify({ kind: 'hello', protocol: 99 })}\n`);
    });
    await new Promise<void>((resolve) => {
      newer.listen(join(stage.program.ownFolder, 'agent.sock'), resolve);
    });
    try {
      const terminal = desk.attach([alpha.key]);
      await terminal.sees('The running agent is of another version');
      await settles(terminal, fleet, alpha);
      await stage.sandy(fleet, '--stop', '--workspace', alpha.workspace).ended;
      await stage.sandy(fleet, '--start', '--workspace', alpha.workspace).ended;
      await terminal.sees('attaching again');
      await settles(terminal, fleet, alpha);
      expect(attachesOf(fleet, alpha)).toHaveLength(2);
    } finally {
      newer.close();
    }
  });

  test('starts while a terminal waits alone changes nothing for it', async ({ desk, expect }) => {
    const { stage } = desk;
    stage.scale(5);
    const fleet = await stage.addFleet(['alpha']);
    const alpha = find(fleet, 'alpha');
    const terminal = desk.attach([alpha.key]);
    await settles(terminal, fleet, alpha);
    await stage.sandy(fleet, '--stop', '--workspace', alpha.workspace).ended;
    await terminal.sees('is gone; it may');
    await stage.startAgent({ watched: false });
    await stage.sandy(fleet, '--start', '--workspace', alpha.workspace).ended;
    await terminal.sees('attaching again');
    await settles(terminal, fleet, alpha);
    expect(attachesOf(fleet, alpha)).toHaveLength(2);
  });

  test('died in an absence leaves what it knew of it: the update is still awaited', async ({
    desk,
    expect,
  }) => {
    const { fleet, alpha, terminal, agent } = await enter(desk, {
      scale: 10,
      delays: { beforeLockMs: 100_000 },
    });
    const cron = desk.stage.sandy(fleet, '--update-sessions', '--yes');
    await terminal.sees('restarts for an update');
    await until(
      () => readEvents(fleet.dir).some(({ why }) => why === 'start-asked'),
      () => 'the start',
    );
    const saved = join(desk.stage.program.ownFolder, 'state.json');
    await until(
      () => readFileSync(saved, 'utf8').includes('update-process'),
      () => 'the evidence on the disk',
    );
    agent.signal('SIGKILL');
    await agent.ended;
    // The start goes on without the update that asked for it: nothing alive tells of one.
    cron.child.kill('SIGKILL');
    // A window of a minute, and a start that takes longer.
    await terminal.sees('was restarted for updates');
    await settles(terminal, fleet, alpha);
    expect(terminal.bytes()).not.toContain('did not come back');
    expect(attachesOf(fleet, alpha)).toHaveLength(2);
    expect(callsOf(fleet, '--start')).toHaveLength(1);
    expect(readEvents(fleet.dir).filter(({ why }) => why === 'start-asked')).toHaveLength(1);
  });
});
