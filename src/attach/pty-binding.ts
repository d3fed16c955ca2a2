/**
 * The native part of node-pty, without the JavaScript around it. That closes a pty 200 ms after its child's
 * end, read or not (with a reader that is paused the rest is lost), writes with a busy loop to a child
 * that does not read, and takes bytes only without the kernel's UTF-8 editing. Called as node-pty 1.1.0,
 * the version that package.json pins, calls it.
 */

// By another name: the banner of the built files has this one.
import { createRequire as makeRequire } from 'node:module';
import { makeResourceRequire } from '../system/resources.ts';

/** A child in a pty. `fd`, the pty's master, is the caller's to close. */
export interface ForkedChild {
  readonly fd: number;
  readonly pid: number;
  /** The path of the pty's other side. */
  readonly pty: string;
}

export interface PtyBinding {
  /** Throws where no child was made. */
  readonly fork: (
    file: string,
    args: readonly string[],
    environment: readonly string[],
    cwd: string,
    columns: number,
    rows: number,
    uid: number,
    gid: number,
    utf8: boolean,
    helperPath: string,
    onExit: (code: number, signal: number) => void,
  ) => ForkedChild;
  /** Throws when the pty is gone. */
  readonly resize: (fd: number, columns: number, rows: number) => void;
}

export interface LoadedBinding {
  readonly binding: PtyBinding;
  /** What starts the child on macOS; unused elsewhere. */
  readonly helperPath: string;
}

/** Loads it; throws where there is none for this machine. */
export function loadPtyBinding(): LoadedBinding {
  const ours = makeResourceRequire();
  // The package for this machine is node-pty's own dependency, to be found from there.
  const theirs = makeRequire(ours.resolve('node-pty'));
  const folder = `@lydell/node-pty-${process.platform}-${process.arch}`;
  return {
    binding: theirs(`${folder}/pty.node`),
    helperPath: process.platform === 'darwin' ? theirs.resolve(`${folder}/spawn-helper`) : '',
  };
}
