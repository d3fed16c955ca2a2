import { mkdirSync } from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { describe, onTestFinished, expect as plainExpect, test as plainTest } from 'vitest';
import type { AgentContact } from '../../src/commands/agent-connection.ts';
import { checkAgent } from '../../src/commands/doctor-agent.ts';
import { type AgentService, describeAgentService } from '../../src/commands/doctor-service.ts';
import type { StatusDocument } from '../../src/control/status-document.ts';
import type { Host } from '../../src/service/host.ts';
import { holdAgentLock } from './agent-lock-holder.ts';
import { type Services, test, withDesktop } from './services.ts';

const RESTART = 'systemctl --user restart sandy-tray.service';

async function examine(services: Services) {
  const { stdout } = await services.run(['doctor', '--json']);
  const { checks } = JSON.parse(stdout);
  return checks.filter((check: { readonly name: string }) => check.name === 'agent');
}

/** What a manager says whose service is this process, or has none. */
const withService = (pid: number | null) => ({
  ...withDesktop,
  'sandy-tray.service': { active: pid !== null, enabled: true, MainPID: pid ?? 0 },
});

describe.concurrent('what mends an agent', () => {
  test('that hangs: its end first, and then another', async ({ services, stage, expect }) => {
    await stage.addFleet(['alpha']);
    const environment = stage.program.environment as Record<string, string>;
    environment.PATH = `${services.bin}:${environment.PATH}`;
    const agent = await stage.startAgent({ watched: false });
    agent.signal('SIGSTOP');
    try {
      const hung = { name: 'agent', level: 'fail', fact: 'one runs and does not answer' };
      const end = `End it with: kill -9 ${agent.pid}. Once it is gone: `;
      expect(await examine(services)).toEqual([{ ...hung, remedy: `${end}sandy-tray run` }]);
      await services.run(['install']);
      services.set({ units: withService(null) });
      expect(await examine(services)).toEqual([{ ...hung, remedy: `${end}${RESTART}` }]);
      services.set({ units: withService(agent.pid) });
      expect(await examine(services)).toEqual([{ ...hung, remedy: RESTART }]);
      const { stderr } = await services.run(['status']);
      expect(stderr).toContain(
        'The agent does not answer; this goes on without it. Restart it as sandy-tray doctor says.\n',
      );
    } finally {
      agent.signal('SIGCONT');
    }
    await agent.stop();
  });

  test('that speaks another protocol', async ({ services, expect }) => {
    const state = join(services.home, '.local', 'state', 'sandy-tray');
    mkdirSync(state, { recursive: true, mode: 0o700 });
    const release = await holdAgentLock(state, '99.0.0');
    const server = createServer((socket) => {
      socket.on('error', () => {});
      socket.write(`${JSON.stringify({ kind: 'hello', protocol: 99 })}\n`);
    });
    await new Promise<void>((resolve) => server.listen(join(state, 'agent.sock'), resolve));
    onTestFinished(async () => {
      server.close();
      await release();
    });
    const other = {
      name: 'agent',
      level: 'fail',
      fact: "one of another version runs, which this program can't talk to",
    };
    const byHand = `End it with: kill ${process.pid}. Once it is gone: sandy-tray run`;
    expect(await examine(services)).toEqual([{ ...other, remedy: byHand }]);
    await services.run(['install']);
    services.set({ units: withService(process.pid) });
    expect(await examine(services)).toEqual([{ ...other, remedy: 'sandy-tray install' }]);
  });
});

describe('an agent that was left behind by an upgrade', () => {
  const agent = { pid: 7, version: '1.0.0', troubles: [], tray: 'off', trayReason: null };
  const contact = {
    kind: 'connected',
    status: { agent, run: null } as unknown as StatusDocument,
  } as AgentContact;
  const byHand = 'End it with: kill 7. Once it is gone: ';
  const host: Host = {
    platform: 'darwin',
    environment: {},
    home: '/',
    uid: 501,
    timeScale: 1,
  };
  const job = (pid: number | null) =>
    describeAgentService(host, {
      kind: 'launchd',
      agent: { isLoaded: true, pid, exitCode: null },
      update: { isLoaded: false, pid: null, exitCode: null },
    });

  plainTest.each<[string, AgentService | null, object]>([
    ['by hand', null, { kind: 'sentence', text: `${byHand}sandy-tray run` }],
    ['as a service', job(7), { kind: 'command', text: 'sandy-tray install' }],
    [
      'by hand, with a service',
      job(null),
      { kind: 'sentence', text: `${byHand}sandy-tray install` },
    ],
  ])('%s', (_, service, remedy) => {
    const [check] = checkAgent(contact, { holder: null, service, ownVersion: '2.0.0' });
    plainExpect(check).toEqual({
      name: 'agent',
      level: 'warn',
      fact: 'runs as 1.0.0, and this is 2.0.0',
      remedy,
    });
  });

  plainTest('a job of launchd that hangs is restarted by it', () => {
    const silent: AgentContact = { kind: 'alone', text: 'x', isSilent: true, errorCode: null };
    const holder = { pid: 7, version: '2.0.0' };
    const [check] = checkAgent(silent, { holder, service: job(7), ownVersion: '2.0.0' });
    plainExpect(check?.remedy).toEqual({
      kind: 'command',
      text: 'launchctl kickstart -k gui/501/dev.sandy.tray',
    });
  });

  plainTest('one that nobody can name is to be found', () => {
    const silent: AgentContact = { kind: 'alone', text: 'x', isSilent: true, errorCode: null };
    const [check] = checkAgent(silent, { holder: null, service: null, ownVersion: '2.0.0' });
    plainExpect(check?.remedy?.text).toBe(
      'Find it with ps and end it. Once it is gone: sandy-tray run',
    );
  });
});
