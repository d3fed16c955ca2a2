/** A start that a person makes: in this terminal, where sandy can ask, and with its environment. */

import { basename } from 'node:path';
import { startAttached } from '../attach/attached.ts';
import { useTerminal } from '../attach/terminal-guard.ts';
import type { SessionView } from '../fleet/view.ts';
import { describeSandyCommand } from '../sandy/command.ts';
import { acquireSlot, readSlot } from '../store/slot.ts';
import { type AgentHost, isOver, reachAgent } from './agent-host.ts';
import { exitCodes } from './command.ts';
import { createLoneSandy, prepareFor } from './lone-sandy.ts';
import { seeNow } from './operation-client.ts';
import { findOtherNow } from './others-now.ts';
import type { Setup } from './setup.ts';
import { texts } from './texts.ts';
import { verbTexts } from './verb-texts.ts';

const SLOT_LOOK_MS = 250;

/** Where to start; `key` is null where no session was ever seen. The workspace is canonical then. */
export interface Place {
  readonly key: string | null;
  readonly workspace: string;
}

/** The same for a session that is known. */
export async function startKnownInTerminal(
  setup: Setup,
  host: AgentHost,
  { key, workspace, health, attachedClients }: SessionView,
): Promise<number> {
  if (health.includes('conflict')) return fail(texts.conflict(key));
  if (workspace === null || health.includes('workspace-missing')) {
    return fail(texts.noWorkspace(key));
  }
  if (attachedClients !== null) return say(verbTexts.isRunning(key));
  return await startInTerminal(setup, host, { key, workspace });
}

/** Runs `sandy --start` in this terminal; gives the exit code. */
export async function startInTerminal(
  setup: Setup,
  host: AgentHost,
  place: Place,
): Promise<number> {
  const { key, workspace } = place;
  const sandy = createLoneSandy(setup);
  const ready = await prepareFor('start', sandy);
  if (ready.kind === 'unusable') return fail(ready.text, exitCodes.unavailable);
  const { state } = setup.folders;
  const slot = await acquireSlot(state, {
    op: 'start',
    keys: key === null ? [] : [key],
    workspace,
    since: new Date().toISOString(),
  });
  if (slot.kind === 'busy') {
    const { info } = slot.holder;
    if (key === null || info?.op !== 'start' || info.keys?.[0] !== key) {
      return fail(`${texts.slotBusy(slot.holder)}`, exitCodes.busy);
    }
    process.stderr.write(`${verbTexts.startJoined(key)}\n`);
    while ((await readSlot(state)).kind === 'busy') {
      await new Promise((resolve) => setTimeout(resolve, SLOT_LOOK_MS));
    }
    return await confirm(setup, host, place);
  }
  try {
    const other = await findOtherNow(host.connection, setup, sandy);
    if (other !== null) return fail(other.text, exitCodes.busy);
    const args = ['--start', '--workspace', workspace];
    const trouble = await runHere(describeSandyCommand(ready, args));
    if (trouble !== null) return fail(trouble);
  } finally {
    if (slot.kind === 'held') await slot.release();
  }
  return await confirm(setup, host, place);
}

/** Runs a command in this terminal; null: it ran, and what came of it polls will show. */
async function runHere(command: ReturnType<typeof describeSandyCommand>): Promise<string | null> {
  const use = await useTerminal(process.env, async (terminal, onHangUp) => {
    const started = startAttached(command, terminal);
    if (started.kind !== 'started') {
      return started.kind === 'not-started' ? started.reason : started.kind;
    }
    onHangUp(started.child.hangUp);
    await started.ended;
    return null;
  });
  return use.kind === 'none' ? texts.attachNeedsTerminal : use.result;
}

/** Its exit is not success: a look decides, of the agent that there is by then. */
async function confirm(setup: Setup, first: AgentHost, place: Place): Promise<number> {
  if (!(await isOver(first))) return await look(first, place);
  const next = await reachAgent(setup, 'start');
  if (next.kind === 'unreachable')
    return fail(next.text ?? verbTexts.notSeen, exitCodes.unavailable);
  try {
    return await look(next, place);
  } finally {
    await next.close();
  }
}

async function look(host: AgentHost, { key, workspace }: Place): Promise<number> {
  const { sessions } = await seeNow(host);
  const session = sessions.find((one) =>
    key === null ? one.workspace === workspace : one.key === key,
  );
  if (session !== undefined && session.attachedClients !== null) {
    return say(verbTexts.started(session.key));
  }
  return fail(verbTexts.notStarted(session?.key ?? key ?? basename(workspace)));
}

function say(text: string): number {
  process.stdout.write(`${text}\n`);
  return exitCodes.ok;
}

function fail(text: string, code: number = exitCodes.failed): number {
  process.stderr.write(`${text}\n`);
  return code;
}
