/**
 * A process that keeps the store in the agent's order: for each batch of events the log, then the
 * ledger and the showing, and last of all the fleet's state. Its fleet is the real one, which sees two
 * sessions come back from an update, and a third only after its alarm.
 */

import { writeFileSync } from 'node:fs';
import { nextPoll } from '../../src/fleet/cadence.ts';
import type { Effect, Message } from '../../src/fleet/message.ts';
import type { Model } from '../../src/fleet/model.ts';
import type { SandboxSight, SessionSight } from '../../src/fleet/observation.ts';
import { update } from '../../src/fleet/update.ts';
import { openEventLog } from '../../src/store/event-log.ts';
import { nameHappening } from '../../src/store/event-record.ts';
import { openFleetState } from '../../src/store/fleet-state.ts';
import { openLedger } from '../../src/store/ledger.ts';
import { applySaved } from '../../src/store/saved-fleet.ts';
import { makeModel } from './fleet-parts.ts';

const [folder = '', shownPath = '', startText = ''] = process.argv.slice(2);
const startedAt = Number(startText);
const keys = ['zork-1', 'zork-2', 'zork-3'];
const updatedAt = (key: string) =>
  key === 'zork-3' ? '2026-11-29T03:02:00Z' : '2026-11-29T03:00:00Z';

const log = openEventLog(folder);
const ledger = openLedger(folder, startedAt);
const state = openFleetState(folder);
let model = applySaved(makeModel(), state.saved);

/** The third session is away until its alarm and the summary without it were told and saved. */
function lookAtWorld(): Message & { kind: 'polled' } {
  const row = model.rows.get('zork-3');
  const back = (row?.failure != null && model.lastRun !== null) || isBack(model);
  const listed = keys.filter((key) => key !== 'zork-3' || back);
  const sessions = listed.map(
    (key): SessionSight => ({
      key,
      incarnation: {
        id: `${key}-life-2`,
        startedAt: '2026-11-29T03:02:05Z',
        updatedAt: updatedAt(key),
      },
      attachedClients: 0,
      imageStale: false,
    }),
  );
  const sandboxes = keys.map(
    (key): SandboxSight => ({
      key,
      workspace: `/secret/workspaces/${key}`,
      workspaceExists: true,
      lock: { kind: 'free' },
    }),
  );
  const at = (model.clock.last?.at ?? startedAt) + nextPoll(model).delayMs + 10;
  return {
    kind: 'polled',
    at,
    id: model.polls.lastId + 1,
    monoMs: at - startedAt,
    tookMs: 10,
    mode: 'full',
    observation: { kind: 'sighted', mode: 'full', sandyHome: null, sandboxes, sessions },
  };
}

function show(id: string): void {
  writeFileSync(shownPath, `\n${id}\n`, { flag: 'a' });
}

function tell(effect: Effect & { kind: 'tell' }): void {
  const { event, notice } = effect;
  const id = nameHappening(event);
  const outcome = log.append(event, notice);
  if (id === null || !notice) return;
  if (!ledger.mayShow(id, outcome.kind !== 'already-there')) return;
  ledger.intend([id], event.at);
  show(id);
  ledger.markShown([id], event.at);
}

function take(message: Message): void {
  const [next, effects] = update(model, message);
  model = next;
  for (const effect of effects) if (effect.kind === 'tell') tell(effect);
  if (effects.some((effect) => effect.kind === 'look-for-updates')) {
    take({ kind: 'looked', at: message.at, processes: [] });
  }
}

function isBack(now: Model): boolean {
  return now.rows.get('zork-3')?.incarnation?.id === 'zork-3-life-2';
}

for (let polls = 0; !isBack(model) || model.run !== null; polls += 1) {
  if (polls > 100) throw new Error('the update was never summed up');
  const message = lookAtWorld();
  take(message);
  state.save(model);
  ledger.prune(message.at);
}
process.stdout.write(JSON.stringify({ unsure: ledger.unsure, problems: state.problems }));
