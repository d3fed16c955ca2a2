import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect } from 'vitest';
import { expectFine, find, takeAway, test, until } from './running-agent.ts';

describe.concurrent('a preference that is changed while the agent runs', () => {
  test('is taken up, in folders that were not there when it started', async ({ stage }) => {
    await stage.addFleet(['alpha']);
    const variables = {
      SANDY_TRAY_DIR: undefined,
      XDG_CONFIG_HOME: join(stage.program.folder, 'xdg-config'),
      XDG_STATE_HOME: join(stage.program.folder, 'xdg-state'),
    };
    const agent = await stage.startAgent({ variables });
    await agent.sees(({ checkedAt }) => checkedAt !== null, 'a look');
    const set = ['config', 'set', 'quietHours', '00:00-23:59'];
    expectFine(await stage.program.run(set, variables));
    await agent.sees(({ quiet }) => quiet !== null, 'quiet hours');
    expectFine(await stage.program.run(['config', 'set', 'quietHours', 'null'], variables));
    await agent.sees(({ quiet }) => quiet === null, 'no quiet hours');
    await agent.stop();
  });

  test('decides on notices from then on', async ({ stage }) => {
    stage.scale(30);
    const fleet = await stage.addFleet(['alpha']);
    const alpha = find(fleet, 'alpha');
    const agent = await stage.startAgent();
    await stage.logs('baseline');
    expectFine(await stage.program.run(['config', 'set', 'notify.ended', 'true']));
    // What is set after it and can be seen says that it was taken up.
    expectFine(await stage.program.run(['config', 'set', 'quietHours', '00:00-23:59']));
    await agent.sees(({ quiet }) => quiet !== null, 'quiet hours');
    expectFine(await stage.program.run(['config', 'set', 'quietHours', 'null']));
    await agent.sees(({ quiet }) => quiet === null, 'no quiet hours');
    await stage.sandy(fleet, '--stop', '--workspace', alpha.workspace).ended;
    await stage.logs('ended', alpha);
    expect(await stage.noticesAtEnd(agent)).toEqual(['ended alpha']);
  });

  test('shortens a window that runs', async ({ stage }) => {
    stage.scale(20);
    stage.configure({ returnWindowSeconds: 600 });
    const fleet = await stage.addFleet(['alpha', { name: 'bravo', build: 'hangs' }]);
    const alpha = find(fleet, 'alpha');
    const agent = await stage.startAgent({ watched: false });
    await stage.logs('baseline');
    await takeAway(stage, fleet, alpha);
    expectFine(await stage.program.run(['config', 'set', 'returnWindowSeconds', '10']));
    const { text } = await stage.logs('late', alpha);
    expect(text).not.toMatch(/after 1\d min/);
    expect(await stage.noticesAtEnd(agent)).toEqual(['late alpha']);
  });

  test('names another sandy, none, and the first again', async ({ stage }) => {
    const { program } = stage;
    const fleet = await stage.addFleet(['alpha']);
    const agent = await stage.startAgent();
    await agent.sees(({ checkedAt }) => checkedAt !== null, 'a look');
    expect(agent.newest().sandy?.path).toBe(fleet.sandy);
    const other = await program.addFleet({ sessions: [{ name: 'zulu' }] }, 'other');
    expectFine(await program.run(['config', 'set', 'sandyPath', other.sandy]));
    const moved = await agent.sees(({ sandy }) => sandy?.path === other.sandy, 'the other sandy');
    await agent.sees(
      ({ sessions }) => sessions.some(({ key }) => key === other.sessions[0]?.key),
      'its session',
    );
    expect(moved.blindSince).toBe(null);
    expectFine(await program.run(['config', 'set', 'sandyPath', join(program.folder, 'none')]));
    const blind = await agent.sees(({ blindSince }) => blindSince !== null, 'no sandy');
    expect(blind.docker).toBe('unknown');
    expectFine(await program.run(['config', 'set', 'sandyPath', fleet.sandy]));
    await agent.sees(
      ({ blindSince, sandy }) => blindSince === null && sandy?.path === fleet.sandy,
      'the first sandy',
    );
    await agent.stop();
  });

  test('and broken is said once and kept', async ({ stage }) => {
    stage.configure({ quietHours: '00:00-23:59' });
    await stage.addFleet(['alpha']);
    const agent = await stage.startAgent();
    await agent.sees(({ quiet }) => quiet !== null, 'quiet hours');
    const path = join(stage.program.ownFolder, 'config.json');
    writeFileSync(path, '{"quietHours": "22:00-');
    await agent.sees(({ quiet }) => quiet === null, 'the default');
    await until(
      () => existsSync(`${path}.bad`),
      () => 'config.json.bad',
    );
    expect(readFileSync(`${path}.bad`, 'utf8')).toBe('{"quietHours": "22:00-');
    stage.configure({ quietHours: '00:00-23:59', watchMinutes: 'many' });
    await agent.sees(({ quiet }) => quiet !== null, 'quiet hours again');
    agent.signal('SIGTERM');
    expect(await agent.ended).toEqual({ code: 0, signal: null });
    const said = agent.stderr().trimEnd().split('\n');
    expect(said).toEqual([
      expect.stringContaining('config.json.bad'),
      expect.stringContaining('watchMinutes'),
    ]);
  });
});
