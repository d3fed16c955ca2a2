/** Carrying out what was decided, one step after the other. */

import { mkdir, readFile, rm } from 'node:fs/promises';
import { setTimeout as pause } from 'node:timers/promises';
import { errorCodeOf, ignoreFileError, writeFileAtomically } from '../system/files.ts';
import { type Host, runCommand } from './host.ts';
import type { Step } from './steps.ts';
import { texts } from './texts.ts';

export type StepsOutcome =
  | { readonly kind: 'done' }
  /** `text`: what is wrong, and what to do. */
  | { readonly kind: 'failed'; readonly text: string };

const AGAIN_MS = 1_000;
/** Longer than the ten seconds that an agent has to end. */
const GONE_LOOKS = 60;
const GONE_LOOK_MS = 300;

/** Carries the steps out, in order; ends at the first that fails. `tell` gets a line about each. */
export async function carryOut(
  steps: readonly Step[],
  host: Host,
  tell: (line: string) => void,
): Promise<StepsOutcome> {
  for (const step of steps) {
    const failure = await carryOutOne(step, host);
    if (failure !== null) return { kind: 'failed', text: failure };
    const line = texts.stepDone(step);
    if (line !== null) tell(line);
  }
  return { kind: 'done' };
}

async function carryOutOne(step: Step, host: Host): Promise<string | null> {
  switch (step.kind) {
    case 'make-folder':
      return await change(step.path, () => mkdir(step.path, { recursive: true, mode: 0o700 }));
    case 'write': {
      const outcome = await writeFileAtomically(step.path, step.text);
      return outcome.kind === 'written' ? null : texts.notChanged(step.path, outcome.errorCode);
    }
    case 'remove':
      return await change(step.path, () => rm(step.path, { force: true }));
    case 'run':
      for (let left = step.tries; ; left -= 1) {
        const outcome = await runCommand(host, step.argv);
        if (outcome.kind === 'exited' && outcome.code === 0) return null;
        if (step.onFailure === 'ignore') return null;
        if (left <= 1) return texts.commandFailed(step.argv, outcome);
        await pause(AGAIN_MS / host.timeScale);
      }
    case 'await-gone':
      for (let look = 0; look < GONE_LOOKS; look += 1) {
        const outcome = await runCommand(host, step.argv);
        if (outcome.kind !== 'exited' || outcome.code !== 0) return null;
        await pause(GONE_LOOK_MS / host.timeScale);
      }
      return texts.notGone(step.argv);
  }
}

async function change(path: string, act: () => Promise<unknown>): Promise<string | null> {
  try {
    await act();
    return null;
  } catch (error) {
    return texts.notChanged(path, errorCodeOf(error));
  }
}

/** What a file holds; null: it is not there or can't be read. */
export async function readIfThere(path: string): Promise<string | null> {
  try {
    return await readFile(path, 'utf8');
  } catch (error) {
    ignoreFileError(error);
    return null;
  }
}
