import { createHash } from 'node:crypto';
import * as z from 'zod/mini';
import type { OuterTerminal } from '../attach/outer-terminal.ts';
import type { ShimPorts } from '../attach/shim.ts';
import type { Model } from '../fleet/model.ts';
import { createSandy, type ReadySandy } from '../sandy/client.ts';
import { describeSandyCommand } from '../sandy/command.ts';
import { adoptSandy, prepareSandy } from '../sandy/preparing.ts';
import { formatClock } from '../system/local-time.ts';
import { acquireLock } from '../system/lock-file.ts';
import { contactAgent } from './agent-connection.ts';
import { createAgentSource } from './agent-source.ts';
import type { Prepared } from './attach-target.ts';
import type { Setup } from './setup.ts';

/** What a person was shown longer ago, to choose from, may have changed. */
const FRESH_MS = 1_000;

export interface ShimPortsOptions {
  /** We opened this window: its environment is the one of our service, not of a login. */
  readonly ownsWindow: boolean;
  readonly onStart: (hangUp: () => void) => void;
}

/** Joins the shim to the agent, to sandy, to the host's locks and to the clock on the wall. */
export function createShimPorts(
  setup: Setup,
  prepared: Prepared,
  terminal: OuterTerminal,
  { ownsWindow, onStart }: ShimPortsOptions,
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
  /** With the environment that a session is started with, which then has it for its whole life. */
  let startSandy = readySandy;
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
      const ready = verb === 'start' ? startSandy : readySandy;
      return describeSandyCommand(ready, [`--${verb}`, '--workspace', target.workspace]);
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
      const { claimStart } = await import('./start-claim.ts');
      return await claimStart(setup, prepared, async () => {
        // Only now: a profile may take seconds, and a window that only attaches needs nothing of it.
        if (ownsWindow && startSandy === readySandy) startSandy = await askLoginShell(prepared);
      });
    },
    formatTime: (at) => formatClock(new Date(at)),
  };
}

/** The same sandy with the login shell's environment. */
async function askLoginShell({ sandy, readySandy }: Prepared): Promise<ReadySandy> {
  const login = createSandy({ ...sandy.options, onTerminal: false });
  await adoptSandy(login, readySandy.info);
  const ready = await prepareSandy(login);
  return ready.kind === 'ready' ? ready : readySandy;
}
