/**
 * A connection to a bus: the one to the session bus is for all that is shown on a desktop. It connects by
 * itself, again and again while there is no bus, and what was asked of it (objects, signals, names) holds
 * over every loss. While it is connected nothing ticks. Nothing of it throws, and nothing ends the process.
 */

import { listBusSockets } from './dbus-address.ts';
import {
  BUS_NAME,
  describeNameRule,
  describeRule,
  isMatching,
  isOwnerNeeded,
  type SignalMatch,
} from './dbus-match.ts';
import { answerCall, type BusObject } from './dbus-object.ts';
import {
  type BusCall,
  type BusSession,
  type BusSignal,
  type CallOutcome,
  type OutgoingSignal,
  openSession,
  type SessionListener,
  toBus,
} from './dbus-session.ts';

export type { SignalMatch } from './dbus-match.ts';
export type { BusObject, BusVariant } from './dbus-object.ts';
export type { BusCall, BusSignal, CallOutcome, OutgoingSignal } from './dbus-session.ts';

export type BusState = 'connecting' | 'connected' | 'no-bus' | 'closed';

export interface BusConnection {
  readonly state: () => BusState;
  /** Returns how to stop listening; so do all below. */
  readonly onState: (listener: (state: BusState) => void) => () => void;
  /** Never rejects, and always settles within the call's limit. */
  readonly call: (call: BusCall) => Promise<CallOutcome>;
  /** False: there is no bus, or the values don't fit the signature. */
  readonly emit: (signal: OutgoingSignal) => boolean;
  /** Answers calls to a path, now and after every reconnecting. */
  readonly exportObject: (path: string, object: BusObject) => () => void;
  readonly onSignal: (match: SignalMatch, listener: (signal: BusSignal) => void) => () => void;
  /**
   * Says who has a name: once it is known, whenever that changes, and null where there is no bus. The
   * owner is a unique name such as `:1.7`; another one is another process, even if it looks the same.
   */
  readonly watchName: (name: string, listener: (owner: string | null) => void) => () => void;
  /** Settles once all that was said before has been sent, within a second. Nothing is done afterwards. */
  readonly close: () => Promise<void>;
}

const FIRST_RETRY_MS = 15_000;
const LAST_RETRY_MS = 300_000;
/** For calls to the bus itself, which answers at once unless it is frozen. */
const BUS_LIMIT_MS = 25_000;

interface WatchedName {
  /** Undefined: not known yet. */
  owner: string | null | undefined;
  readonly listeners: Set<(owner: string | null) => void>;
}

interface Subscription {
  readonly match: SignalMatch;
  readonly listener: (signal: BusSignal) => void;
}

/**
 * Starts to connect to the bus that the environment names.
 * @param timeScale by which the delays between attempts are divided
 * @param listSockets where that bus may listen; left out: the session bus
 */
export function connectBus(
  variables: Readonly<Record<string, string | undefined>>,
  timeScale: number,
  listSockets = listBusSockets,
): BusConnection {
  const stateListeners = new Set<(state: BusState) => void>();
  const objects = new Map<string, BusObject>();
  const subscriptions = new Set<Subscription>();
  const names = new Map<string, WatchedName>();
  let state: BusState = 'connecting';
  let session: BusSession | null = null;
  let retryTimer: NodeJS.Timeout | undefined;
  let retryMs = FIRST_RETRY_MS;
  let connectedAt = 0;
  let attempt: Promise<void> = Promise.resolve();
  let onEnded: (() => void) | null = null;
  const closing = new AbortController();

  const setState = (next: BusState) => {
    if (state === next || state === 'closed') return;
    state = next;
    for (const listener of [...stateListeners]) listener(next);
  };
  const ask = (member: string, argument: string, done: (outcome: CallOutcome) => void) => {
    const asked = session;
    const limitMs = BUS_LIMIT_MS;
    asked?.call({ ...toBus(member), signature: 's', body: [argument], limitMs }, (outcome) => {
      // A frozen bus is no better than none: another connection shows when it is back.
      if (outcome.kind === 'too-late') asked.close();
      else done(outcome);
    });
  };
  const setOwner = (name: string, owner: string | null) => {
    const watched = names.get(name);
    if (watched === undefined || watched.owner === owner) return;
    watched.owner = owner;
    for (const listener of [...watched.listeners]) listener(owner);
  };
  const followName = (name: string) => {
    ask('AddMatch', describeNameRule(name), ignore);
    // Answers and signals come in the order in which the bus sent them: the later one is right.
    ask('GetNameOwner', name, (outcome) => {
      setOwner(name, outcome.kind === 'returned' ? String(outcome.body[0]) : null);
    });
  };

  const hear = (signal: BusSignal) => {
    if (signal.sender === BUS_NAME && signal.member === 'NameOwnerChanged') {
      const [name, , owner] = signal.body;
      return setOwner(String(name), owner === '' ? null : String(owner));
    }
    for (const { match, listener } of [...subscriptions]) {
      if (isMatching(match, signal, names.get(match.sender)?.owner)) listener(signal);
    }
  };
  const lose = () => {
    session = null;
    if (state === 'closed') return onEnded?.();
    // A bus that lets us in and drops us at once is no better than none.
    if (performance.now() - connectedAt > FIRST_RETRY_MS / timeScale) retryMs = FIRST_RETRY_MS;
    waitForBus();
    for (const name of names.keys()) setOwner(name, null);
  };
  const waitForBus = () => {
    retryTimer = setTimeout(() => {
      attempt = connect();
    }, retryMs / timeScale);
    retryMs = Math.min(retryMs * 2, LAST_RETRY_MS);
    setState('no-bus');
  };
  const sessionListener: SessionListener = {
    onOpen(opened) {
      session = opened;
      connectedAt = performance.now();
      for (const { match } of subscriptions) ask('AddMatch', describeRule(match), ignore);
      for (const name of names.keys()) followName(name);
      setState('connected');
    },
    onCall: (call) => answerCall(objects, call),
    onSignal: hear,
    onClosed: lose,
  };
  const connect = async () => {
    for (const socketPath of listSockets(variables)) {
      const isOpen = await openSession(socketPath, sessionListener, closing.signal);
      if (isOpen || closing.signal.aborted) return;
    }
    waitForBus();
    // Nobody has a name on a bus that is not there.
    for (const name of names.keys()) setOwner(name, null);
  };

  const watchName: BusConnection['watchName'] = (name, listener) => {
    const known = names.get(name);
    const watched = known ?? {
      owner: state === 'no-bus' ? null : undefined,
      listeners: new Set(),
    };
    names.set(name, watched);
    watched.listeners.add(listener);
    if (known === undefined) followName(name);
    if (watched.owner !== undefined) listener(watched.owner);
    return () => {
      watched.listeners.delete(listener);
      if (watched.listeners.size > 0 || names.get(name) !== watched) return;
      names.delete(name);
      ask('RemoveMatch', describeNameRule(name), ignore);
    };
  };

  attempt = connect();
  return {
    state: () => state,
    onState(listener) {
      stateListeners.add(listener);
      return () => stateListeners.delete(listener);
    },
    call: (call) =>
      new Promise((settle) => {
        if (session === null || state === 'closed') settle({ kind: 'no-bus' });
        else session.call(call, settle);
      }),
    emit: (signal) => session !== null && state !== 'closed' && session.emit(signal) === 'sent',
    exportObject(path, object) {
      objects.set(path, object);
      return () => {
        if (objects.get(path) === object) objects.delete(path);
      };
    },
    onSignal(match, listener) {
      const subscription = { match, listener };
      subscriptions.add(subscription);
      ask('AddMatch', describeRule(match), ignore);
      const forgetName = isOwnerNeeded(match.sender) ? watchName(match.sender, ignore) : ignore;
      return () => {
        if (!subscriptions.delete(subscription)) return;
        ask('RemoveMatch', describeRule(match), ignore);
        forgetName();
      };
    },
    watchName,
    async close() {
      if (state !== 'closed') {
        setState('closed');
        closing.abort();
        clearTimeout(retryTimer);
        objects.clear();
      }
      await attempt;
      if (session === null) return;
      const ended = new Promise<void>((settle) => {
        onEnded = settle;
      });
      session.close();
      await ended;
    },
  };
}

function ignore(): void {}
