import { readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import * as z from 'zod/mini';
import type { PollMode } from '../fleet/observation.ts';
import { writeFileAtomically } from '../system/files.ts';
import { acquireLock } from '../system/lock-file.ts';
import type { ChildOutcome } from '../system/spawning.ts';

/** An answer younger than this is as good as a new one. */
const FRESH_MS = 1_000;

/** How often to look whether the one who polls has an answer. */
const RECHECK_MS = 50;

/**
 * One poll in flight on a host, whoever asks without an agent: the others wait for its answer and use
 * it. Where the folder can't be written everyone polls alone. The answer is sandy's own document, so
 * that it is read with the same distrust. An aborted wait ends as a poll of its own, aborted at once.
 */
export async function pollTogether(
  folder: string,
  mode: PollMode,
  signal: AbortSignal | undefined,
  poll: () => Promise<ChildOutcome>,
): Promise<ChildOutcome> {
  while (signal?.aborted !== true) {
    const recent = await readRecent(folder, mode);
    if (recent !== null) return recent;
    const lock = await acquireLock({ folder, name: 'poll', infoSchema: z.null() }, null);
    if (lock.kind === 'failed') break;
    if (lock.kind === 'held') {
      try {
        const outcome = await poll();
        if (outcome.kind === 'exited' && outcome.code === 0) {
          await writeFileAtomically(answerPath(folder, mode), outcome.stdout);
        }
        return outcome;
      } finally {
        await lock.release();
      }
    }
    await wait(RECHECK_MS);
  }
  return await poll();
}

/** An answer in full mode answers a light question too. */
async function readRecent(folder: string, mode: PollMode): Promise<ChildOutcome | null> {
  const modes: readonly PollMode[] = mode === 'light' ? ['light', 'full'] : ['full'];
  for (const one of modes) {
    const path = answerPath(folder, one);
    try {
      const ageMs = Date.now() - (await stat(path)).mtimeMs;
      if (ageMs < 0 || ageMs > FRESH_MS) continue;
      const stdout = await readFile(path, 'utf8');
      return { kind: 'exited', code: 0, stdout, stderrTail: '', durationMs: 0 };
    } catch {
      // Nobody has polled yet.
    }
  }
  return null;
}

function answerPath(folder: string, mode: PollMode): string {
  return join(folder, `last-look.${mode}.json`);
}
