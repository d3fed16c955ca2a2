/** `start` and `stop`: one session, through the host's slot. */

import type { StatusDocument } from '../control/status-document.ts';
import type { RunOutcome } from '../store/run-record.ts';
import { cleanForeignText } from '../system/foreign-text.ts';
import { type AgentHost, reachAgent } from './agent-host.ts';
import { parseArguments } from './arguments.ts';
import { exitCodes, UsageError } from './command.ts';
import { ANSWER_CHARACTERS, askAgent, exitCodeOf, followRun, seeNow } from './operation-client.ts';
import { chooseSession } from './session-argument.ts';
import { type Setup, setUp } from './setup.ts';
import { texts } from './texts.ts';
import { verbTexts } from './verb-texts.ts';

export async function runVerb(op: 'start' | 'stop', args: readonly string[]): Promise<number> {
  const { values, positionals } = parseArguments(args, { json: { type: 'boolean' } });
  const [argument, ...more] = positionals;
  if (argument === undefined) throw new UsageError(verbTexts.whichSession);
  if (more.length > 0) throw new UsageError(texts.tooManyArguments);
  const setup = setUp();
  const json = values.json === true;
  const host = await reachAgent(setup, op);
  if (host.kind === 'unreachable') {
    process.stderr.write(`${host.text}\n`);
    return exitCodes.unavailable;
  }
  let isFollowed = false;
  try {
    const status = await seeNow(host);
    const tooOld = describeTooOld(op, status);
    // First: of the sessions of a sandy that can't do it none may be known.
    if (tooOld !== null) {
      if (json) process.stdout.write(`${JSON.stringify({ key: null, ...tooOld })}\n`);
      else process.stderr.write(`${tooOld.text}\n`);
      return exitCodes.unavailable;
    }
    const key = chooseKey(argument, status);
    const onTerminal = process.stdin.isTTY && process.stdout.isTTY && !json;
    if (op === 'start' && onTerminal) {
      const { startInTerminal } = await import('./terminal-start.ts');
      return await startInTerminal(setup, host, status, key);
    }
    const ask = { op, keys: [key], idleForMinutes: null, rebuild: false };
    const answer = await askAgent(host, ask, false);
    if (answer === null) {
      process.stderr.write(`${texts.requestFailed}\n`);
      return exitCodes.failed;
    }
    if (answer.kind !== 'running') {
      if (json)
        process.stdout.write(
          `${JSON.stringify({ key, ...answer, retryable: answer.kind === 'busy' })}\n`,
        );
      else {
        const text = cleanForeignText(answer.text, ANSWER_CHARACTERS);
        (answer.kind === 'done' ? process.stdout : process.stderr).write(`${text}\n`);
      }
      return exitCodeOf(answer);
    }
    isFollowed = true;
    const outcome = await follow(setup, host, answer.id, op);
    return report(op, key, answer.id, outcome, json);
  } finally {
    if (!isFollowed) await host.close();
  }
}

function describeTooOld(op: 'start' | 'stop', { sandy }: StatusDocument) {
  if (sandy === null || sandy.capabilities.includes(op)) return null;
  const text = texts.noDaemon(sandy.version);
  return { kind: 'refused', why: 'too-old', text, retryable: false } as const;
}

function chooseKey(argument: string, status: StatusDocument): string {
  const choice = chooseSession(argument, status.sessions, process.cwd());
  if (choice.kind === 'refused') throw new UsageError(choice.text);
  return choice.session.key;
}

async function follow(
  setup: Setup,
  host: AgentHost,
  id: string,
  role: string,
): Promise<RunOutcome | null> {
  const leave = () => {
    process.stderr.write(`${verbTexts.left}\n`);
    process.exit(exitCodes.interrupted);
  };
  process.once('SIGINT', leave);
  const outcome = await followRun(host, { setup, role, id, onStatus: () => {} });
  process.off('SIGINT', leave);
  return outcome;
}

/** What can be tried again as it is; the rest needs a person first. */
const retryable: ReadonlySet<RunOutcome['kind']> = new Set([
  'cancelled',
  'start-failed',
  'docker-unreachable',
  'stuck',
  'lost',
] as const);

function report(
  op: 'start' | 'stop',
  key: string,
  id: string,
  outcome: RunOutcome | null,
  json: boolean,
): number {
  const kind = outcome?.kind ?? 'lost';
  if (json) {
    const text = outcome?.text ?? null;
    const line = { key, id, kind, text, retryable: retryable.has(kind) };
    process.stdout.write(`${JSON.stringify(line)}\n`);
  } else if (kind === 'ok') {
    process.stdout.write(`${op === 'start' ? verbTexts.started(key) : verbTexts.stopped(key)}\n`);
  } else {
    const text = outcome?.text ?? verbTexts.outcomes[kind](key);
    process.stderr.write(`${cleanForeignText(text, ANSWER_CHARACTERS)}\n`);
  }
  if (kind === 'docker-unreachable') return exitCodes.unavailable;
  return kind === 'ok' ? exitCodes.ok : exitCodes.failed;
}
