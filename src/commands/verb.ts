/** `start` and `stop`: one session, through the host's slot. */

import type { StatusDocument } from '../control/status-document.ts';
import { isMute } from '../fleet/view.ts';
import { openRunFolders } from '../store/run-folders.ts';
import type { RunOutcome } from '../store/run-record.ts';
import { readSlot, type SlotUse } from '../store/slot.ts';
import { cleanForeignText } from '../system/foreign-text.ts';
import type { LockState } from '../system/lock-file.ts';
import { type AgentHost, reachAgent } from './agent-host.ts';
import { parseArguments } from './arguments.ts';
import { exitCodes, UsageError } from './command.ts';
import { ANSWER_CHARACTERS, askAgent, exitCodeOf, followRun, seeNow } from './operation-client.ts';
import { chooseSession, findFolder } from './session-argument.ts';
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
    if (host.text !== null) process.stderr.write(`${host.text}\n`);
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
    const isInTerminal = op === 'start' && process.stdin.isTTY && process.stdout.isTTY && !json;
    const choice = chooseSession(argument, status.sessions, process.cwd());
    if (choice.kind === 'refused') {
      const isNew = op === 'start' && choice.why === 'none';
      const workspace = isNew ? findFolder(argument, process.cwd()) : null;
      if (workspace !== null && isInTerminal) {
        const { startInTerminal } = await import('./terminal-start.ts');
        return await startInTerminal(setup, host, { key: null, workspace });
      }
      const text = workspace === null ? choice.text : verbTexts.neverSeen(workspace);
      return refuseUnknown(choice.why, text, json);
    }
    const { key } = choice.session;
    if (isInTerminal) {
      const { startKnownInTerminal } = await import('./terminal-start.ts');
      return await startKnownInTerminal(setup, host, choice.session);
    }
    const ask = { op, keys: [key], idleForMinutes: null, rebuild: false };
    const { state } = setup.folders;
    const before = await readSlot(state);
    const answer = await askAgent(host, ask, { onTerminal: false });
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
    if (op === 'stop' && !json && isStartOf(before, key) && !isBegun(state, answer.id)) {
      process.stderr.write(`${verbTexts.stopWaits(key)}\n`);
    }
    isFollowed = true;
    const outcome = await follow(setup, host, answer.id, op);
    return report(op, key, answer.id, outcome, json);
  } finally {
    if (!isFollowed) await host.close();
  }
}

function describeTooOld(op: 'start' | 'stop', { sandy }: StatusDocument) {
  // Whoever is asked will ask one again that could not say what it can do.
  if (sandy === null || isMute(sandy) || sandy.capabilities.includes(op)) return null;
  const text = texts.noDaemon(sandy.version);
  return { kind: 'refused', why: 'too-old', text, retryable: false } as const;
}

function refuseUnknown(why: 'none' | 'several', text: string, json: boolean): never {
  const kind = why === 'none' ? 'no-session' : 'ambiguous';
  if (json) {
    process.stdout.write(`${JSON.stringify({ key: null, kind, text, retryable: false })}\n`);
  }
  throw new UsageError(text);
}

function isStartOf(slot: LockState<SlotUse>, key: string): boolean {
  const info = slot.kind === 'busy' ? slot.holder.info : null;
  return info?.op === 'start' && info.keys?.[0] === key;
}

function isBegun(stateFolder: string, id: string): boolean {
  const step = openRunFolders(stateFolder).read(id)?.steps[0];
  return step !== undefined && step.startedAt !== null;
}

async function follow(
  setup: Setup,
  host: AgentHost,
  id: string,
  role: string,
): Promise<RunOutcome | null> {
  let asked = host;
  const leave = () => {
    process.stderr.write(`${verbTexts.left(asked.isOurs)}\n`);
    process.exit(exitCodes.interrupted);
  };
  process.once('SIGINT', leave);
  const outcome = await followRun(host, {
    setup,
    role,
    id,
    onStatus: () => {},
    onHost(next) {
      asked = next;
    },
  });
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
