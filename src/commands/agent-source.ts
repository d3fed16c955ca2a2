import type { StampedView } from '../attach/look-reading.ts';
import type { LookSource } from '../attach/look-source.ts';
import type { AgentConnection } from '../control/conversation.ts';
import type { StatusDocument } from '../control/status-document.ts';

/** A hung agent is given three of its own delays, and never less than this, which fits its fastest. */
const LEAST_PATIENCE_MS = 3_000;
const ANSWER_LIMIT_MS = 2_000;

/** Looks through the agent: many shims cost no more polls than one. */
export function createAgentSource(
  connection: AgentConnection,
  first: StatusDocument,
  key: string | null,
  timeScale: number,
): LookSource {
  let listener: (view: StampedView) => void = () => {};
  let lost: () => void = () => {};
  let patience: NodeJS.Timeout | null = null;
  let waiting = false;
  let closed = false;

  const stamp = (status: StatusDocument, begunMs: number): StampedView => ({
    epoch: status.epoch ?? '',
    fleet: status,
    monoMs: performance.now(),
    begunMs,
    updating: false,
  });
  const giveUp = () => {
    if (closed) return;
    close();
    lost();
  };
  // Only while somebody waits: an attached terminal needs no heartbeat.
  const beLessPatient = (delayMs: number, lastMs: number | null) => {
    if (patience !== null) clearTimeout(patience);
    if (!waiting) return;
    const delaysMs = 3 * (delayMs + (lastMs ?? 0));
    patience = setTimeout(giveUp, Math.max(LEAST_PATIENCE_MS / timeScale, delaysMs) + 1_000);
  };
  const close = () => {
    closed = true;
    if (patience !== null) clearTimeout(patience);
    connection.close();
  };
  let newest = stamp(first, Number.NEGATIVE_INFINITY);
  void (async () => {
    for await (const { status } of connection.snapshots) {
      const { nextInMs, lastMs } = status.poll;
      newest = stamp(status, performance.now() - (lastMs ?? 0));
      beLessPatient(nextInMs, lastMs);
      listener(newest);
    }
    giveUp();
  })();
  return {
    onView(callback) {
      listener = callback;
      callback(newest);
    },
    onLost(callback) {
      lost = callback;
    },
    begin() {
      waiting = true;
      void connection.request('wait', { key: key ?? '' }, ANSWER_LIMIT_MS).then(({ kind }) => {
        if (kind === 'silent') giveUp();
      });
      // It looks as soon as its last look lets it, however long its next delay was to be.
      const { lastMs } = newest.fleet.poll;
      beLessPatient(lastMs ?? 0, lastMs);
    },
    rest() {
      waiting = false;
      if (patience !== null) clearTimeout(patience);
      void connection.request('wait', { key: null }, ANSWER_LIMIT_MS);
    },
    close,
  };
}
