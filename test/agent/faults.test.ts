import { join } from 'node:path';
import { describe, expect } from 'vitest';
import { type Fleet, NO_DELAYS, readCalls } from '../../fixtures/fake-sandy/fleet.mjs';
import type { EventRecord } from '../../src/store/event-record.ts';
import { canMount } from '../mounts.ts';
import type { Program } from '../program.ts';
import { type AgentProcess, isWatching, until } from './agent-process.ts';
import { updateSession } from './night.ts';
import { type SmallDisk, test } from './small-disk.ts';

const variables = { SANDY_TRAY_TIME_SCALE: '300' };

/** So many that their records don't fit into the last page of a full disk's log. */
const keys = Array.from({ length: 40 }, (_, index) => `asa-${index + 10}`);

async function addFleet(program: Program, names: readonly string[]): Promise<Fleet> {
  const fleet = await program.addFleet({
    delays: NO_DELAYS,
    sessions: names.map((key) => ({ key, workspace: `/nowhere/${key}` })),
  });
  // With a docker to be found no login shell is needed.
  Object.assign(program.environment, { PATH: `${fleet.dockerFolder}:/usr/bin:/bin` });
  return fleet;
}

function updateAll({ dir, sessions }: Fleet): void {
  for (const { key } of sessions) updateSession(dir, key);
}

/** How many rolling restarts an agent has told of. */
function summaries({ output }: AgentProcess): number {
  return output.stdout.match(/Rolling restart complete/g)?.length ?? 0;
}

function parseLog(text: string): readonly EventRecord[] {
  return text
    .split('\n')
    .filter(Boolean)
    .map((line) => JSON.parse(line));
}

async function troublesOn(disk: SmallDisk): Promise<readonly string[]> {
  return JSON.parse(await disk.run(['status', '--json'])).agent.troubles;
}

const unwritable = (names: string, code: string) =>
  `The ${names} can't be written (${code}): what happens now is remembered only while this agent runs. Free the disk or mend the permissions of the state folder.`;

describe.concurrent('an agent whose disk fails', () => {
  test.skipIf(!canMount).for([
    ['full', 'ENOSPC', 'fill', 'free'],
    ['read-only', 'EROFS', 'freeze', 'thaw'],
  ] as const)('%s', async ([, code, fail, mend], { program, disk, startAgent }) => {
    const fleet = await addFleet(program, keys);
    const first = startAgent({ variables, through: disk.through });
    await until(() => disk.readSaved()?.baselined === true, first);
    disk[fail]();
    updateAll(fleet);
    await until(() => summaries(first) === 1, first);
    await until(() => first.output.stderr.includes(code), first);
    expect(await troublesOn(disk)).toEqual([unwritable('ledger and the log and the state', code)]);
    disk[mend]();
    await until(() => disk.readSaved()?.lastRun?.restarted.length === keys.length, first);
    // Asked in a tick's time at the latest: nobody has to wait for the next happening.
    expect(await troublesOn(disk)).toEqual([]);
    const records = parseLog(disk.read('log.jsonl'));
    expect(records.map(({ kind }) => kind).filter((kind) => kind !== 'slept')).toEqual([
      'agent-started',
      'baseline',
      ...keys.map(() => 'restarted'),
      'run-completed',
    ]);
    expect(records.map(({ at }) => at)).toEqual(records.map(({ at }) => at).sort());
    expect(new Set(records.map(({ key }) => key)).size).toBe(keys.length + 1);
    await first.kill();
    expect(first.output.stderr.match(new RegExp(code, 'g'))).toHaveLength(1);

    // The next life has nothing left to tell, and everything that comes then.
    const second = startAgent({ variables, through: disk.through });
    await until(() => isWatching(second), second);
    updateAll(fleet);
    await until(() => summaries(second) === 1, second);
    const { code: exit, stderr } = await second.stop();
    expect({ exit, stderr }).toEqual({ exit: 0, stderr: '' });
    const ids = parseLog(disk.read('log.jsonl')).flatMap(({ kind, incident }) =>
      incident === null ? [] : [`${kind}:${incident}`],
    );
    expect(ids).toHaveLength(2 * (keys.length + 1));
    expect(new Set(ids).size).toBe(ids.length);
    expect([summaries(first), summaries(second)]).toEqual([1, 1]);
  });

  test.skipIf(!canMount)(
    'from its very start, read-only',
    async ({ program, disk, startAgent }) => {
      const fleet = await addFleet(program, ['asa-1']);
      disk.freeze();
      const agent = startAgent({ variables, through: disk.through });
      await until(() => isWatching(agent) && readStates(fleet) > 1, agent);
      updateAll(fleet);
      await until(() => summaries(agent) === 1, agent);
      const { code, stderr } = await agent.stop();
      expect(code).toBe(0);
      const path = join(program.ownFolder, 'agent.sock');
      expect(stderr.trimEnd().split('\n')).toEqual([
        "The state folder can't be written (EROFS); the agent runs without its lock. Free the disk or mend the permissions of that folder.",
        unwritable('log', 'EROFS'),
        `The agent's socket can't be made at ${path} (EROFS). Free the disk or mend the permissions of that folder.`,
      ]);
      expect(summaries(agent)).toBe(1);
    },
  );
});

function readStates({ dir }: Fleet): number {
  return readCalls(dir).filter(({ argv, code }) => argv[0] === '--print-state' && code === 0)
    .length;
}
