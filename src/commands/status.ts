import { type FleetView, view } from '../fleet/view.ts';
import { parseArguments } from './arguments.ts';
import { exitCodes, UsageError } from './command.ts';
import { lookOnce } from './looking-once.ts';
import { setUp } from './setup.ts';
import { drawStatus } from './status-table.ts';
import { texts } from './texts.ts';

/** `status --json`, schema 1: the fleet, and who says so. */
interface StatusDocument extends FleetView {
  readonly epoch: string | null;
  readonly rev: number;
  readonly agent: null;
}

export async function run(args: readonly string[]): Promise<number> {
  const { values, positionals } = parseArguments(args, { json: { type: 'boolean' } });
  if (positionals.length > 0) throw new UsageError(texts.tooManyArguments);
  const setup = setUp();
  const { model, warnings } = await lookOnce(setup);
  for (const warning of warnings) process.stderr.write(`${warning}\n`);
  const fleet = view(model);
  const blindText = model.sight.kind === 'blind' ? model.sight.text : null;
  if (values.json === true) {
    const document: StatusDocument = { ...fleet, epoch: null, rev: 0, agent: null };
    process.stdout.write(`${JSON.stringify(document)}\n`);
  } else {
    process.stdout.write(drawStatus(fleet, { now: new Date(), home: process.env.HOME ?? null }));
  }
  if (blindText !== null) process.stderr.write(`${blindText}\n`);
  if (fleet.blindSince !== null) return exitCodes.unavailable;
  return fleet.badge.state === 'attention' ? exitCodes.needsPerson : exitCodes.ok;
}
