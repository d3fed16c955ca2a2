import { findLastingAgent } from '../control/agent-lock.ts';
import { planInstall } from '../service/agent-service.ts';
import type { Host } from '../service/host.ts';
import { readShell, type Shell, shells, writeShellFunction } from '../service/shell-function.ts';
import { texts as roomTexts } from '../service/texts.ts';
import { parseArguments } from './arguments.ts';
import { exitCodes, UsageError } from './command.ts';
import { describeHost, findParts, gatherFacts, type ServiceParts } from './service-facts.ts';
import { carryOutPlan, refuse, showPlan } from './service-plan.ts';
import { serviceTexts } from './service-texts.ts';
import { type Setup, setUp } from './setup.ts';
import { texts } from './texts.ts';
import { version } from './version.ts';

export async function run(args: readonly string[]): Promise<number> {
  const { values, positionals } = parseArguments(args, {
    print: { type: 'boolean' },
    shell: { type: 'boolean' },
  });
  if (values.shell === true) {
    if (values.print === true) throw new UsageError(serviceTexts.shellAlone);
    if (positionals.length > 1) throw new UsageError(texts.tooManyArguments);
    process.stdout.write(writeShellFunction(chooseShell(positionals[0])));
    return exitCodes.ok;
  }
  if (positionals.length > 0) throw new UsageError(texts.tooManyArguments);
  const setup = setUp();
  return await install(setup, describeHost(setup), {
    isShown: values.print === true,
    ...findParts(),
  });
}

function chooseShell(name: string | undefined): Shell {
  const chosen =
    name === undefined ? readShell(process.env.SHELL) : shells.find((shell) => shell === name);
  if (!chosen) throw new UsageError(serviceTexts.whichShell(name ?? process.env.SHELL ?? ''));
  return chosen;
}

/** Installs the agent as a service of this host; `isShown`: only says what that would be. */
export async function install(
  { folders }: Pick<Setup, 'folders'>,
  host: Host,
  { isShown, read, program }: ServiceParts & { readonly isShown: boolean },
): Promise<number> {
  const gathered = await gatherFacts(host, folders.logs, program);
  if (gathered.kind === 'refused') return refuse(gathered.text);
  if (gathered.warning !== null) process.stderr.write(`${gathered.warning}\n`);
  const found = await findLastingAgent(folders.state);
  const agent = found && { pid: found.pid, isOutdated: found.version !== version };
  const planned = await planInstall(host, gathered.facts, read, agent);
  if (planned.kind === 'refused') return refuse(planned.text);
  if (isShown) {
    showPlan(planned);
    return exitCodes.ok;
  }
  return await carryOutPlan(planned, host, roomTexts.undoInstall);
}
