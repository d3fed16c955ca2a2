/**
 * The shim's machine: when to attach, when to wait, when to stop and ask. Pure: it is told what ended,
 * what a look showed and what a person pressed, and says what to do. Two rules shape it: *listed is not
 * ready*, so that an automatic attach needs an integer; and *the displaced client exits 3*, so that an
 * automatic attach never puts out a living client and never answers a 3.
 */

import type { ShimWindows } from './shim-windows.ts';

/** What a look showed of the session. `token` names its incarnation; only equality means anything. */
export type SessionLook =
  | { readonly kind: 'absent'; readonly evidence: boolean }
  /** The fleet has settled it: stopped, quit, ended, or lost. */
  | { readonly kind: 'off'; readonly why: 'stopped' | 'quit' | 'ended' | 'down' }
  | { readonly kind: 'unanswered'; readonly token: string; readonly evidence: boolean }
  | {
      readonly kind: 'ready';
      readonly token: string;
      readonly clients: number;
      /** When an update restarted this incarnation (wall clock); null when none did. */
      readonly updatedAt: number | null;
    };

/** One look, by whoever polls: the agent, or this process alone. */
export type Look =
  | {
      readonly kind: 'sighted';
      /** Awake, sighted time since the look before it. */
      readonly elapsedMs: number;
      readonly session: SessionLook;
      /** A run that is going on names this session. */
      readonly inRun: boolean;
      readonly canUpdate: boolean;
    }
  | { readonly kind: 'blind'; readonly elapsedMs: number };

export type ChildEnd =
  | { readonly kind: 'exited'; readonly code: number }
  | { readonly kind: 'signalled' };

export type IdleReason =
  | 'ended'
  | 'stopped'
  | 'quit'
  | 'detached'
  | 'displaced'
  | 'no-session'
  | 'not-back'
  | 'failed'
  | 'start-failed'
  | 'busy'
  | 'flapping'
  | 'unreachable';

export type WaitReason = 'checking' | 'away' | 'updating' | 'starting' | 'silent' | 'blind';

/**
 * Who starts a session: a process of ours, which has the host's slot as long as it does and may attach
 * then; or sandy itself, whose process lives on to watch over the session.
 */
export type StartBy = 'one of ours' | 'sandy itself';

export type ShimState =
  /** Nothing is sure of the session yet: one look that lacks it may be a hiccup. */
  | { readonly kind: 'opening'; readonly lacked: boolean }
  | {
      readonly kind: 'attaching';
      readonly by: 'person' | 'itself';
      /** The first one of this terminal, or one that a person asked for. */
      readonly first: boolean;
    }
  /** sandy's own start runs in this window. */
  | { readonly kind: 'starting' }
  | { readonly kind: 'attached' }
  /** The child left with 3: one look says whether somebody else is in. */
  | { readonly kind: 'leaving'; readonly retry: boolean }
  | {
      readonly kind: 'waiting';
      readonly why: WaitReason;
      /** Looks since the child ended. */
      readonly looks: number;
      /** A look since the child's end lacked the session or saw nothing. */
      readonly lostSight: boolean;
      readonly nullMs: number;
      /** How long a client that may be our own dead one was seen. */
      readonly ghostMs: number;
      readonly end: ChildEnd;
      readonly firstTry: boolean;
      /** A start of this session that was joined: who makes it, or that it has ended. */
      readonly joined: StartBy | 'nothing' | 'over';
    }
  | { readonly kind: 'idle'; readonly why: IdleReason; readonly backAgain: boolean }
  | { readonly kind: 'left'; readonly code: number };

/** The whole memory of one terminal. */
export interface Shim {
  readonly state: ShimState;
  readonly windows: ShimWindows;
  /** `--no-reconnect`: the child's end is the end. */
  readonly reconnects: boolean;
  /** We opened this window: its last words must stay readable. */
  readonly ownsWindow: boolean;
  /** A person asked for it to be started: what is not ready at the first look is not awaited. */
  readonly startsFirst: boolean;
  /** The incarnation before the attach: what counts as a return is measured by it. */
  readonly baseline: string | null;
  /** Awake, sighted time of this absence. */
  readonly spentMs: number;
  readonly blindMs: number;
  /** Automatic attaches to one incarnation since one that lasted, and how many in a row never got in. */
  readonly automatic: { readonly token: string | null; readonly count: number };
  readonly unbelieved: number;
  /** A code 1 was tried again once. */
  readonly retriedFailure: boolean;
}

export type ShimMessage =
  | { readonly kind: 'looked'; readonly look: Look }
  /** `lastedMs`: real time from its start. */
  | { readonly kind: 'ended'; readonly end: ChildEnd; readonly lastedMs: number }
  /** The child lived long enough, or a look showed a client. */
  | { readonly kind: 'believed' }
  /** Another terminal is attaching to the same session at this moment. */
  | { readonly kind: 'contended' }
  /** The host is busy with another start, stop or update. */
  | { readonly kind: 'busy' }
  /** This very session is being started already: that start is awaited instead. */
  | { readonly kind: 'joined'; readonly by: StartBy }
  /** The start that was joined has ended; the next look says what came of it. */
  | { readonly kind: 'start-over' }
  /** No look came in time. */
  | { readonly kind: 'unanswered' }
  | { readonly kind: 'pressed'; readonly key: 'enter' | 'quit' | 'interrupt' };

export type ShimEffect =
  | { readonly kind: 'attach'; readonly by: 'person' | 'itself'; readonly updatedAt: number | null }
  | { readonly kind: 'start' }
  | { readonly kind: 'look' }
  | { readonly kind: 'leave'; readonly code: number };

export type ShimUpdate = readonly [Shim, readonly ShimEffect[]];

export type ShimOptions = Pick<Shim, 'windows' | 'reconnects' | 'ownsWindow'> &
  Partial<Pick<Shim, 'startsFirst'>>;

/** A shim whose person asked for the session; its first look decides how it begins. */
export function newShim({ startsFirst = false, ...options }: ShimOptions): Shim {
  return {
    ...options,
    startsFirst,
    state: { kind: 'opening', lacked: false },
    baseline: null,
    spentMs: 0,
    blindMs: 0,
    automatic: noTries,
    unbelieved: 0,
    retriedFailure: false,
  };
}

const noTries: Shim['automatic'] = { token: null, count: 0 };

/** Takes one message; the only place where the state changes. */
export function updateShim(shim: Shim, message: ShimMessage): ShimUpdate {
  switch (message.kind) {
    case 'believed':
      return [shim.state.kind === 'attaching' ? believe(shim) : shim, []];
    case 'ended':
      return takeEnd(forgetOldTries(shim, message.lastedMs), message.end);
    case 'looked':
      return takeLook(shim, message.look);
    case 'contended':
      return shim.state.kind === 'attaching' ? [stepBack(shim), []] : [shim, []];
    case 'busy':
      return shim.state.kind === 'starting' ? restBusy(shim) : [shim, []];
    case 'joined':
      return shim.state.kind === 'starting' ? joinStart(shim, message.by) : [shim, []];
    case 'start-over':
      return leaveStart(shim);
    case 'unanswered':
      return shim.state.kind === 'leaving' ? rest(shim, 'detached') : [shim, []];
    case 'pressed':
      return takeKey(shim, message.key);
  }
}

function believe(shim: Shim): Shim {
  return {
    ...shim,
    state: { kind: 'attached' },
    spentMs: 0,
    blindMs: 0,
    unbelieved: 0,
    retriedFailure: false,
  };
}

/** docker restarted each night keeps a container's id: what lasted is no loop, whatever it is counted by. */
function forgetOldTries(shim: Shim, lastedMs: number): Shim {
  return lastedMs > shim.windows.watchMs ? { ...shim, automatic: noTries } : shim;
}

function takeEnd(shim: Shim, end: ChildEnd): ShimUpdate {
  const { state } = shim;
  if (state.kind === 'starting') return takeStartEnd(shim, end);
  if (state.kind !== 'attaching' && state.kind !== 'attached') return [shim, []];
  if (!shim.reconnects) return leave(shim, codeWithoutReconnect(end));
  const automatic = state.kind === 'attaching' && state.by === 'itself';
  const unbelieved = automatic ? shim.unbelieved + 1 : 0;
  if (end.kind === 'exited' && end.code === 3) {
    return [
      { ...shim, unbelieved, state: { kind: 'leaving', retry: automatic && unbelieved < 2 } },
      [{ kind: 'look' }],
    ];
  }
  const waiting = beginWaiting(end, state.kind === 'attaching' && state.first);
  // An attach that never got in has not ended the absence that it was to end.
  const believed = state.kind === 'attached';
  const spentMs = believed ? 0 : shim.spentMs;
  return [{ ...shim, state: waiting, unbelieved, spentMs }, [{ kind: 'look' }]];
}

/** Not tried after all: the next look says who got in. */
function stepBack(shim: Shim): Shim {
  const { token, count } = shim.automatic;
  const waiting = { ...beginWaiting({ kind: 'signalled' }, false), lostSight: true, looks: 1 };
  return { ...shim, automatic: { token, count: Math.max(0, count - 1) }, state: waiting };
}

/** sandy says 0 when it can be attached to. */
function takeStartEnd(shim: Shim, end: ChildEnd): ShimUpdate {
  const started = end.kind === 'exited' && end.code === 0;
  return started ? attachUnseen(shim, null) : rest(shim, 'start-failed');
}

function joinStart(shim: Shim, by: StartBy): ShimUpdate {
  const waiting = beginWaiting({ kind: 'signalled' }, false);
  return [
    { ...shim, state: { ...waiting, why: 'starting', lostSight: true, joined: by } },
    [{ kind: 'look' }],
  ];
}

function leaveStart(shim: Shim): ShimUpdate {
  const { state } = shim;
  if (state.kind !== 'waiting' || state.joined === 'nothing') return [shim, []];
  return [{ ...shim, state: { ...state, joined: 'over' } }, [{ kind: 'look' }]];
}

function beginWaiting(end: ChildEnd, firstTry: boolean): ShimState & { kind: 'waiting' } {
  return {
    kind: 'waiting',
    why: 'checking',
    looks: 0,
    lostSight: false,
    nullMs: 0,
    ghostMs: 0,
    end,
    firstTry,
    joined: 'nothing',
  };
}

/** Opened in the middle of a restart: nothing of ours was attached, so nothing of ours can be seen. */
function waitFirst(shim: Shim): Shim {
  return { ...shim, state: { ...beginWaiting({ kind: 'signalled' }, false), lostSight: true } };
}

function takeLook(shim: Shim, look: Look): ShimUpdate {
  const { state } = shim;
  switch (state.kind) {
    case 'opening':
      return open(shim, state.lacked, look);
    case 'attaching':
      return [
        look.kind === 'sighted' && hasClient(look)
          ? takeBaseline(believe(shim), look.session)
          : shim,
        [],
      ];
    case 'attached':
      return [look.kind === 'sighted' ? takeBaseline(shim, look.session) : shim, []];
    case 'leaving':
      return lookAfterLeaving(shim, state.retry, look);
    case 'waiting':
      return lookWhileWaiting(shim, state, look);
    case 'idle':
      return [lookWhileIdle(shim, state, look), []];
    case 'starting':
    case 'left':
      return [shim, []];
  }
}

/** A person asked for it: attach when it is ready, await it in an update, else offer to start it. */
function open(shim: Shim, lacked: boolean, look: Look): ShimUpdate {
  if (shim.startsFirst && (look.kind === 'blind' || look.session.kind !== 'ready')) {
    return start(shim);
  }
  // A failing look says nothing of the session; sandy itself will say what is wrong.
  if (look.kind === 'blind') return attachForPerson(shim, null);
  const { session } = look;
  switch (session.kind) {
    case 'ready':
      return attachForPerson(shim, session.token);
    case 'off':
    case 'absent':
      if (session.kind === 'absent' && session.evidence) return [waitFirst(shim), []];
      if (lacked) return rest(shim, 'no-session');
      return [{ ...shim, state: { kind: 'opening', lacked: true } }, []];
    case 'unanswered':
      return [waitFirst(shim), []];
  }
}

function attachForPerson(shim: Shim, token: string | null): ShimUpdate {
  return [
    { ...shim, baseline: token, state: { kind: 'attaching', by: 'person', first: true } },
    [{ kind: 'attach', by: 'person', updatedAt: null }],
  ];
}

/** Nobody has looked for a while: which life it gets into, a look has to say. */
function attachUnseen(shim: Shim, token: string | null): ShimUpdate {
  const [next, effects] = attachForPerson(shim, token);
  return [next, [...effects, { kind: 'look' }]];
}

function hasClient(look: Look & { kind: 'sighted' }): boolean {
  return look.session.kind === 'ready' && look.session.clients > 0;
}

/** While a client is in, the incarnation that it is in is the baseline. */
function takeBaseline(shim: Shim, session: SessionLook): Shim {
  return session.kind === 'ready' && session.clients > 0
    ? { ...shim, baseline: session.token }
    : shim;
}

/** A 3 is final. Only an automatic attach that never got in, with nobody in now, is tried once more. */
function lookAfterLeaving(shim: Shim, retry: boolean, look: Look): ShimUpdate {
  if (look.kind === 'blind' || look.session.kind !== 'ready') return rest(shim, 'detached');
  if (look.session.clients > 0) return rest(shim, 'displaced');
  return retry ? attachItself(shim, look.session) : rest(shim, 'detached');
}

function lookWhileIdle(shim: Shim, state: ShimState & { kind: 'idle' }, look: Look): Shim {
  const back = look.kind === 'sighted' && look.session.kind === 'ready';
  return back && watchedWhileIdle.has(state.why) && !state.backAgain
    ? { ...shim, state: { ...state, backAgain: true } }
    : shim;
}

function lookWhileWaiting(
  shim: Shim,
  state: ShimState & { kind: 'waiting' },
  look: Look,
): ShimUpdate {
  const { windows } = shim;
  const looks = state.looks + 1;
  // The first look ends a time in which nobody watched.
  const elapsedMs = state.looks === 0 ? 0 : look.elapsedMs;
  if (look.kind === 'blind') {
    const blindMs = shim.blindMs + elapsedMs;
    const waiting = { ...state, looks, why: 'blind', lostSight: true } as const;
    const blind = { ...shim, blindMs, state: waiting };
    return blindMs > windows.watchMs ? rest(blind, 'unreachable') : [blind, []];
  }
  const seen: Shim = { ...shim, blindMs: 0 };
  const { session } = look;
  if (state.joined !== 'nothing' && (session.kind === 'off' || session.kind === 'absent')) {
    // Whoever starts it knows when to give up.
    if (state.joined === 'over') return rest(seen, 'start-failed');
    return [{ ...seen, state: { ...state, looks, why: 'starting' } }, []];
  }
  switch (session.kind) {
    case 'off':
      if (isRefused(state)) return rest(seen, 'no-session');
      return rest(seen, look.canUpdate ? settledWhys[session.why] : 'ended');
    case 'absent': {
      if (!look.canUpdate) return rest(seen, 'ended');
      // The look that first lacks it can't have evidence yet.
      if (isRefused(state) && state.looks > 0 && !session.evidence) return rest(seen, 'no-session');
      const spentMs = seen.spentMs + elapsedMs;
      const why = session.evidence ? 'updating' : 'away';
      const next = { ...seen, spentMs, state: { ...state, looks, why, lostSight: true } as const };
      const limitMs = session.evidence ? windows.watchMs : windows.returnMs;
      return spentMs >= limitMs ? rest(next, 'not-back') : [next, []];
    }
    case 'unanswered': {
      if (!look.canUpdate && state.joined === 'nothing') return rest(seen, 'ended');
      const nullMs = state.nullMs + elapsedMs;
      const ending = session.token === seen.baseline && !state.lostSight && !look.inRun;
      const why = ending ? 'silent' : 'starting';
      const next = { ...seen, state: { ...state, looks, nullMs, why } as const };
      if (ending && nullMs > windows.quitMs) return rest(next, 'quit');
      return nullMs > windows.notAttachableMs ? rest(next, 'failed') : [next, []];
    }
    case 'ready':
      return lookAtReady(seen, { ...state, looks }, look, session);
  }
}

/** What the fleet has settled on. Without a reason it is, to whoever waits, not back. */
const settledWhys = {
  stopped: 'stopped',
  quit: 'quit',
  ended: 'not-back',
  down: 'not-back',
} as const satisfies Record<(SessionLook & { kind: 'off' })['why'], IdleReason>;

/** A person's attach to which sandy said that there is no such session. */
function isRefused({ firstTry, end }: ShimState & { kind: 'waiting' }): boolean {
  return firstTry && end.kind === 'exited' && end.code === 4;
}

function lookAtReady(
  shim: Shim,
  state: ShimState & { kind: 'waiting' },
  look: Look & { kind: 'sighted' },
  session: SessionLook & { kind: 'ready' },
): ShimUpdate {
  if (session.clients > 0) {
    // Our own client may be counted for a moment after its end.
    const ghostMs = state.ghostMs + (state.looks <= 1 ? 0 : look.elapsedMs);
    const mayBeOurs = session.token === shim.baseline && ghostMs < shim.windows.ghostMs;
    return mayBeOurs ? [{ ...shim, state: { ...state, ghostMs } }, []] : rest(shim, 'displaced');
  }
  if (state.joined === 'one of ours') {
    // Whoever starts it may be about to attach: that is known once the slot is free.
    return [{ ...shim, state }, []];
  }
  if (state.end.kind === 'exited' && state.end.code === 1) {
    if (shim.retriedFailure) return rest(shim, 'failed');
    return attachItself({ ...shim, retriedFailure: true }, session);
  }
  return attachItself(shim, session);
}

const MOST_AUTOMATIC = 3;

/** Attaches by itself, unless it has done so too often without getting or staying in. */
function attachItself(shim: Shim, session: SessionLook & { kind: 'ready' }): ShimUpdate {
  const same = shim.automatic.token === session.token;
  const count = same ? shim.automatic.count + 1 : 1;
  if (count > MOST_AUTOMATIC || shim.unbelieved >= MOST_AUTOMATIC) return rest(shim, 'flapping');
  const { baseline } = shim;
  const updated = baseline !== null && baseline !== session.token ? session.updatedAt : null;
  return [
    {
      ...shim,
      baseline: session.token,
      automatic: { token: session.token, count },
      state: { kind: 'attaching', by: 'itself', first: false },
    },
    [{ kind: 'attach', by: 'itself', updatedAt: updated }],
  ];
}

function takeKey(shim: Shim, key: 'enter' | 'quit' | 'interrupt'): ShimUpdate {
  const { state } = shim;
  switch (state.kind) {
    case 'opening':
    case 'waiting':
      return key === 'interrupt' ? leave(shim, 4) : [shim, []];
    case 'leaving':
      return key === 'interrupt' ? leaveDetached(shim) : [shim, []];
    case 'idle':
      return key === 'enter' ? tryAgain(shim, state) : leave(shim, exitCodes[state.why]);
    case 'attaching':
    case 'attached':
    case 'starting':
    case 'left':
      return [shim, []];
  }
}

/** A person asked: all budgets are new, and whoever is in may be put out. */
function tryAgain(shim: Shim, idle: ShimState & { kind: 'idle' }): ShimUpdate {
  const { windows, reconnects, ownsWindow, baseline } = shim;
  const fresh = newShim({ windows, reconnects, ownsWindow });
  const starts = startable.has(idle.why) && !idle.backAgain;
  return starts ? start(fresh) : attachUnseen(fresh, baseline);
}

/** Whoever else starts, stops or updates keeps it waiting: the slot is asked before sandy is. */
function start(shim: Shim): ShimUpdate {
  return [{ ...shim, state: { kind: 'starting' } }, [{ kind: 'start' }]];
}

/** Where there is nothing to attach to, Enter starts it. */
const startable: ReadonlySet<IdleReason> = new Set([
  'no-session',
  'start-failed',
  'busy',
  'stopped',
  'ended',
  'quit',
]);

/** Where it may come by itself: looked for, but not attached to. */
export const watchedWhileIdle: ReadonlySet<IdleReason> = new Set([
  'not-back',
  'unreachable',
  'busy',
]);

/** Detached and ended give the shell back at once; everything else, and our own window, asks first. */
const leavesAtOnce: ReadonlySet<IdleReason> = new Set(['detached', 'ended', 'stopped', 'quit']);

const exitCodes: Readonly<Record<IdleReason, number>> = {
  ended: 0,
  stopped: 0,
  quit: 0,
  detached: 3,
  displaced: 3,
  'no-session': 4,
  'not-back': 4,
  failed: 5,
  'start-failed': 5,
  busy: 5,
  flapping: 5,
  unreachable: 5,
};

/** Nobody has looked since it was asked for, and it may be started by whoever is at work. */
function restBusy(shim: Shim): ShimUpdate {
  const [idle] = rest(shim, 'busy');
  return [idle, [{ kind: 'look' }]];
}

function rest(shim: Shim, why: IdleReason): ShimUpdate {
  const idle: Shim = { ...shim, state: { kind: 'idle', why, backAgain: false } };
  if (!shim.ownsWindow && leavesAtOnce.has(why)) {
    return [idle, [{ kind: 'leave', code: exitCodes[why] }]];
  }
  return [idle, []];
}

/** The 3 has told already that the session lives; who is in now nobody waits to hear. */
function leaveDetached(shim: Shim): ShimUpdate {
  const [idle] = rest(shim, 'detached');
  return [idle, [{ kind: 'leave', code: exitCodes.detached }]];
}

function leave(shim: Shim, code: number): ShimUpdate {
  return [{ ...shim, state: { kind: 'left', code } }, [{ kind: 'leave', code }]];
}

function codeWithoutReconnect(end: ChildEnd): number {
  if (end.kind === 'signalled') return 5;
  return end.code === 0 || end.code === 3 || end.code === 4 ? end.code : 5;
}
