import { existsSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect } from 'vitest';
import {
  livePids,
  readCalls,
  replaceContainer,
  setKnobs,
} from '../../fixtures/fake-sandy/fleet.mjs';
import { expectFine, find, takeAway, test, until } from './running-agent.ts';

const UPDATED = '2026-01-02T03:04:01Z';

describe.concurrent('what is known is saved', () => {
  test.for([
    ['docker down at boot', { docker: 'down' }],
    ['a look that never ends', { commands: { '--print-state': { output: 'hang' } } }],
  ] as const)('with %s', async ([, trouble], { stage }) => {
    stage.scale(20);
    const fleet = await stage.addFleet(['alpha', { name: 'bravo', build: 'hangs' }]);
    const alpha = find(fleet, 'alpha');
    const first = await stage.startAgent();
    await stage.logs('baseline');
    const cron = await takeAway(stage, fleet, alpha);
    await first.seesState(alpha, 'overdue');
    cron.child.kill('SIGKILL');
    await first.stop();

    setKnobs(fleet.dir, trouble);
    const looks = readCalls(fleet.dir).length;
    const second = await stage.startAgent();
    await until(
      () => readCalls(fleet.dir).length > looks,
      () => 'a look',
    );
    expect(second.newest().failures).toMatchObject([{ key: alpha.key }]);
    expectFine(await stage.program.run(['ack', 'alpha']));
    second.signal('SIGKILL');
    await second.ended;

    // It ends at once, whatever its look does, and takes the hung sandy with it.
    const third = await stage.startAgent();
    await until(
      () => readCalls(fleet.dir).length > looks + 1,
      () => 'a look',
    );
    expect(third.newest().failures).toEqual([]);
    expect(await stage.noticesAtEnd(third)).toEqual(['late alpha']);
    const own = readCalls(fleet.dir).filter(({ ppid }) => ppid === third.pid);
    expect(own.some(({ pid }) => livePids(fleet.dir).includes(pid))).toBe(false);
  });

  test('and a state that cannot be read is kept', async ({ stage }) => {
    const { program } = stage;
    await stage.addFleet(['alpha', 'bravo']);
    const first = await stage.startAgent();
    await stage.logs('baseline');
    await first.stop();
    const path = join(program.ownFolder, 'state.json');
    const broken = readFileSync(path, 'utf8').slice(0, 100);
    writeFileSync(path, broken);
    const second = await stage.startAgent();
    await second.sees(({ sessions }) => sessions.length === 2, 'both sessions');
    second.signal('SIGTERM');
    expect(await second.ended).toEqual({ code: 0, signal: null });
    expect(second.stderr()).toContain(`${path}.bad`);
    expect(second.stderr().trimEnd().split('\n')).toHaveLength(1);
    expect(readFileSync(`${path}.bad`, 'utf8')).toBe(broken);
    expect(JSON.parse(readFileSync(path, 'utf8')).rows).toHaveLength(2);
    expect((await stage.readLog()).filter(({ kind }) => kind === 'baseline')).toHaveLength(2);
  });

  test('or said not to be, and the agent tells all the same', async ({ stage }) => {
    // Without a config.json the next look is 15 min away: 3 s here.
    stage.scale(300);
    const fleet = await stage.addFleet(['alpha']);
    // Nothing can be made in there, by root neither.
    const variables = { SANDY_TRAY_DIR: join('/dev/null', 'own') };
    const agent = await stage.startAgent({ variables, watched: false });
    await until(
      () =>
        readCalls(fleet.dir).some(({ argv, code }) => argv[0] === '--print-state' && code === 0),
      () => `a look: ${agent.stderr()}`,
    );
    // The look's answer is taken in before the next one begins.
    const looks = readCalls(fleet.dir).length;
    await until(
      () => readCalls(fleet.dir).length > looks,
      () => 'the next look',
    );
    replaceContainer(fleet.dir, find(fleet, 'alpha').record, { updatedAt: UPDATED });
    await until(
      () => agent.banners().length > 0,
      () => `a notice: ${agent.stderr()}`,
    );
    agent.signal('SIGTERM');
    expect(await agent.ended).toEqual({ code: 0, signal: null });
    expect(agent.banners()).toEqual([
      expect.stringMatching(/Rolling restart complete: alpha-\w+ was restarted for updates, /),
    ]);
    const said = agent.stderr().trimEnd().split('\n');
    expect(said.filter((line) => line.includes('ENOTDIR')).length).toBeGreaterThan(0);
    expect(new Set(said).size).toBe(said.length);
  });
});

describe.concurrent('the log', () => {
  test('has no path, no output and no text of anybody', async ({ stage }) => {
    const mark = 'xyzzy';
    stage.scale(20);
    const { program } = stage;
    const workspace = (name: string) => join(program.folder, 'fleet', `dir-${mark}`, name);
    const fleet = await stage.addFleet(
      [
        // The last start never ends: the update lives until the others are seen to be gone.
        { workspace: workspace('alpha'), delays: { proxyMs: 3_600_000 } },
        { workspace: workspace('bravo'), start: 'refused' },
        { workspace: workspace('charlie') },
      ],
      { commands: { '--update-sessions': { stdout: mark, stderr: mark } } },
    );
    setKnobs(fleet.dir, { commands: { '--print-state': { stderr: mark } } });
    const agent = await stage.startAgent();
    await stage.logs('baseline');
    const cron = stage.sandy(fleet, '--update-sessions', '--yes');
    await stage.logs('restarted', find(fleet, 'charlie'));
    await stage.logs('late', find(fleet, 'bravo'));
    await stage.logs('late', find(fleet, 'alpha'));
    expect(cron.stdout()).toContain(mark);
    setKnobs(fleet.dir, {
      commands: { '--print-state': { stderr: mark, stdout: mark, output: 'junk', exitCode: 1 } },
    });
    expectFine(await program.run(['config', 'set', 'sandyPath', fleet.sandy]));
    await program.run(['config', 'set', 'sandyPath', join(program.folder, mark)]);
    await stage.logs('blind');
    expect(await stage.noticesAtEnd(agent)).toEqual(['late bravo', 'late alpha']);
    for (const name of readdirSync(program.ownFolder)) {
      if (!/^(log|ledger)/.test(name)) continue;
      expect({ name, text: readFileSync(join(program.ownFolder, name), 'utf8') }).toEqual({
        name,
        text: expect.not.stringContaining(mark),
      });
    }
    expect(existsSync(join(program.ownFolder, 'ledger.json'))).toBe(true);
  });

  test('keeps the newest when it is full', async ({ stage }) => {
    const { program } = stage;
    await stage.addFleet(['alpha']);
    const first = await stage.startAgent({ watched: false });
    await stage.logs('baseline');
    await first.stop();
    const path = join(program.ownFolder, 'log.jsonl');
    const [line = ''] = readFileSync(path, 'utf8').split('\n');
    writeFileSync(path, `${line}\n`.repeat(Math.ceil((512 * 1024) / line.length)));
    const second = await stage.startAgent({ watched: false });
    await second.stop();
    const log = await stage.readLog();
    expect(log.slice(-2).map(({ kind, text }) => [kind, text])).toEqual([
      ['agent-started', expect.stringContaining(`(pid ${second.pid})`)],
      ['agent-stopped', expect.stringContaining(`(pid ${second.pid})`)],
    ]);
    expect(statSync(path).size).toBeLessThan(10_000);
    expect(statSync(join(program.ownFolder, 'log.1.jsonl')).size).toBeGreaterThan(512 * 1024 - 1);
  });
});
