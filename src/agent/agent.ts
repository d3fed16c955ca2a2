import { randomUUID } from 'node:crypto';
import type { AgentClaim } from '../control/agent-lock.ts';
import { nameSocket } from '../control/socket-path.ts';
import type { EventKind, FleetEvent } from '../fleet/events.ts';
import { type Model, newModel } from '../fleet/model.ts';
import { isStartable } from '../fleet/session.ts';
import { view } from '../fleet/view.ts';
import { windowsFrom } from '../fleet/windows.ts';
import type { Notice } from '../notify/notifier.ts';
import { createChangeHints } from '../sandy/change-hints.ts';
import { createSandy } from '../sandy/client.ts';
import { type LogTrouble, openEventLog } from '../store/event-log.ts';
import { openFleetState } from '../store/fleet-state.ts';
import { openLedger } from '../store/ledger.ts';
import type { Preferences } from '../store/preferences.ts';
import { openRunFolders } from '../store/run-folders.ts';
import { applySaved } from '../store/saved-fleet.ts';
import type { WriteOutcome } from '../system/files.ts';
import { formatClock } from '../system/local-time.ts';
import { prepareScope } from '../system/own-scope.ts';
import { createDesk, type DeskOptions } from './desk.ts';
import { createLooking, lookForUpdates } from './looking.ts';
import { createLooks } from './looks.ts';
import { startLoop } from './loop.ts';
import { createOperator } from './operator.ts';
import { quietFrom } from './policy.ts';
import { watchPreferences } from './preferences-watch.ts';
import { createPresence } from './presence.ts';
import { answerRequest } from './requests.ts';
import { createTeller } from './teller.ts';
import { texts } from './texts.ts';
import { startTicking } from './tick.ts';
import { createTroubles } from './troubles.ts';
import { createWaiters } from './waiters.ts';

export interface AgentOptions extends DeskOptions {
  readonly preferences: Preferences;
  readonly version: string;
  /** Writes each notice where there is text. */
  readonly writeLine: (notice: Notice) => void;
  /** The folder's lock, which the agent keeps. */
  readonly claim: AgentClaim;
  /** Another agent has taken the folder: this one should end. */
  readonly onReplaced: (pid: number) => void;
  /** Calls back when the machine wakes, and returns how to stop; null: the clocks alone tell. */
  readonly watchSleep: ((onWake: () => void) => () => Promise<void>) | null;
  /** Somebody starts a lasting agent; null: this one is it. */
  readonly onHandOver: (() => void) | null;
}

/** A running agent. */
export interface Agent {
  /** Tells and saves what there is, lets go of everything, and resolves. */
  readonly stop: () => Promise<void>;
}

/**
 * Starts the agent in this process. The caller has claimed the folder. Whatever can't be had (the disk,
 * the socket) is done without and said: the agent watches all the same.
 */
export async function startAgent(options: AgentOptions): Promise<Agent> {
  const { folders, timeScale, version, claim, onReplaced, onHandOver, warn } = options;
  const { state: folder } = folders;
  const startedAt = Date.now();
  const epoch = randomUUID();
  const troubles = createTroubles({
    describe: texts.notWritten,
    warn,
    onChange: () => publish(loop.model()),
  });
  const log = openEventLog(folder);
  const ledger = openLedger(folder, startedAt);
  const fleetState = openFleetState(folder);
  const runFolders = openRunFolders(folder);
  for (const problem of ledger.problems) warn(problem);
  let warnedProblems = 0;
  const warnOfState = () => {
    for (const problem of fleetState.problems.slice(warnedProblems)) warn(problem);
    warnedProblems = fleetState.problems.length;
  };
  warnOfState();

  let { preferences } = options;
  let sandy = createSandy({ sandyPath: preferences.sandyPath, stateFolder: folder });
  const desk = await createDesk({
    options,
    preferences: () => preferences,
    model: () => loop.model(),
    dispatch: (message) => loop.dispatch(message),
    operator: () => operator,
    troubles: troubles.list,
    publish: () => publish(loop.model()),
    formatTime,
  });
  let rev = 0;
  const publish = (model: Model) => {
    rev += 1;
    const fleet = view(model, Date.now());
    const health = { ...desk.trayHealth(), troubles: troubles.list() };
    presence.server()?.publish(rev, fleet, health);
    desk.note(fleet);
  };
  const presence = createPresence({
    claim,
    server: {
      socketPath: nameSocket(folder),
      identity: { pid: process.pid, version, epoch, startedAt: new Date(startedAt).toISOString() },
      onRequest: (name, body, client) =>
        answerRequest({ loop, waiters, operator, looks, onHandOver }, name, body, client),
      onClientsChanged(clients) {
        waiters.keep(clients);
        attended = clients.some(({ role }) => role === 'update');
      },
    },
    onListening: () => publish(loop.model()),
    onTrouble: (sentence) => troubles.note('socket', sentence),
    onReplaced,
  });
  /** Asked as soon as the loop begins, where an earlier agent was about to look. */
  const left = runFolders.listUnfinished();
  let findOurs = (): ReadonlySet<number> =>
    new Set(left.flatMap(({ steps }) => steps.flatMap(({ process }) => process?.pid ?? [])));
  const hints = createChangeHints(() => loop.dispatch({ kind: 'hinted', at: Date.now() }));

  const poll = createLooking({
    sandy: () => sandy,
    warn,
    onSandyHome: (home) => hints.follow(home),
  });
  const blank = newModel(
    windowsFrom(preferences, timeScale),
    preferences.notify,
    quietFrom(preferences),
  );
  const teller = createTeller({
    log,
    ledger,
    show: async (notice) => {
      options.writeLine(notice);
      await desk.show(notice);
    },
    setting: {
      formatTime,
      isStartable: (key) => isStartable(loop.model().rows.get(key)),
    },
    onWrite: troubles.noteWrite,
  });
  const loop = startLoop(applySaved(blank, fleetState.saved), {
    poll,
    show(model) {
      publish(model);
      looks.note(model);
    },
    tell: teller.tell,
    save(model, forgottenKeys) {
      // What waits for room comes first: once its state is saved, nobody sees a happening again.
      troubles.noteWrite('log', outcomeOf(log.flush()));
      troubles.noteWrite('ledger', ledger.flush());
      const outcome = fleetState.save(model, forgottenKeys);
      warnOfState();
      troubles.noteWrite('state', outcome);
      if (outcome.kind === 'written') troubles.noteWrite('ledger', ledger.prune(Date.now()));
    },
    lookForUpdates: () => lookForUpdates(findOurs()),
  });
  const looks = createLooks(loop.dispatch);
  let attended = false;
  let scope: ReturnType<typeof prepareScope> | null = null;
  const operator = createOperator({
    model: loop.model,
    dispatch: loop.dispatch,
    settle: loop.settle,
    looks,
    timeScale,
    isAttended: () => attended,
    stateFolder: folder,
    folders: runFolders,
    onWrite: (outcome) => troubles.noteWrite('run', outcome),
    onWork: desk.noteWork,
    sandy: () => sandy,
    wrap: () => {
      scope ??= prepareScope(process.env);
      return scope;
    },
    signal: looks.signal,
  });
  findOurs = operator.ourPids;
  // First of all that is dispatched: which hours are quiet hangs on it.
  const ticking = startTicking(timeScale, ({ at, utcOffsetMinutes, woke }) => {
    loop.dispatch({ kind: 'ticked', at, utcOffsetMinutes });
    if (woke) loop.dispatch({ kind: 'woke', at });
    void presence.keep();
  });
  const stopWatchingSleep = options.watchSleep?.(ticking.wake);
  // Before the first look is taken.
  operator.adopt(left);
  const record = (kind: EventKind, text: string) => {
    const event: FleetEvent = {
      at: Date.now(),
      kind,
      key: null,
      incident: null,
      noticeKind: null,
      text,
    };
    log.append(event, false);
    troubles.noteWrite('log', outcomeOf(log.trouble()));
  };
  // One that serves a single command is nothing that a person started.
  if (onHandOver === null) record('agent-started', texts.agentStarted(process.pid, version));

  const waiters = createWaiters(loop.dispatch);
  await presence.keep();
  desk.startTray();

  const stopWatching = watchPreferences({
    folder: folders.config,
    first: preferences,
    warn,
    onChange(changed) {
      if (changed.sandyPath !== preferences.sandyPath) {
        sandy = createSandy({ sandyPath: changed.sandyPath, stateFolder: folder });
        loop.dispatch({ kind: 'refresh-asked', at: Date.now() });
      }
      preferences = changed;
      loop.dispatch({
        kind: 'settings-changed',
        at: Date.now(),
        windows: windowsFrom(preferences, timeScale),
        notify: preferences.notify,
        quiet: quietFrom(preferences),
      });
    },
  });

  return {
    async stop() {
      ticking.stop();
      await stopWatchingSleep?.();
      await desk.stopTray();
      stopWatching();
      hints.stop();
      // Before operator and loop end: nothing may be asked of an agent that will not save it any more.
      await presence.stop();
      await operator.stop();
      await loop.stop();
      await teller.close();
      await desk.closeBanners();
      if (onHandOver === null) record('agent-stopped', texts.agentStopped(process.pid));
    },
  };
}

function outcomeOf(trouble: LogTrouble | null): WriteOutcome {
  if (trouble === null) return { kind: 'written' };
  return { kind: 'not-written', errorCode: trouble.errorCode };
}

function formatTime(at: number): string {
  return formatClock(new Date(at));
}
