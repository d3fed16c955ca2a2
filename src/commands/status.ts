import type { StatusDocument } from '../control/status-document.ts';
import { view } from '../fleet/view.ts';
import { type AgentContact, contactAgent } from './agent-connection.ts';
import { parseArguments } from './arguments.ts';
import { exitCodes, UsageError } from './command.ts';
import { setUp } from './setup.ts';
import { drawStatus } from './status-table.ts';
import { texts } from './texts.ts';

export async function run(args: readonly string[]): Promise<number> {
  const { values, positionals } = parseArguments(args, {
    json: { type: 'boolean' },
    watch: { type: 'boolean' },
  });
  if (positionals.length > 0) throw new UsageError(texts.tooManyArguments);
  const setup = setUp();
  const json = values.json === true;
  const contact = await contactAgent(
    setup.folders.state,
    values.watch === true ? 'watch' : 'status',
  );
  if (contact.kind === 'alone' && contact.text !== null) process.stderr.write(`${contact.text}\n`);
  if (values.watch === true) return await watchAgent(contact, json);
  if (contact.kind === 'connected') {
    contact.connection.close();
    return show(contact.status, json);
  }
  // Loaded only here: through the agent a status needs neither sandy nor what runs it.
  const { lookOnce } = await import('./looking-once.ts');
  const { model, warnings } = await lookOnce(setup, 'full');
  for (const warning of warnings) process.stderr.write(`${warning}\n`);
  const code = show({ ...view(model), epoch: null, rev: 0, agent: null }, json);
  if (model.sight.kind === 'blind') process.stderr.write(`${model.sight.text}\n`);
  return code;
}

/** Shows every change until the reader or the agent leaves. */
async function watchAgent(contact: AgentContact, json: boolean): Promise<number> {
  if (contact.kind === 'alone') {
    process.stderr.write(`${texts.noAgent}\n`);
    return exitCodes.unavailable;
  }
  const { connection } = contact;
  process.once('SIGINT', () => connection.close());
  show(contact.status, json, true);
  for await (const { status } of connection.snapshots) show(status, json, true);
  if ((await connection.end).kind === 'closed') return exitCodes.ok;
  process.stderr.write(`${texts.agentGone}\n`);
  return exitCodes.unavailable;
}

function show(status: StatusDocument, json: boolean, again = false): number {
  const text = json
    ? `${JSON.stringify(status)}\n`
    : drawStatus(status, { now: new Date(), home: process.env.HOME ?? null });
  // On a terminal the newest table takes the place of the one before.
  const clear = again && !json && process.stdout.isTTY ? '\x1b[H\x1b[2J' : '';
  process.stdout.write(clear + text);
  if (status.blindSince !== null) return exitCodes.unavailable;
  return status.badge.state === 'attention' ? exitCodes.needsPerson : exitCodes.ok;
}
