import { createHash } from 'node:crypto';
import * as z from 'zod/mini';
import type { OuterTerminal } from '../attach/outer-terminal.ts';
import type { ShimPorts } from '../attach/shim.ts';
import type { Model } from '../fleet/model.ts';
import { describeSandyCommand } from '../sandy/command.ts';
import { acquireSlot } from '../store/slot.ts';
import { formatClock } from '../system/local-time.ts';
import { acquireLock } from '../system/lock-file.ts';
import { contactAgent } from './agent-connection.ts';
import { createAgentSource } from './agent-source.ts';
import type { AttachPreparation } from './attach-target.ts';
import { findOtherNow } from './others-now.ts';
import type { Setup } from './setup.ts';
import { texts } from './texts.ts';

/** What a person was shown longer ago, to choose from, may have changed. */
const FRESH_MS = 1_000;

/** Joins the shim to the agent, to sandy, to the host's locks and to the clock on the wall. */
export function createShimPorts(
  setup: Setup,
  prepared: AttachPreparation & { readonly kind: 'ready' },
  terminal: OuterTerminal,
  onStart: (hangUp: () => void) => void,
): ShimPorts {
  const { folders, timeScale } = setup;
  const { target, name, sandy, readySandy } = prepared;
  let known: Model | null = null;
  let first = prepared.contact;
  let attachedAt = 0;
  const takeFirst = () => {
    const taken = first;
    first = null;
    if (taken === null || performance.now() - taken.reachedMs < FRESH_MS) return taken;
    taken.connection.close();
    return null;
  };
  return {
    target,
    name,
    terminal,
    onStart,
    async openSource() {
      const contact = takeFirst() ?? (await contactAgent(folders.state, 'shim'));
      if (contact.kind === 'connected') {
        known = null;
        return createAgentSource(contact.connection, contact.status, target.key, timeScale);
      }
      const { createAloneSource, lastKnown } = await import('./alone-source.ts');
      // What a dead agent knew of this absence is on the disk.
      known ??= lastKnown(setup);
      return createAloneSource(sandy, known, target, {
        stateFolder: folders.state,
        attachedAt: () => attachedAt,
        onModel(model) {
          known = model;
        },
      });
    },
    commandOf(verb) {
      if (verb === 'attach') attachedAt = Date.now();
      return describeSandyCommand(readySandy, [`--${verb}`, '--workspace', target.workspace]);
    },
    async claimAttach() {
      const digest = createHash('sha256').update(target.workspace).digest('hex').slice(0, 16);
      const lock = await acquireLock(
        { folder: folders.state, name: `attach-${digest}`, infoSchema: z.null() },
        null,
      );
      if (lock.kind === 'busy') return null;
      // Where no lock can be written there is none to respect either.
      return lock.kind === 'held' ? lock.release : async () => {};
    },
    async claimStart() {
      const keys = target.key === null ? [] : [target.key];
      const use = { op: 'start', keys, since: new Date().toISOString() } as const;
      const slot = await acquireSlot(folders.state, use);
      if (slot.kind === 'busy') return { kind: 'busy', text: texts.slotBusy(slot.holder) };
      const release = slot.kind === 'held' ? slot.release : async () => {};
      const contact = await contactAgent(folders.state, 'attach');
      const connection = contact.kind === 'connected' ? contact.connection : null;
      const other = await findOtherNow(connection, setup, sandy);
      connection?.close();
      if (other === null) return { kind: 'held', release };
      await release();
      return { kind: 'busy', text: other };
    },
    formatTime: (at) => formatClock(new Date(at)),
  };
}
