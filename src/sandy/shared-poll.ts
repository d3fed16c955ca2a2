import { readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import * as z from 'zod/mini';
import type { PollMode } from '../fleet/observation.ts';
import { writeFileAtomically } from '../system/files.ts';
import { acquireLock } from '../system/lock-file.ts';

/** An answer younger than this is as good as a new one. */
const FRESH_MS = 1_000;

/** How often to look whether the one who polls has an answer. */
const RECHECK_MS = 50;

/** What is polled, and what may stand in for it. */
export interface SharedPoll<T> {
  readonly folder: string;
  /** Whose answer it is: that of another sandy is none. */
  readonly sandyPath: string;
  readonly mode: PollMode;
  readonly signal: AbortSignal | undefined;
  readonly poll: () => Promise<T>;
  /** The document of an answer that others may use; null: everyone had better ask anew. */
  readonly documentOf: (answer: T) => string | null;
  /** Reads another's document, with the same distrust as one's own. */
  readonly read: (document: string) => Promise<T>;
}

/**
 * One poll in flight on a host, whoever asks without an agent: the others wait for its answer and use
 * it. Where the folder can't be written, and when the wait is aborted, everyone polls alone.
 */
export async function pollTogether<T>(shared: SharedPoll<T>): Promise<T> {
  const { folder, sandyPath, mode, signal, poll, documentOf, read } = shared;
  while (signal?.aborted !== true) {
    const recent = await readRecent(shared);
    if (recent !== null) return await read(recent);
    const lock = await acquireLock({ folder, name: 'poll', infoSchema: z.null() }, null);
    if (lock.kind === 'failed') break;
    if (lock.kind === 'held') {
      try {
        // Somebody may have been given an answer between our look for one and the lock.
        const justNow = await readRecent(shared);
        if (justNow !== null) return await read(justNow);
        const answer = await poll();
        const document = documentOf(answer);
        if (document !== null) {
          await writeFileAtomically(answerPath(folder, mode), `${sandyPath}\n${document}`);
        }
        return answer;
      } finally {
        await lock.release();
      }
    }
    await wait(RECHECK_MS);
  }
  return await poll();
}

/** An answer in full mode answers a light question too. */
async function readRecent<T>({ folder, sandyPath, mode }: SharedPoll<T>): Promise<string | null> {
  const modes: readonly PollMode[] = mode === 'light' ? ['light', 'full'] : ['full'];
  for (const one of modes) {
    const path = answerPath(folder, one);
    try {
      const ageMs = Date.now() - (await stat(path)).mtimeMs;
      if (ageMs < 0 || ageMs > FRESH_MS) continue;
      const text = await readFile(path, 'utf8');
      if (text.startsWith(`${sandyPath}\n`)) return text.slice(sandyPath.length + 1);
    } catch {
      // Nobody has polled yet.
    }
  }
  return null;
}

function answerPath(folder: string, mode: PollMode): string {
  return join(folder, `last-look.${mode}`);
}
