import type { StampedView } from '../attach/look-reading.ts';
import type { LookSource } from '../attach/look-source.ts';
import type { AgentConnection } from '../control/conversation.ts';
import type { StatusDocument } from '../control/status-document.ts';

/** A hung agent is given three of its own delays, and never less than this. */
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

  const stamp = (status: StatusDocument): StampedView => ({
    epoch: status.epoch ?? '',
    fleet: status,
    monoMs: performance.now(),
  });
  const giveUp = () => {
    if (closed) return;
    close();
    lost();
  };
  // Only while somebody waits: an attached terminal needs no heartbeat.
  const beLessPatient = (status: StatusDocument) => {
    if (patience !== null) clearTimeout(patience);
    if (!waiting) return;
    const delaysMs = 3 * (status.poll.nextInMs + (status.poll.lastMs ?? 0));
    patience = setTimeout(giveUp, Math.max(LEAST_PATIENCE_MS / timeScale, delaysMs) + 1_000);
  };
  const close = () => {
    closed = true;
    if (patience !== null) clearTimeout(patience);
    connection.close();
  };
  let newest = first;
  void (async () => {
    for await (const { status } of connection.snapshots) {
      newest = status;
      beLessPatient(status);
      listener(stamp(status));
    }
    giveUp();
  })();
  return {
    onView(callback) {
      listener = callback;
      callback(stamp(newest));
    },
    onLost(callback) {
      lost = callback;
    },
    begin() {
      waiting = true;
      void connection.request('wait', { key: key ?? '' }, ANSWER_LIMIT_MS);
      beLessPatient(newest);
    },
    close,
  };
}
