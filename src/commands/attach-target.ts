import { statSync } from 'node:fs';
import { basename, resolve } from 'node:path';
import { createInterface } from 'node:readline/promises';
import type { Target } from '../attach/look-reading.ts';
import type { Model } from '../fleet/model.ts';
import { type FleetView, type SessionView, view } from '../fleet/view.ts';
import type { ReadySandy, Sandy } from '../sandy/client.ts';
import { prepareSandy } from '../sandy/preparing.ts';
import { cleanForeignText } from '../system/foreign-text.ts';
import { contactAgent } from './agent-connection.ts';
import { createLoneSandy, lookOnce } from './looking-once.ts';
import { modelFromDisk } from './saved-model.ts';
import { canonicalise, chooseSession } from './session-argument.ts';
import type { Setup } from './setup.ts';
import { texts } from './texts.ts';

/** Everything that attaching needs, or why it can't be. */
export type AttachPreparation =
  | {
      readonly kind: 'ready';
      readonly target: Target;
      readonly name: string;
      readonly sandy: Sandy;
      readonly readySandy: ReadySandy;
      /** What is known of the fleet where no agent is. */
      readonly known: Model;
    }
  | { readonly kind: 'refused'; readonly text: string; readonly code: number };

const NO_SESSION = 4;
const FAILED = 5;

/** Finds the session that is meant: by argument, by the current folder, or by asking. */
export async function prepareAttach(
  setup: Setup,
  argument: string | undefined,
): Promise<AttachPreparation> {
  const contact = await contactAgent(setup.folders.state, 'attach');
  let fleet: FleetView;
  let sandy: Sandy;
  let known: Model;
  if (contact.kind === 'connected') {
    contact.connection.close();
    fleet = contact.status;
    sandy = createLoneSandy(setup);
    known = modelFromDisk(setup, null);
  } else {
    if (contact.text !== null) process.stderr.write(`${contact.text}\n`);
    const look = await lookOnce(setup, 'light');
    fleet = view(look.model);
    sandy = look.sandy;
    known = look.model;
  }
  const choice = await choose(argument, fleet.sessions);
  if (choice.kind === 'refused') return choice;
  const readySandy = await prepareSandy(sandy);
  if (readySandy.kind === 'unusable') {
    return { kind: 'refused', text: readySandy.text, code: FAILED };
  }
  if (!readySandy.info.capabilities.attach) {
    return { kind: 'refused', text: texts.noDaemon(readySandy.info.version), code: FAILED };
  }
  return { ...choice, kind: 'ready', sandy, readySandy, known };
}

type Choice =
  | { readonly kind: 'chosen'; readonly target: Target; readonly name: string }
  | { readonly kind: 'refused'; readonly text: string; readonly code: number };

async function choose(
  argument: string | undefined,
  sessions: readonly SessionView[],
): Promise<Choice> {
  const here = chooseSession(argument ?? '.', sessions, process.cwd());
  if (here.kind === 'found') return describeTarget(here.session);
  if (argument === undefined) return await ask(sessions);
  // A folder that no session was ever seen in can still be started in.
  const folder = canonicalise(resolve(process.cwd(), argument));
  if (statSync(folder, { throwIfNoEntry: false })?.isDirectory() === true) {
    return { kind: 'chosen', target: { key: null, workspace: folder }, name: basename(folder) };
  }
  return { kind: 'refused', text: here.text, code: NO_SESSION };
}

function describeTarget({ key, workspace, health }: SessionView): Choice {
  if (health.includes('conflict')) {
    return { kind: 'refused', text: texts.conflict(key), code: FAILED };
  }
  if (workspace === null) {
    return { kind: 'refused', text: texts.workspaceUnknown(key), code: FAILED };
  }
  return { kind: 'chosen', target: { key, workspace }, name: key };
}

/** A list to choose from: those that can be attached to first, the newest used before the others. */
async function ask(sessions: readonly SessionView[]): Promise<Choice> {
  const listed = [...sessions].sort(
    (a, b) => rank(a) - rank(b) || (b.startedAt ?? '').localeCompare(a.startedAt ?? ''),
  );
  if (listed.length === 0) return { kind: 'refused', text: texts.noSessionHere, code: NO_SESSION };
  listed.forEach((session, index) => {
    const { key, state, attachedClients } = session;
    const clients = (attachedClients ?? 0) > 0 ? ', a client is in' : '';
    process.stdout.write(
      `${String(index + 1).padStart(3)}  ${cleanForeignText(key, 60)}  ${state}${clients}\n`,
    );
  });
  const lines = createInterface({ input: process.stdin, output: process.stdout });
  try {
    for (;;) {
      const answer = (await lines.question(texts.whichSession(listed.length))).trim();
      if (answer === '' || answer === 'q') {
        return { kind: 'refused', text: texts.nothingChosen, code: NO_SESSION };
      }
      const session = listed[Number(answer) - 1];
      if (session !== undefined) return describeTarget(session);
    }
  } catch {
    // The terminal was closed, or Ctrl-C.
    return { kind: 'refused', text: texts.nothingChosen, code: NO_SESSION };
  } finally {
    lines.close();
  }
}

function rank({ attachedClients, end }: SessionView): number {
  if (end !== null) return 2;
  return attachedClients === null ? 1 : 0;
}
