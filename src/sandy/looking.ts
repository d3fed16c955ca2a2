import type { Blindness, Observation, PollMode, SandboxSight } from '../fleet/observation.ts';
import { type ChildOutcome, runChild } from '../system/spawning.ts';
import { type ReadySandy, type Sandy, takeWarnings, type Warning, warnOnce } from './client.ts';
import { describeSandyCommand } from './command.ts';
import { splitPath } from './environment.ts';
import { hasProgram } from './finding.ts';
import { parseJsonDocument } from './json-document.ts';
import { prepareSandy } from './preparing.ts';
import { pollTogether } from './shared-poll.ts';
import { readStateDocument } from './state-document.ts';
import { texts } from './texts.ts';
import { describeTrouble } from './trouble.ts';

/** What one look brought. */
export interface Look {
  readonly observation: Observation;
  /** How long sandy's own child ran; 0 when none was started. */
  readonly durationMs: number;
  /** What was not told before by this process. */
  readonly warnings: readonly Warning[];
}

const LIMIT_MS = 20_000;
const LIMIT_PER_SESSION_MS = 300;

/** After a time-out the next look is given time for this many, or a large host would stay unseen. */
const SESSIONS_AFTER_TIME_OUT = 100;

/** A thousand sessions with their proxies take under 1 MiB; beyond this it can't be a state. */
const MAX_OUTPUT_BYTES = 16 * 1024 * 1024;

/** The newest schema version whose changes were compared with the fields that we use. */
const NEWEST_KNOWN_SCHEMA = 4;

/**
 * Looks at the host once. It always answers, within the time limit of print-state plus what finding
 * and probing sandy takes at the first look or after an upgrade; whatever goes wrong is a blindness.
 * An aborted look kills its child and gives a blindness that the caller should drop.
 */
export async function lookAtSandy(
  sandy: Sandy,
  mode: PollMode,
  signal?: AbortSignal,
): Promise<Look> {
  const { observation, durationMs } = await look(sandy, mode, signal);
  return { observation, durationMs, warnings: takeWarnings(sandy) };
}

type LookWithoutWarnings = Omit<Look, 'warnings'>;

async function look(
  sandy: Sandy,
  mode: PollMode,
  signal: AbortSignal | undefined,
): Promise<LookWithoutWarnings> {
  const readiness = await settleUnlessAborted(
    prepareSandy(sandy, { retry: mode === 'full' }),
    signal,
  );
  if (readiness === 'aborted') {
    return { observation: blind('sandy-failed', texts.aborted('The look')), durationMs: 0 };
  }
  if (readiness.kind === 'unusable') {
    return { observation: blind(readiness.reason, readiness.text), durationMs: 0 };
  }
  const { args, actualMode } = choosePrintState(readiness, mode);
  const read = async (outcome: ChildOutcome): Promise<Answer> => ({
    outcome,
    observation: await readOutcome(sandy, readiness, args, actualMode, outcome),
  });
  const poll = async () => read(await runPrintState(sandy, readiness, args, signal));
  const { sharesPolls, stateFolder } = sandy.options;
  const { outcome, observation } =
    sharesPolls && stateFolder !== null
      ? await pollTogether({
          folder: stateFolder,
          sandyPath: readiness.info.path,
          mode: actualMode,
          signal,
          poll,
          documentOf: shareableDocument,
          read: (stdout) =>
            read({ kind: 'exited', code: 0, stdout, stderrTail: '', durationMs: 0 }),
        })
      : await poll();
  adjustExpectedSessions(sandy, observation);
  return { observation, durationMs: outcome.durationMs };
}

interface Answer {
  readonly outcome: ChildOutcome;
  readonly observation: Observation;
}

/** Only what saw the host is worth sharing: whoever mends something wants to see it mended. */
function shareableDocument({ outcome, observation }: Answer): string | null {
  return observation.kind === 'sighted' && outcome.kind === 'exited' ? outcome.stdout : null;
}

/** Before 1.0 there is only the full mode. */
function choosePrintState({ hasLightMode }: ReadySandy, mode: PollMode) {
  const light = mode === 'light' && hasLightMode;
  const args: readonly string[] = light ? ['--print-state', 'light'] : ['--print-state'];
  const actualMode: PollMode = light ? 'light' : 'full';
  return { args, actualMode };
}

function runPrintState(
  sandy: Sandy,
  ready: ReadySandy,
  args: readonly string[],
  signal: AbortSignal | undefined,
): Promise<ChildOutcome> {
  const { file, args: argv, environment, cwd } = describeSandyCommand(ready, args);
  return runChild({
    file,
    args: argv,
    // docker prints times in the zone of whoever asks.
    environment: { ...environment, TZ: 'UTC' },
    cwd,
    limitMs: LIMIT_MS + LIMIT_PER_SESSION_MS * sandy.memory.expectedSessions,
    maxOutputBytes: MAX_OUTPUT_BYTES,
    // It only reads and has no time limit of its own: a frozen docker or mount would pile up.
    killing: 'group',
    signal,
  });
}

async function readOutcome(
  sandy: Sandy,
  ready: ReadySandy,
  args: readonly string[],
  mode: PollMode,
  outcome: ChildOutcome,
): Promise<Observation> {
  const command = ['sandy', ...args].join(' ');
  if (outcome.kind !== 'exited' || outcome.code !== 0) {
    const { reason, text } = describeTrouble({ kind: 'command-failed', command, outcome });
    return blind(reason, text);
  }
  const document = parseJsonDocument(outcome.stdout);
  const reading = document === null ? null : readStateDocument(document);
  if (reading === null || reading.kind === 'unreadable') {
    return blind('unreadable', texts.unreadable(command));
  }
  for (const { id } of reading.losses) warnOnce(sandy, { id, text: texts.loss(id) });
  warnOfNewerSchema(sandy, reading.schemaVersion);
  switch (reading.kind) {
    case 'seen': {
      const { sandyHome, sandboxes, sessions } = reading;
      return { kind: 'sighted', mode, sandyHome, sandboxes, sessions };
    }
    case 'docker-unreachable': {
      const text = await explainBlindDocker(splitPath(ready.environment.PATH));
      return blind('docker-unreachable', text, reading.sandboxes);
    }
  }
}

/** sandy says the same of a docker that is down and of one that it can't find; the remedies differ. */
export async function explainBlindDocker(folders: readonly string[]): Promise<string> {
  return (await hasProgram('docker', folders)) ? texts.dockerUnreachable : texts.dockerMissing;
}

function warnOfNewerSchema(sandy: Sandy, version: number | null): void {
  if (version === null || version <= NEWEST_KNOWN_SCHEMA) return;
  warnOnce(sandy, { id: `schema_version ${version}`, text: texts.newerSchema(version) });
}

function adjustExpectedSessions(sandy: Sandy, observation: Observation): void {
  const { memory } = sandy;
  if (observation.kind === 'sighted') {
    memory.expectedSessions = observation.sessions.length;
  } else if (observation.reason === 'timed-out') {
    memory.expectedSessions = Math.max(memory.expectedSessions, SESSIONS_AFTER_TIME_OUT);
  }
}

function blind(
  reason: Blindness['reason'],
  text: string,
  sandboxes: readonly SandboxSight[] | null = null,
): Blindness {
  return { kind: 'blind', reason, text, sandboxes };
}

/** A preparation is shared, so that one caller's abort only ends that caller's wait. */
async function settleUnlessAborted<T>(
  promise: Promise<T>,
  signal: AbortSignal | undefined,
): Promise<T | 'aborted'> {
  if (signal === undefined) return promise;
  let stop = () => {};
  const aborted = new Promise<'aborted'>((resolve) => {
    stop = () => resolve('aborted');
    if (signal.aborted) stop();
    else signal.addEventListener('abort', stop);
  });
  try {
    return await Promise.race([promise, aborted]);
  } finally {
    signal.removeEventListener('abort', stop);
  }
}
