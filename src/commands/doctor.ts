import { findLastingAgent } from '../control/agent-lock.ts';
import { view } from '../fleet/view.ts';
import { settleWithin } from '../system/settling.ts';
import { contactAgent } from './agent-connection.ts';
import { parseArguments } from './arguments.ts';
import { exitCodes, UsageError } from './command.ts';
import { checkAgent } from './doctor-agent.ts';
import { checkBanners, tryBanner } from './doctor-banners.ts';
import { type Check, describeCheck, drawCheck, type Heard, withinLimit } from './doctor-check.ts';
import {
  checkNode,
  checkPreferences,
  checkPty,
  checkSetAside,
  checkStateFolder,
  checkTerminal,
} from './doctor-machine.ts';
import { checkSandy } from './doctor-sandy.ts';
import {
  type AgentService,
  checkOtherNights,
  checkServices,
  describeAgentService,
  lookAtServices,
} from './doctor-service.ts';
import { checkSessions } from './doctor-sessions.ts';
import { createLoneSandy } from './lone-sandy.ts';
import { lookOnce } from './looking-once.ts';
import { describeHost } from './service-facts.ts';
import { type Setup, setUp } from './setup.ts';
import { texts } from './texts.ts';
import { version } from './version.ts';

export async function run(args: readonly string[]): Promise<number> {
  const { values, positionals } = parseArguments(args, {
    json: { type: 'boolean' },
    notify: { type: 'boolean' },
  });
  if (positionals.length > 0) throw new UsageError(texts.tooManyArguments);
  const setup = setUp();
  const heard = await Promise.all(examine(setup, values.notify === true));
  const checks = heard.flatMap((each) => each.checks);
  await write(
    values.json === true
      ? JSON.stringify({ schema: 1, checks: checks.map(describeCheck) })
      : checks.map(drawCheck).join('\n'),
  );
  const code = checks.some(({ level }) => level === 'fail') ? exitCodes.failed : exitCodes.ok;
  // What is late would keep this process, and whoever waits for its end, for minutes; its children end with it.
  if (heard.some(({ isLate }) => isLate)) process.exit(code);
  return code;
}

function write(text: string): Promise<void> {
  return new Promise((resolve) => {
    process.stdout.write(`${text}\n`, () => resolve());
  });
}

/** A look has its own, which grows with the fleet; the rest answers at once or never. */
const LIMIT_MS = 5_000;
const LOOK_LIMIT_MS = 120_000;
/** Less than the limit of the agent's check, which can do without it. */
const SERVICES_LIMIT_MS = 4_000;

/** All checks, in the order in which they are told. */
function examine(setup: Setup, tries: boolean): Promise<Heard>[] {
  const at = (name: string, check: Promise<readonly Check[]>) => withinLimit(name, LIMIT_MS, check);
  const now = async (...checks: readonly Check[]): Promise<Heard> => ({ checks, isLate: false });
  const host = describeHost(setup);
  const services = lookAtServices(host);
  const agentService = services.then((look) => describeAgentService(host, look));
  return [
    now(checkNode(process.versions.node), ...checkPreferences(setup)),
    at(
      'folders',
      checkStateFolder(setup).then((check) => [check, ...checkSetAside(setup)]),
    ),
    at('pty', checkPty()),
    now(checkTerminal(setup)),
    // Somebody has to see and click it.
    tries ? tryBanner(setup).then((checks) => now(...checks)) : at('banners', checkBanners()),
    withinLimit('look', LOOK_LIMIT_MS, lookAtFleet(setup)),
    at(
      'service',
      services.then((look) => checkServices(host, look)),
    ),
    // Apart from it, as either may have to be done without.
    at(
      'night',
      services.then((look) => checkOtherNights(host, look)),
    ),
    at(
      'agent',
      askAgent(
        setup,
        settleWithin(agentService, SERVICES_LIMIT_MS, () => null),
      ),
    ),
  ];
}

async function lookAtFleet(setup: Setup): Promise<readonly Check[]> {
  const { model, warnings } = await lookOnce(setup, 'full', createLoneSandy(setup, false));
  const sessions = model.sight.kind === 'sighted' ? checkSessions(view(model)) : [];
  return [...checkSandy(model, warnings), ...sessions];
}

async function askAgent(
  { folders }: Setup,
  service: Promise<AgentService | null>,
): Promise<readonly Check[]> {
  const contact = await contactAgent(folders.state, 'doctor');
  if (contact.kind === 'connected') contact.connection.close();
  const holder = await findLastingAgent(folders.state);
  return checkAgent(contact, { holder, service: await service, ownVersion: version });
}
