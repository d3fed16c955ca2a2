import { existsSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect } from 'vitest';
import {
  readCalls,
  removeContainer,
  replaceContainer,
  setKnobs,
  setLock,
} from '../../fixtures/fake-sandy/fleet.mjs';
import { writeScript } from '../program.ts';
import { find, test, until } from './running-agent.ts';

/** The modes of the looks that the agent took. */
function looksOf(dir: string): string[] {
  return readCalls(dir)
    .filter(({ argv }) => argv[0] === '--print-state')
    .map(({ argv }) => argv[1] ?? 'full');
}

describe.concurrent('a change in sandy’s folder', () => {
  test('wakes a light look long before the next full one is due', async ({ stage }) => {
    // Real time: the next look that nothing asks for is 15 min away.
    const fleet = await stage.addFleet(['alpha', 'bravo']);
    const alpha = find(fleet, 'alpha');
    const agent = await stage.startAgent();
    const idle = await agent.sees(({ poll }) => poll.reason === 'idle', 'nothing to do');
    expect(idle.poll).toMatchObject({ mode: 'full' });
    expect(idle.poll.nextInMs).toBeGreaterThan(60_000);
    expect(looksOf(fleet.dir)).toEqual(['full']);
    removeContainer(fleet.dir, alpha.record);
    setLock(fleet.dir, alpha.key, 'free');
    await agent.seesState(alpha, 'missing');
    replaceContainer(fleet.dir, alpha.record, {});
    setLock(fleet.dir, alpha.key, process.pid);
    await agent.seesState(alpha, 'detached');
    expect(new Set(looksOf(fleet.dir).slice(1))).toEqual(new Set(['light']));
    await agent.stop();
  });

  test('is seen without hints too', async ({ stage }) => {
    stage.scale(30);
    stage.configure({ pollFullSeconds: 60 });
    const fleet = await stage.addFleet(['alpha', 'bravo']);
    const alpha = find(fleet, 'alpha');
    const nowhere = join(stage.program.folder, 'nowhere');
    setKnobs(fleet.dir, { extraFields: { top: { sandy_home: nowhere } } });
    const agent = await stage.startAgent({ watched: false });
    await stage.logs('baseline');
    await stage.sandy(fleet, '--stop', '--workspace', alpha.workspace).ended;
    await stage.logs('ended', alpha);
    expect(await stage.noticesAtEnd(agent)).toEqual([]);
  });

  test('that comes during a look is looked at after it', async ({ stage }) => {
    const { folder } = stage.program;
    const [closed, begun] = [join(folder, 'gate-closed'), join(folder, 'look-begun')];
    const fleet = await stage.addFleet(['alpha', 'bravo']);
    const alpha = find(fleet, 'alpha');
    // Looks first, and answers when the gate is open: what changes meanwhile it cannot know.
    const slow = writeScript(
      join(folder, 'slow', 'sandy'),
      `seen=$('${fleet.sandy}' "$@") || exit $?
if [ "$1" = --print-state ] && [ -e '${closed}' ]; then
  : > '${begun}'
  while [ -e '${closed}' ]; do sleep 0.05; done
fi
printf '%s\\n' "$seen"`,
    );
    const agent = await stage.startAgent({ variables: { SANDY_TRAY_SANDY: slow } });
    await agent.sees(({ poll }) => poll.reason === 'idle', 'nothing to do');
    writeFileSync(closed, '');
    setLock(fleet.dir, 'nobody', process.pid);
    await until(
      () => existsSync(begun),
      () => 'a look',
    );
    removeContainer(fleet.dir, alpha.record);
    setLock(fleet.dir, alpha.key, 'free');
    rmSync(closed);
    await agent.seesState(alpha, 'missing');
    await agent.stop();
  });
});
