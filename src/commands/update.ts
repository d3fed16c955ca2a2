import { createInterface } from 'node:readline/promises';
import type { Ask } from '../agent/asks.ts';
import type { StatusDocument } from '../control/status-document.ts';
import { cleanForeignText } from '../system/foreign-text.ts';
import { isOver, reachAgent } from './agent-host.ts';
import { parseArguments } from './arguments.ts';
import { exitCodes, UsageError } from './command.ts';
import { ANSWER_CHARACTERS, askAgent, exitCodeOf, followRun, seeNow } from './operation-client.ts';
import { chooseSession } from './session-argument.ts';
import { setUp } from './setup.ts';
import { texts } from './texts.ts';
import { createUpdateScreen, describeOutcome } from './update-screen.ts';
import { updateTexts } from './update-texts.ts';

const CANCEL_LIMIT_MS = 60_000;

export async function run(args: readonly string[]): Promise<number> {
  const { values, positionals } = parseArguments(args, {
    all: { type: 'boolean' },
    'dry-run': { type: 'boolean' },
    'idle-for': { type: 'string' },
    rebuild: { type: 'boolean' },
    yes: { type: 'boolean' },
    json: { type: 'boolean' },
    cancel: { type: 'boolean' },
    // Not in the help: the job that `schedule` writes says by it that nobody asked.
    origin: { type: 'string' },
  });
  const json = values.json === true;
  if (values.cancel === true) {
    if (
      positionals.length > 0 ||
      Object.keys(values).some((name) => !['cancel', 'json'].includes(name))
    ) {
      throw new UsageError(updateTexts.cancelAlone);
    }
    return await cancel(json);
  }
  if (positionals.length > 0 === (values.all === true))
    throw new UsageError(updateTexts.whichToUpdate);
  const isDryRun = values['dry-run'] === true;
  const canAsk = process.stdin.isTTY && process.stderr.isTTY && !json;
  if (!isDryRun && values.yes !== true && !canAsk) throw new UsageError(updateTexts.needsYes);
  if (values.origin !== undefined && values.origin !== 'schedule') {
    throw new UsageError(updateTexts.wrongOrigin(values.origin));
  }
  const origin = values.origin ?? 'cli';
  const idleForMinutes = readMinutes(values['idle-for']);
  const setup = setUp();
  const onTerminal = process.stdout.isTTY === true && !json;
  const role = onTerminal ? 'update' : 'follow';
  let host = await reachAgent(setup, role);
  if (host.kind === 'unreachable') return refuse(host.text);
  let isFollowed = false;
  try {
    const status = await seeNow(host);
    const ask: Ask = {
      op: isDryRun ? 'check' : 'update',
      keys: values.all === true ? null : chooseKeys(positionals, status),
      idleForMinutes,
      rebuild: values.rebuild === true,
    };
    const consent = isDryRun || values.yes === true ? 'yes' : await confirm(ask, status);
    if (consent !== 'yes') {
      process.stderr.write(`${updateTexts.declined}\n`);
      return consent === 'no' ? exitCodes.ok : exitCodes.interrupted;
    }
    // While a person thought, the agent may have been replaced, or have taken our place.
    if (await isOver(host)) {
      await host.close();
      host = await reachAgent(setup, role);
      if (host.kind === 'unreachable') return refuse(host.text);
    }
    const answer = await askAgent(host, ask, { onTerminal, origin });
    if (answer === null) {
      process.stderr.write(`${texts.requestFailed}\n`);
      return exitCodes.failed;
    }
    if (answer.kind !== 'running') {
      if (json) process.stdout.write(`${JSON.stringify({ event: answer.kind, ...answer })}\n`);
      else process.stderr.write(`${cleanForeignText(answer.text, ANSWER_CHARACTERS)}\n`);
      return exitCodeOf(answer);
    }
    const { id, logPath, joined } = answer;
    const screen = createUpdateScreen({ json, logPath, id, joined });
    let asked = host;
    const leave = () => {
      screen.close();
      process.stderr.write(`${updateTexts.left(asked.isOurs)}\n`);
      process.exit(exitCodes.interrupted);
    };
    process.once('SIGINT', leave);
    isFollowed = true;
    const outcome = await followRun(host, {
      setup,
      role,
      id,
      onStatus: screen.take,
      onHost(next) {
        asked = next;
      },
      onNotice: screen.note,
    });
    process.off('SIGINT', leave);
    screen.close();
    return describeOutcome(outcome, { json, isDryRun, id });
  } finally {
    if (!isFollowed && host.kind === 'reached') await host.close();
  }
}

/** `text` is null where it has been said already. */
function refuse(text: string | null): number {
  if (text !== null) process.stderr.write(`${text}\n`);
  return exitCodes.unavailable;
}

async function cancel(json: boolean): Promise<number> {
  const setup = setUp();
  const host = await reachAgent(setup, 'cancel');
  if (host.kind === 'unreachable') return refuse(host.text);
  const outcome = await host.connection.request('cancel', null, CANCEL_LIMIT_MS);
  await host.close();
  if (outcome.kind !== 'answered' || !outcome.ok) {
    process.stderr.write(`${texts.requestFailed}\n`);
    return exitCodes.failed;
  }
  const { kind } = outcome.body as { kind?: unknown };
  if (json) process.stdout.write(`${JSON.stringify({ event: kind, text: outcome.text })}\n`);
  else process.stdout.write(`${cleanForeignText(outcome.text, ANSWER_CHARACTERS)}\n`);
  return kind === 'too-late' ? exitCodes.busy : exitCodes.ok;
}

function readMinutes(text: string | undefined): number | null {
  if (text === undefined) return null;
  const minutes = Number(text);
  if (!/^[1-9]\d{0,6}$/.test(text)) throw new UsageError(updateTexts.wrongMinutes(text));
  return minutes;
}

function chooseKeys(names: readonly string[], status: StatusDocument): readonly string[] {
  const keys = names.map((name) => {
    const choice = chooseSession(name, status.sessions, process.cwd());
    if (choice.kind === 'refused') throw new UsageError(choice.text);
    return choice.session.key;
  });
  return [...new Set(keys)];
}

/** Asks the person, who first sees what will be restarted and who would be interrupted. */
async function confirm(ask: Ask, status: StatusDocument): Promise<'yes' | 'no' | 'interrupted'> {
  const concerned = status.sessions.filter(
    ({ key, end }) => end === null && (ask.keys === null || ask.keys.includes(key)),
  );
  process.stderr.write(updateTexts.aboutTo(ask.keys === null, concerned));
  const lines = createInterface({ input: process.stdin, output: process.stderr });
  // A question that the input's end closes may never be answered.
  const left = new Promise<{ readonly interrupted: boolean }>((resolve) => {
    lines.once('close', () => resolve({ interrupted: false }));
    lines.once('SIGINT', () => resolve({ interrupted: true }));
  });
  const asked = lines.question(updateTexts.really).catch(() => left);
  const answer = await Promise.race([asked, left]);
  lines.close();
  if (typeof answer === 'string') return /^y(es)?$/i.test(answer.trim()) ? 'yes' : 'no';
  // Whatever is said next begins a line of its own.
  process.stderr.write('\n');
  return answer.interrupted ? 'interrupted' : 'no';
}
