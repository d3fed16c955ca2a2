import type { ShimState } from './machine.ts';
import type { OuterTerminal } from './outer-terminal.ts';
import { drawLine } from './terminal-modes.ts';
import { texts } from './texts.ts';

/** What the shim itself writes into the terminal, between its children. */
export interface ShimScreen {
  /** Draws the state: one line rewritten in place while it waits, lines that stay when it has settled. */
  readonly show: (
    state: ShimState,
    now: { readonly typing: boolean; readonly leaves: boolean },
  ) => void;
  readonly sayReattached: (updatedTime: string | null, lineDropped: boolean) => void;
  readonly sayJoined: (pid: number) => void;
  /** The terminal is a child's now. */
  readonly leaveToChild: () => void;
  /** The child is gone: the terminal is put right before any text of ours. */
  readonly takeBack: (detail: string | null) => void;
  readonly noteDetail: (detail: string) => void;
  /** Ends a line that is open, so that the shell's prompt stands on its own. */
  readonly close: () => void;
}

export function createShimScreen(terminal: OuterTerminal, key: string): ShimScreen {
  let waitingSinceMs: number | null = null;
  let detail: string | null = null;
  let settled: string | null = null;
  let lineOpen = false;
  const columns = () => terminal.size().columns;

  const rewrite = (text: string) => {
    terminal.write(drawLine(text, columns()));
    lineOpen = true;
  };
  const say = (text: string) => {
    terminal.write(`${drawLine(text, columns())}\r\n`);
    lineOpen = false;
  };
  return {
    show(state, { typing, leaves }) {
      switch (state.kind) {
        case 'opening':
          return rewrite(texts.opening(key));
        case 'waiting': {
          waitingSinceMs ??= performance.now();
          const waitedMs = performance.now() - waitingSinceMs;
          return rewrite(texts.waiting(key, state.why, waitedMs, typing, columns()));
        }
        case 'idle': {
          waitingSinceMs = null;
          const name = `${state.why} ${state.backAgain}`;
          if (settled === name) return;
          settled = name;
          say(state.backAgain ? texts.backAgain(key) : texts.idle(key, state.why, detail));
          if (!leaves) rewrite(texts.keys(state.why));
          return;
        }
        case 'starting':
          // Whatever comes of it is said, also if it is the same as before.
          settled = null;
          return;
        case 'attaching':
        case 'leaving':
        case 'attached':
        case 'left':
          return;
      }
    },
    sayReattached(updatedTime, lineDropped) {
      say(texts.reattached(key, updatedTime));
      if (lineDropped) say(texts.lineDropped);
    },
    sayJoined(pid) {
      say(texts.joined(key, pid));
    },
    leaveToChild() {
      if (lineOpen) terminal.write(drawLine('', columns()));
      lineOpen = false;
      waitingSinceMs = null;
      settled = null;
      detail = null;
    },
    takeBack(lastLine) {
      terminal.write(terminal.sequences.toMain);
      detail = lastLine;
    },
    noteDetail(text) {
      detail = text;
    },
    close() {
      if (lineOpen) terminal.write('\r\n');
      lineOpen = false;
    },
  };
}
