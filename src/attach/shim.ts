import { type AttachedEnd, startAttached } from './attached.ts';
import { type GapInput, isDropping, noteDropped, nothingTyped, passKeys } from './gap-input.ts';
import { createLastLine } from './last-line.ts';
import { readLook, type StampedView, type Target } from './look-reading.ts';
import type { LookSource } from './look-source.ts';
import {
  type ChildEnd,
  type Shim,
  type ShimEffect,
  type ShimMessage,
  type StartBy,
  updateShim,
  watchedWhileIdle,
} from './machine.ts';
import type { OuterTerminal, Stop } from './outer-terminal.ts';
import type { PtyRequest } from './pty-child.ts';
import { createShimScreen } from './shim-screen.ts';

/** A command for a child in the terminal. */
export type ChildCommand = Omit<PtyRequest, 'size' | 'onData'>;

/** What came of asking for the host's one slot. */
export type StartClaim =
  | { readonly kind: 'held'; readonly release: () => Promise<unknown> }
  /** `text`: with what. */
  | { readonly kind: 'busy'; readonly text: string }
  /** Process `pid` starts this very session. `over` resolves when nobody does any more, or once `isOff`. */
  | {
      readonly kind: 'joined';
      readonly by: StartBy;
      readonly pid: number;
      readonly over: (isOff: () => boolean) => Promise<void>;
    };

/** What a shim stands on; each may fail without the terminal being left in disorder. */
export interface ShimPorts {
  readonly target: Target;
  /** What people call it. */
  readonly name: string;
  readonly terminal: OuterTerminal;
  /** Somebody to look: the agent if there is one, else this process. Never rejects. */
  readonly openSource: () => Promise<LookSource>;
  readonly commandOf: (verb: 'attach' | 'start') => ChildCommand;
  /** The key's lock round "nobody is in, so attach"; null: another terminal has it. */
  readonly claimAttach: () => Promise<(() => Promise<unknown>) | null>;
  /** To be asked for before sandy's own start. */
  readonly claimStart: () => Promise<StartClaim>;
  /** A time of day in this zone. */
  readonly formatTime: (at: number) => string;
  /** Called with the way to end all that is started here, for whoever guards the terminal. */
  readonly onStart: (hangUp: () => void) => void;
}

type EndMessage = ShimMessage & { readonly kind: 'ended' };

const CTRL_C = 0x03;
const QUIT_KEY = 'q'.charCodeAt(0);

/** Exit code of a process whose terminal was closed, as a shell counts SIGHUP. */
const TERMINAL_GONE = 129;

/** Runs one terminal on one session until it is left; resolves to the exit code. */
export function runShim(first: Shim, ports: ShimPorts): Promise<number> {
  return new Promise((resolve) => {
    const { terminal, target } = ports;
    const { windows } = first;
    const screen = createShimScreen(terminal, ports.name);
    let shim = first;
    let source: LookSource | null = null;
    let opening: Promise<void> | null = null;
    let seen: StampedView | null = null;
    /** When the last child began or ended: an older look says nothing of what came after. */
    let turnedMs = Number.NEGATIVE_INFINITY;
    let typed: GapInput = nothingTyped;
    let lastKeyMs = performance.now();
    let stopReading: Stop = () => {};
    let redraw: NodeJS.Timeout | null = null;
    let answer: NodeJS.Timeout | null = null;
    let hangUpChild = () => {};
    let claim: (() => Promise<unknown>) | null = null;
    /** Since when another terminal has had the lock at each of our tries. */
    let contendedMs: number | null = null;
    let finished = false;

    const finish = (code: number) => {
      if (finished) return;
      finished = true;
      stopReading();
      closeSource();
      if (redraw !== null) clearInterval(redraw);
      if (answer !== null) clearTimeout(answer);
      screen.close();
      resolve(code);
    };

    const dispatch = (message: ShimMessage) => {
      if (finished) return;
      const [next, effects] = updateShim(shim, message);
      shim = next;
      show(effects.some((effect) => effect.kind === 'leave'));
      for (const effect of effects) perform(effect);
      // Once it is in, everybody can see that somebody is.
      if (shim.state.kind === 'attached') void letGo();
      if (!needsLooks(shim)) closeSource();
      else if (shim.state.kind === 'idle') source?.rest();
    };

    const perform = (effect: ShimEffect) => {
      switch (effect.kind) {
        case 'attach':
          void attach(effect.by, effect.updatedAt);
          break;
        case 'start':
          void start();
          break;
        case 'look':
          look();
          if (answer !== null) clearTimeout(answer);
          if (shim.state.kind === 'leaving') {
            answer = setTimeout(() => dispatch({ kind: 'unanswered' }), windows.leavingMs);
          }
          break;
        case 'leave':
          finish(effect.code);
          break;
      }
    };

    const openSource = async () => {
      if (source !== null) return;
      opening ??= ports.openSource().then((opened) => {
        opening = null;
        if (finished || !needsLooks(shim)) return opened.close();
        source = opened;
        opened.onLost(() => {
          source = null;
          if (needsLooks(shim)) look();
        });
        opened.onView((view) => {
          const look = readLook(view, target, seen);
          if (look === null) return;
          seen = view;
          if (view.begunMs < turnedMs) return;
          dispatch({ kind: 'looked', look });
        });
      });
      await opening;
    };
    const look = () => {
      void openSource().then(() => {
        if (shim.state.kind === 'idle') source?.rest();
        else source?.begin();
      });
    };
    const closeSource = () => {
      source?.close();
      source = null;
    };

    /** Draws what the state says; once a second while time passes in it. */
    const show = (leaves: boolean) => {
      if (redraw !== null) clearInterval(redraw);
      redraw = null;
      const draw = () => screen.show(shim.state, { typing: typed.begun, leaves });
      draw();
      if (shim.state.kind === 'waiting') redraw = setInterval(draw, 1_000);
    };

    const readKeys = () => {
      stopReading = terminal.readInput((bytes) => {
        const nowMs = performance.now();
        typed = noteDropped(typed, bytes, nowMs);
        const paused = nowMs - lastKeyMs >= windows.pauseMs;
        lastKeyMs = nowMs;
        if (bytes.includes(CTRL_C)) dispatch({ kind: 'pressed', key: 'interrupt' });
        // Whoever is typing does not mean us: a key counts after a second of silence.
        else if (!paused) return;
        else if (bytes[0] === 0x0d || bytes[0] === 0x0a)
          dispatch({ kind: 'pressed', key: 'enter' });
        else if (bytes[0] === QUIT_KEY) dispatch({ kind: 'pressed', key: 'quit' });
      });
    };

    const attach = async (by: 'person' | 'itself', updatedAt: number | null) => {
      if (by === 'itself') {
        claim = await ports.claimAttach();
        if (finished) return void letGo();
        if (claim === null && !isStuck()) return dispatch({ kind: 'contended' });
        contendedMs = null;
        const updatedTime = updatedAt === null ? null : ports.formatTime(updatedAt);
        const dropping = isDropping(typed, performance.now(), windows.pauseMs);
        screen.sayReattached(updatedTime, dropping);
      }
      const end = await runChild('attach');
      await letGo();
      if (end !== null) dispatch(end);
    };
    /** Whoever has the lock is in, and lets it go, within the time of a belief: one that is stopped never is. */
    const isStuck = () => {
      contendedMs ??= performance.now();
      return performance.now() - contendedMs > 2 * windows.believedMs;
    };
    const letGo = async () => {
      const held = claim;
      claim = null;
      await held?.();
    };

    const start = async () => {
      const slot = await ports.claimStart();
      if (slot.kind === 'busy') {
        screen.noteDetail(slot.text);
        return dispatch({ kind: 'busy' });
      }
      if (slot.kind === 'joined') {
        if (finished) return;
        screen.sayJoined(slot.pid);
        dispatch({ kind: 'joined', by: slot.by });
        await slot.over(() => finished || !isJoined(shim));
        if (!isJoined(shim)) return;
        // What was seen before its end says nothing of what came of it.
        turnedMs = performance.now();
        return dispatch({ kind: 'start-over' });
      }
      const end = finished ? null : await runChild('start');
      // Whoever has joined this start leaves the session to this terminal, which attaches now.
      if (end?.end.kind === 'exited' && end.end.code === 0) claim ??= await ports.claimAttach();
      await slot.release();
      if (end !== null) dispatch(end);
    };

    /** One child from its start to its end, with the terminal put right; null: the terminal is gone. */
    const runChild = async (verb: 'attach' | 'start'): Promise<EndMessage | null> => {
      stopReading();
      const startedMs = performance.now();
      turnedMs = startedMs;
      const lastLine = createLastLine();
      screen.leaveToChild();
      const started = await startAttached(ports.commandOf(verb), terminal, {
        passKeys: (bytes) => {
          const passing = passKeys(typed, bytes, performance.now(), windows.pauseMs);
          typed = passing.input;
          return passing.passed;
        },
        onOutput: lastLine.take,
      });
      if (started.kind !== 'started') {
        screen.takeBack(started.kind === 'not-started' ? started.reason : started.kind);
        readKeys();
        return { kind: 'ended', end: { kind: 'exited', code: 1 }, lastedMs: 0 };
      }
      hangUpChild = started.child.hangUp;
      const believed =
        verb === 'attach'
          ? setTimeout(() => dispatch({ kind: 'believed' }), windows.believedMs)
          : undefined;
      const end = await started.ended;
      clearTimeout(believed);
      typed = nothingTyped;
      turnedMs = performance.now();
      lastKeyMs = turnedMs;
      contendedMs = null;
      if (end.kind === 'terminal-gone') {
        finish(TERMINAL_GONE);
        return null;
      }
      screen.takeBack(lastLine.read());
      readKeys();
      return { kind: 'ended', end: readEnd(end), lastedMs: turnedMs - startedMs };
    };

    ports.onStart(() => {
      hangUpChild();
      // A look that hangs would outlive us, for as long as docker does.
      closeSource();
    });
    void terminal.gone.then(() => finish(TERMINAL_GONE));
    readKeys();
    show(false);
    look();
  });
}

function readEnd(end: Exclude<AttachedEnd, { kind: 'terminal-gone' }>): ChildEnd {
  return end.kind === 'exited' ? end : { kind: 'signalled' };
}

function isJoined({ state }: Shim): boolean {
  return state.kind === 'waiting' && state.joined !== 'nothing' && state.joined !== 'over';
}

/** An attached terminal asks for no look: nothing moves while nothing happens. */
function needsLooks({ state }: Shim): boolean {
  switch (state.kind) {
    case 'opening':
    case 'attaching':
    case 'leaving':
    case 'waiting':
      return true;
    case 'idle':
      return watchedWhileIdle.has(state.why);
    case 'starting':
    case 'attached':
    case 'left':
      return false;
  }
}
