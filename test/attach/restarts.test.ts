import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { describe } from 'vitest';
import {
  type Fleet,
  readEvents,
  type Session,
  scratchOf,
} from '../../fixtures/fake-sandy/fleet.mjs';
import { find, type Stage, until } from '../agent/running-agent.ts';
import { attachesOf, type Desk, earlyAttaches, settles, test } from './terminals.ts';

const names = ['alpha', 'bravo', 'charlie', 'delta'];
const ROUNDS = 5;

const cases = [
  { agent: true, readyMs: 300 },
  { agent: true, readyMs: 2_000 },
  { agent: true, readyMs: 6_000 },
  { agent: false, readyMs: 2_000 },
];

describe.concurrent('twenty restarts', () => {
  for (const { agent, readyMs } of cases) {
    const title = `ready ${readyMs / 1000} s after being listed, ${agent ? 'with an agent' : 'alone'}: back 20 of 20`;
    test(title, async ({ desk, expect }) => {
      const { stage } = desk;
      stage.scale(5);
      const fleet = await stage.addFleet(names, {
        delays: { containerMs: 1_000, innerMs: readyMs },
      });
      if (agent) {
        await stage.startAgent({ watched: false });
        await stage.logs('baseline');
      }
      const ran = await Promise.all(names.map((name) => live(desk, fleet, find(fleet, name))));
      // What was typed into each life ran there, and whole.
      expect(ran).toEqual(names.map(() => ROUNDS));
      for (const name of names) {
        const session = find(fleet, name);
        expect(attachesOf(fleet, session)).toHaveLength(1 + ROUNDS);
        expect(earlyAttaches(fleet, session)).toEqual([]);
        expect(livesEntered(fleet, session)).toHaveLength(1 + ROUNDS);
      }
    });
  }
});

/** One terminal through its restarts; gives how many of them it came back from. */
async function live(desk: Desk, fleet: Fleet, session: Session): Promise<number> {
  const terminal = desk.attach([session.key]);
  await settles(terminal, fleet, session);
  let ran = 0;
  for (let round = 1; round <= ROUNDS; round += 1) {
    await restart(desk.stage, fleet, session);
    await settles(terminal, fleet, session);
    terminal.type(`touch round-${round}\r`);
    await terminal.sees(`touched round-${round}`);
    const file = join(scratchOf(fleet.dir, session.record), `round-${round}`);
    await until(
      () => existsSync(file),
      () => file,
    );
    ran += 1;
  }
  return ran;
}

async function restart(stage: Stage, fleet: Fleet, { workspace }: Session): Promise<void> {
  await stage.sandy(fleet, '--stop', '--workspace', workspace).ended;
  await stage.sandy(fleet, '--start', '--workspace', workspace).ended;
}

function livesEntered(fleet: Fleet, { record }: Session): readonly string[] {
  const entered = readEvents(fleet.dir).filter(
    (event) => event.record === record && event.why === 'client-attached',
  );
  return [...new Set(entered.map(({ id }) => id ?? ''))];
}
