import { setFlagsFromString } from 'node:v8';
import { startAgent } from '../agent/agent.ts';
import { type ClaimOutcome, claimAgent } from '../control/agent-lock.ts';
import { createLineNotifier } from '../notify/line-notifier.ts';
import { listSystemBusSockets } from '../system/dbus-address.ts';
import { connectBus } from '../system/dbus-connection.ts';
import { formatClock } from '../system/local-time.ts';
import { pruneResources } from '../system/resources.ts';
import { watchSleep } from '../system/sleep-watch.ts';
import { contactAgent } from './agent-connection.ts';
import { parseArguments } from './arguments.ts';
import { exitCodes, UsageError } from './command.ts';
import { openDesktop } from './desktop.ts';
import { startBanners } from './notifier-choice.ts';
import { setUp } from './setup.ts';
import { texts } from './texts.ts';
import { prepareTray } from './tray-choice.ts';
import { version } from './version.ts';
import { findProgram, prepareWindows } from './window-parts.ts';

export async function run(args: readonly string[]): Promise<number> {
  const { values, positionals } = parseArguments(args, { 'no-tray': { type: 'boolean' } });
  if (positionals.length > 0) throw new UsageError(texts.tooManyArguments);
  const setup = setUp();
  const { folders, preferences, timeScale } = setup;
  // It lives long and keeps little: otherwise the room for new objects outgrows all that is kept.
  setFlagsFromString('--semi-space-growth-factor=1');
  const warn = (sentence: string) => process.stderr.write(`${sentence}\n`);
  const program = findProgram();
  const claim = await claimForGood(folders.state, warn);
  if (claim.kind === 'already-running') {
    process.stdout.write(`${texts.alreadyRunning(claim.pid)}\n`);
    return exitCodes.ok;
  }
  if (claim.kind === 'failed') warn(texts.notClaimed(claim.errorCode));
  const desktop = openDesktop(timeScale);
  pruneResources();
  const { ended, end } = waitForEnd();
  // Nobody reads its lines any more: the log has them, and the agent goes on.
  process.on('SIGPIPE', () => {});
  const agent = await startAgent({
    folders,
    preferences,
    timeScale,
    version,
    writeLine: createLineNotifier(process.stdout, (at) => formatClock(new Date(at))),
    notifier: (listener) => startBanners({ desktop, listener, timeScale }),
    claim,
    onReplaced: (pid) => {
      warn(texts.replaced(pid));
      end();
    },
    watchSleep: process.platform === 'linux' ? watchLogind : null,
    onHandOver: null,
    tray: prepareTray(values['no-tray'] === true ? 'off' : preferences.tray, setup, desktop),
    windows: (now) => prepareWindows(setup, now, program),
    onQuit: end,
    warn,
  });
  process.stdout.write(`${texts.watching(process.pid)}\n`);
  await ended;
  await agent.stop();
  await desktop.close();
  await claim.release();
  return exitCodes.ok;
}

function watchLogind(onWake: () => void): () => Promise<void> {
  return watchSleep(connectBus(process.env, 1, listSystemBusSockets), onWake);
}

/** How long an agent that serves one command has to answer, and how often it is asked to make room. */
const HAND_OVER_LIMIT_MS = 10_000;
const HAND_OVER_EVERY_MS = 3_000;
const HAND_OVER_LOOK_MS = 50;
/** Most make room at once, and nobody need be told. */
const HAND_OVER_TOLD_MS = 2_000;

/**
 * Takes the folder, also from an agent that only serves one command, such as an update on a terminal: it
 * goes when that command does, so that it is waited for however long it takes to make room.
 */
async function claimForGood(
  stateFolder: string,
  warn: (sentence: string) => void,
): Promise<ClaimOutcome> {
  const beganAt = performance.now();
  let askedAt = Number.NEGATIVE_INFINITY;
  let toldOf: number | null = null;
  for (;;) {
    const claim = await claimAgent(stateFolder, { version, passing: false });
    if (claim.kind !== 'already-running' || !claim.passing) return claim;
    const now = performance.now();
    if (claim.pid !== toldOf && now - beganAt > HAND_OVER_TOLD_MS) {
      warn(texts.waitingForRoom(claim.pid));
      toldOf = claim.pid;
    }
    if (now - askedAt > HAND_OVER_EVERY_MS) {
      const contact = await contactAgent(stateFolder, 'run');
      if (contact.kind === 'connected') {
        await contact.connection.request('hand-over', null, HAND_OVER_LIMIT_MS);
        contact.connection.close();
        // One that can't be reached yet has only just begun.
        askedAt = performance.now();
      }
    }
    await new Promise((resolve) => setTimeout(resolve, HAND_OVER_LOOK_MS));
  }
}

/**
 * `ended` resolves at the first signal that asks us to end, or with `end`. A second signal ends the
 * process at once.
 */
function waitForEnd(): { readonly ended: Promise<void>; readonly end: () => void } {
  let end = () => {};
  const ended = new Promise<void>((resolve) => {
    end = resolve;
  });
  let asked = false;
  const take = () => {
    if (asked) process.exit(exitCodes.failed);
    asked = true;
    end();
  };
  // Never taken off: while a child runs, execa kills a process that has no listener but its own.
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, take);
  return { ended, end };
}
