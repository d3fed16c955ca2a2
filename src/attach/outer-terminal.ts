/** The person's terminal: raw from its opening until it is put right. */

import { closeSync, constants, openSync } from 'node:fs';
import { isatty, ReadStream } from 'node:tty';
import { dropPending, isGone, writeAll } from './terminal-descriptor.ts';
import { chooseSequences, type TerminalNames, type TerminalSequences } from './terminal-modes.ts';
import { makeRaw, makeSane, readSettings, restoreSettings } from './terminal-settings.ts';

export interface TerminalSize {
  readonly columns: number;
  readonly rows: number;
}

/** Takes a listener off again; calling it twice does no harm. */
export type Stop = () => void;

export interface OuterTerminal {
  readonly sequences: TerminalSequences;
  readonly size: () => TerminalSize;
  /** Also called when this process goes on after a stop, as the screen may have changed meanwhile. */
  readonly onResize: (listener: (size: TerminalSize) => void) => Stop;
  /** Reads what is typed; while nobody listens nothing is read. One listener at a time. */
  readonly readInput: (listener: (bytes: Buffer) => void) => Stop;
  /** Writes in the order of the calls. False: the terminal is behind, await `written` before more. */
  readonly write: (bytes: string | Uint8Array) => boolean;
  /** Resolves when all that was written is with the terminal, or the terminal is gone. */
  readonly written: () => Promise<void>;
  /** Resolves when the terminal was closed; nothing can be read or written any more. */
  readonly gone: Promise<void>;
  /**
   * Gives the terminal back as it was: modes, screen, title, stty. At once and without the event loop,
   * so that it works in an `exit` handler; what is not written yet is dropped. The second call does
   * nothing, and nothing else may be called afterwards.
   */
  readonly putRight: () => void;
}

export type TerminalOpening =
  | { readonly kind: 'opened'; readonly terminal: OuterTerminal }
  /** Standard input or output is no terminal, or not one that can be set. */
  | { readonly kind: 'none' };

/** Bytes that may wait for the terminal before the child is held. */
const MOST_WAITING_BYTES = 64 * 1024;

/** A terminal that takes nothing for this long is left as it is: a signal must end this process. */
const PUT_RIGHT_MS = 1_000;

/** Opens the terminal that this process was started in, makes it raw, saves its title. */
export function openTerminal(names: TerminalNames): TerminalOpening {
  const control = openControl();
  if (control === null) return { kind: 'none' };
  const saved = readSettings();
  if (saved === null || !makeRaw()) {
    closeSync(control);
    return { kind: 'none' };
  }
  return { kind: 'opened', terminal: joinTerminal(control, saved, chooseSequences(names)) };
}

function joinTerminal(control: number, saved: string, sequences: TerminalSequences): OuterTerminal {
  const input = new ReadStream(0);
  // Not a WriteStream, which blocks this whole process while the terminal takes nothing: neither a
  // signal nor the agent would be heard.
  const output = new ReadStream(1);
  let isRight = false;
  let isLost = false;
  let reportGone: () => void = () => {};
  const gone = new Promise<void>((resolve) => {
    reportGone = resolve;
  });
  const lose = () => {
    isLost = true;
    input.destroy();
    output.destroy();
    reportGone();
  };
  const loseBy = (error: Error) => {
    if (!isGone(error)) throw error;
    lose();
  };
  input.on('error', loseBy).once('end', lose);
  output.on('error', loseBy);
  output.write(sequences.saveTitle);

  let waitingBytes = 0;
  let writers: (() => void)[] = [];
  const releaseWriters = () => {
    const released = writers;
    writers = [];
    for (const resolve of released) resolve();
  };

  const sizeListeners = new Set<(size: TerminalSize) => void>();
  const reportSize = () => {
    const size = readSize();
    for (const listener of sizeListeners) listener(size);
  };
  const goOn = () => {
    // The shell has made it its own while we were stopped.
    makeRaw();
    reportSize();
  };
  process.stdout.on('resize', reportSize);
  process.on('SIGCONT', goOn);

  return {
    sequences,
    size: readSize,
    onResize: (listener) => {
      sizeListeners.add(listener);
      return () => {
        sizeListeners.delete(listener);
      };
    },
    readInput: (listener) => {
      input.on('data', listener);
      input.resume();
      return () => {
        input.off('data', listener);
        input.pause();
      };
    },
    write: (bytes) => {
      const length = Buffer.byteLength(bytes);
      if (isLost || length === 0) return true;
      waitingBytes += length;
      output.write(bytes, () => {
        // Called in the end even if the terminal was closed.
        waitingBytes -= length;
        if (waitingBytes === 0) releaseWriters();
      });
      return waitingBytes < MOST_WAITING_BYTES;
    },
    written: () =>
      waitingBytes === 0 ? Promise.resolve() : new Promise((resolve) => writers.push(resolve)),
    gone,
    putRight: () => {
      if (isRight) return;
      isRight = true;
      process.stdout.off('resize', reportSize);
      process.off('SIGCONT', goOn);
      input.destroy();
      output.destroy();
      writeAll(control, sequences.toMain + sequences.restoreTitle, PUT_RIGHT_MS);
      dropPending(control);
      restoreSettings(saved);
      closeSync(control);
    },
  };
}

/** A serial line says 0 by 0. */
function readSize(): TerminalSize {
  const { columns, rows } = process.stdout;
  return { columns: columns || 80, rows: rows || 24 };
}

/**
 * Mends a terminal whose process was killed and could not put it right: modes, screen, title, and the
 * settings that a shell can live with. Nothing can be printed afterwards. False: there is no terminal here.
 */
export function mendTerminal(names: TerminalNames): boolean {
  const control = openControl();
  if (control === null) return false;
  const { toMain, restoreTitle } = chooseSequences(names);
  writeAll(control, toMain + restoreTitle, PUT_RIGHT_MS);
  dropPending(control);
  closeSync(control);
  letGoOfStreams();
  return makeSane();
}

/**
 * Node puts back, when it exits, the settings that its standard streams had when it began; here those are
 * the ones to be mended. It leaves a stream alone that is no longer what it was.
 */
function letGoOfStreams(): void {
  for (const stream of [0, 1, 2]) {
    if (!isatty(stream)) continue;
    closeSync(stream);
    openSync('/dev/null', 'r+');
  }
}

/** Its own opening of the terminal, so that it alone does not block. Null: there is no terminal. */
function openControl(): number | null {
  if (!isatty(0) || !isatty(1)) return null;
  try {
    return openSync('/dev/tty', constants.O_RDWR | constants.O_NOCTTY | constants.O_NONBLOCK);
  } catch {
    return null;
  }
}
