import { claimAgent } from '../control/agent-lock.ts';
import { update } from '../fleet/update.ts';
import { type FleetView, view } from '../fleet/view.ts';
import { openFleetState } from '../store/fleet-state.ts';
import { contactAgent } from './agent-connection.ts';
import { parseArguments } from './arguments.ts';
import { exitCodes, UsageError } from './command.ts';
import { modelFromDisk } from './saved-model.ts';
import { chooseSession } from './session-argument.ts';
import { type Setup, setUp } from './setup.ts';
import { texts } from './texts.ts';
import { version } from './version.ts';

const ANSWER_LIMIT_MS = 10_000;

export async function run(args: readonly string[]): Promise<number> {
  const { values, positionals } = parseArguments(args, { all: { type: 'boolean' } });
  const [argument, ...more] = positionals;
  if (more.length > 0) throw new UsageError(texts.tooManyArguments);
  if ((argument === undefined) === (values.all !== true)) throw new UsageError(texts.whichToAck);
  const setup = setUp();
  const contact = await contactAgent(setup.folders.state, 'ack');
  if (contact.kind === 'alone') {
    if (contact.text !== null) process.stderr.write(`${contact.text}\n`);
    return await acknowledgeAlone(setup, argument);
  }
  const { connection, status } = contact;
  try {
    const key = chooseKey(argument, status);
    const outcome = await connection.request('ack', { key }, ANSWER_LIMIT_MS);
    if (outcome.kind === 'answered' && outcome.ok) return report(keysOf(status, key));
  } finally {
    connection.close();
  }
  process.stderr.write(`${texts.requestFailed}\n`);
  return exitCodes.failed;
}

/** Without an agent, in its place: the claim keeps one from starting in between. */
async function acknowledgeAlone(setup: Setup, argument: string | undefined): Promise<number> {
  const claim = await claimAgent(setup.folders.state, { version, passing: true });
  if (claim.kind !== 'claimed') {
    process.stderr.write(`${texts.requestFailed}\n`);
    return exitCodes.failed;
  }
  try {
    const state = openFleetState(setup.folders.state);
    for (const problem of state.problems) process.stderr.write(`${problem}\n`);
    const model = modelFromDisk(setup, state.saved);
    const fleet = view(model);
    // Which sessions there are only a look tells; that nothing is pinned is certain.
    if (fleet.failures.length === 0) return report([]);
    const key = chooseKey(argument, fleet);
    const keys = keysOf(fleet, key);
    if (keys.length > 0) {
      const [next] = update(model, { kind: 'acknowledged', at: Date.now(), key });
      const outcome = state.save(next);
      if (outcome.kind === 'not-written') {
        process.stderr.write(`${texts.notWritten(setup.folders.state, outcome.errorCode)}\n`);
        return exitCodes.failed;
      }
    }
    return report(keys);
  } finally {
    await claim.release();
  }
}

/** The key to acknowledge; null for all. */
function chooseKey(argument: string | undefined, fleet: FleetView): string | null {
  if (argument === undefined) return null;
  const choice = chooseSession(argument, fleet.sessions, process.cwd());
  if (choice.kind === 'refused') throw new UsageError(choice.text);
  return choice.session.key;
}

function keysOf(fleet: FleetView, key: string | null): string[] {
  return fleet.failures
    .filter((failure) => key === null || failure.key === key)
    .map((failure) => failure.key);
}

function report(keys: readonly string[]): number {
  process.stdout.write(`${keys.length === 0 ? texts.nothingPinned : texts.acknowledged(keys)}\n`);
  return exitCodes.ok;
}
