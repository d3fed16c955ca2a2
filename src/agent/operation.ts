import { watch } from 'node:fs';
import type { Sandy } from '../sandy/client.ts';
import { describeSandyCommand } from '../sandy/command.ts';
import { prepareSandy } from '../sandy/preparing.ts';
import { findSandyProcesses } from '../sandy/update-processes.ts';
import type { RunFolders } from '../store/run-folders.ts';
import type { RunRecord, RunStep } from '../store/run-record.ts';
import { type DetachedCommand, startDetached, waitForEnd } from '../system/detached.ts';
import { readFileEnd, sizeOfFile, writtenAt } from '../system/file-end.ts';
import type { WriteOutcome } from '../system/files.ts';
import { identifyProcess, isAlive, type ProcessIdentity } from '../system/process-identity.ts';
import { continueRun } from './cancelling.ts';
import type { OthersAwaited } from './others.ts';
import { texts } from './texts.ts';

/** One start, stop or update, with its record on disk, which is always ahead of what is done. */
export interface Operation {
  readonly record: () => RunRecord;
  readonly change: (change: Partial<RunRecord>) => void;
  readonly changeStep: (index: number, change: Partial<RunStep>) => void;
  readonly logPath: string;
}

export function openOperation(
  first: RunRecord,
  folders: RunFolders,
  onWrite: (outcome: WriteOutcome) => void,
): Operation {
  let record = first;
  const change = (changed: Partial<RunRecord>) => {
    record = { ...record, ...changed };
    onWrite(folders.save(record));
  };
  return {
    record: () => record,
    change,
    changeStep: (index, changed) =>
      change({
        steps: record.steps.map((step, at) => (at === index ? { ...step, ...changed } : step)),
      }),
    logPath: folders.logPath(first.id),
  };
}

export interface StepParts {
  readonly sandy: () => Sandy;
  /** Puts a command where neither our end nor that of our service reaches it. */
  readonly wrap: () => Promise<(command: DetachedCommand) => DetachedCommand>;
  readonly signal: AbortSignal;
  /** Resolves once nobody else changes sessions, or that takes too long, or the step is not to be begun. */
  readonly awaitOthers: () => Promise<OthersAwaited>;
  /** Called as soon as it is known which process is at work, or that none is. */
  readonly onKnown: () => void;
}

/** How a step's command came to its end. `code` is null where nobody saw it. */
export type StepEnd =
  | { readonly kind: 'ended'; readonly code: number | null; readonly signal: string | null }
  | { readonly kind: 'not-started'; readonly text: string }
  /** The agent is stopping; the command goes on. */
  | { readonly kind: 'left' };

/** How often a log is read and a process that is not our child looked at. */
const LOOK_MS = 500;

/**
 * Starts a step's command, or adopts it where an earlier agent has started it, and waits for its end.
 * `onOutput` is called whenever its log may have grown, `onRunning` once it is known which process it is.
 */
export async function carryOutStep(
  operation: Operation,
  index: number,
  parts: StepParts,
  onOutput: () => void,
  onRunning: () => void = () => {},
): Promise<StepEnd> {
  const step = operation.record().steps[index];
  if (step === undefined || parts.signal.aborted) return { kind: 'left' };
  if (step.endedAt !== null) return { kind: 'ended', code: step.exitCode, signal: step.signal };
  const adopted = await adopt(operation, index, step, parts.signal);
  const running = adopted ?? (await start(operation, index, parts));
  // As it was: whoever comes next begins it, or nobody does.
  if (running.kind === 'left') return running;
  if (running.kind === 'over') {
    onOutput();
    operation.changeStep(index, { endedAt: running.at, exitCode: null, signal: null });
    onRunning();
    return { kind: 'ended', ...nobodySaw };
  }
  if (running.kind === 'not-started') {
    operation.changeStep(index, { endedAt: Date.now(), outcome: 'not-started' });
    return running;
  }
  onRunning();
  parts.onKnown();
  const stopReading = readNowAndThen(operation.logPath, onOutput);
  const end = await unlessAborted(running.ended, parts.signal);
  stopReading();
  if (end === null) return { kind: 'left' };
  onOutput();
  operation.changeStep(index, { endedAt: Date.now(), exitCode: end.code, signal: end.signal });
  return { kind: 'ended', ...end };
}

interface Ending {
  readonly code: number | null;
  readonly signal: string | null;
}

type Running =
  | { readonly kind: 'running'; readonly ended: Promise<Ending> }
  /** It had ended before anybody looked, at the latest when its log was last written. */
  | { readonly kind: 'over'; readonly at: number }
  | { readonly kind: 'not-started'; readonly text: string }
  | { readonly kind: 'left' };

const nobodySaw: Ending = { code: null, signal: null };

/** What an earlier agent left of a step; null: nothing, so that it can be started. */
async function adopt(
  operation: Operation,
  index: number,
  step: RunStep,
  signal: AbortSignal,
): Promise<Running | null> {
  if (step.startedAt === null) return null;
  const process = step.process ?? (await findStarted(step));
  if (process === null) {
    // It was about to be started. What printed something was; what did not, changed nothing either.
    const printed = sizeOfFile(operation.logPath) > step.logFrom;
    return printed ? { kind: 'over', at: writtenAt(operation.logPath) } : null;
  }
  if (step.process === null) operation.changeStep(index, { process });
  if (!(await isAlive(process))) return { kind: 'over', at: writtenAt(operation.logPath) };
  // Whoever stopped it to decide whether it can be cut did not live to say so, and it is not cut.
  if (operation.record().wish === 'cut') operation.change({ wish: null });
  await continueRun(process);
  const ended = waitForEnd(process, { everyMs: LOOK_MS, signal }).then(() => nobodySaw);
  return { kind: 'running', ended };
}

/** Started by an agent that died before it could note which process it was. */
async function findStarted(step: RunStep): Promise<ProcessIdentity | null> {
  const found = (await findSandyProcesses()) ?? [];
  const same = found.find(
    ({ verb, named }) => step.args.includes(`--${verb}`) && named === step.workspace,
  );
  return same === undefined ? null : identifyProcess(same.pid);
}

async function start(operation: Operation, index: number, parts: StepParts): Promise<Running> {
  const step = operation.record().steps[index];
  const ready = await prepareSandy(parts.sandy());
  if (ready.kind === 'unusable') return { kind: 'not-started', text: ready.text };
  const others = await parts.awaitOthers();
  if (others.kind === 'left') return others;
  if (others.kind === 'still-there') return { kind: 'not-started', text: others.text };
  const wrap = await parts.wrap();
  operation.changeStep(index, {
    startedAt: Date.now(),
    logFrom: sizeOfFile(operation.logPath),
  });
  const started = await startDetached({
    ...describeSandyCommand(ready, step?.args ?? []),
    outputPath: operation.logPath,
    wrap,
  });
  switch (started.kind) {
    case 'not-started':
      return { kind: 'not-started', text: texts.sandyNotStarted(started.errorCode) };
    case 'unidentified':
      return { kind: 'running', ended: started.ended };
    case 'started':
      operation.changeStep(index, { process: started.process });
      return { kind: 'running', ended: started.ended };
  }
}

function readNowAndThen(path: string, onOutput: () => void): () => void {
  // A change tells at once; the look now and then is for file systems that tell nothing.
  const timer = setInterval(onOutput, LOOK_MS);
  try {
    const watcher = watch(path, onOutput);
    watcher.on('error', () => watcher.close());
    return () => {
      clearInterval(timer);
      watcher.close();
    };
  } catch {
    return () => clearInterval(timer);
  }
}

/** Null where the signal comes first. Leaves nothing on the signal, which outlives many steps. */
function unlessAborted<T>(promise: Promise<T>, signal: AbortSignal): Promise<T | null> {
  return new Promise((resolve, reject) => {
    const stop = () => resolve(null);
    if (signal.aborted) return stop();
    signal.addEventListener('abort', stop, { once: true });
    promise.then(resolve, reject).finally(() => signal.removeEventListener('abort', stop));
  });
}

/** The last line that a step printed, for a person; null: it printed none. */
export function readLastLine(operation: Operation, index: number): string | null {
  const from = operation.record().steps[index]?.logFrom ?? 0;
  return readFileEnd(operation.logPath, from);
}
