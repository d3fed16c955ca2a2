import { basename } from 'node:path';
import type { Target } from '../attach/look-reading.ts';
import { type FleetView, readSandyInfo, type SessionView, view } from '../fleet/view.ts';
import type { ReadySandy, Sandy } from '../sandy/client.ts';
import { adoptSandy } from '../sandy/preparing.ts';
import { cleanForeignText } from '../system/foreign-text.ts';
import { type AgentContact, contactAgent } from './agent-connection.ts';
import { createLoneSandy, prepareFor } from './lone-sandy.ts';
import { chooseSession, findFolder } from './session-argument.ts';
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
      /** The agent that was asked, still on the line; null: there is none. Whoever takes it closes it. */
      readonly contact: Reached | null;
    }
  | { readonly kind: 'refused'; readonly text: string; readonly code: number };

type Reached = AgentContact & { readonly kind: 'connected' };
export type Prepared = AttachPreparation & { readonly kind: 'ready' };

/** What `attach` exits with before it attaches. */
export const NO_SESSION = 4;
const FAILED = 5;

/** Finds the session that is meant: by argument, by the current folder, or by asking. */
export async function prepareAttach(
  setup: Setup,
  argument: string | undefined,
): Promise<AttachPreparation> {
  const seen = await seeFleet(setup);
  const { fleet, blindText } = seen;
  const isPlace = argument !== undefined && findFolder(argument, process.cwd()) !== null;
  if (blindText !== null && fleet.sessions.length === 0 && !isPlace) {
    return { kind: 'refused', text: blindText, code: FAILED };
  }
  return await joinSandy(await choose(argument, fleet.sessions), seen);
}

/** The same where it is known already which one: nobody needs to look. */
export async function prepareTarget(setup: Setup, target: Target): Promise<AttachPreparation> {
  const contact = await contactAgent(setup.folders.state, 'shim');
  const sandy = createLoneSandy(setup);
  const name = target.key ?? basename(target.workspace);
  const choice = { kind: 'chosen', target, name } as const;
  if (contact.kind === 'alone') return await joinSandy(choice, { sandy, contact: null });
  await takeOver(contact, sandy);
  return await joinSandy(choice, { sandy, contact });
}

/** The same by asking, whatever the current folder is; the sessions of `first` are listed before the others. */
export async function prepareChoice(
  setup: Setup,
  first: readonly string[],
): Promise<AttachPreparation> {
  const seen = await seeFleet(setup);
  const { fleet, blindText } = seen;
  if (blindText !== null && fleet.sessions.length === 0) {
    return { kind: 'refused', text: blindText, code: FAILED };
  }
  return await joinSandy(await ask(fleet.sessions, first), seen);
}

async function joinSandy(
  choice: Choice,
  { sandy, contact }: Pick<Seen, 'sandy' | 'contact'>,
): Promise<AttachPreparation> {
  const refuse = (text: string, code: number): AttachPreparation => {
    contact?.connection.close();
    return { kind: 'refused', text, code };
  };
  if (choice.kind === 'refused') return refuse(choice.text, choice.code);
  const readySandy = await prepareFor('attach', sandy);
  if (readySandy.kind === 'unusable') return refuse(readySandy.text, FAILED);
  return { ...choice, kind: 'ready', sandy, readySandy, contact };
}

interface Seen {
  readonly fleet: FleetView;
  readonly sandy: Sandy;
  readonly contact: Reached | null;
  /** Why our own look saw nothing; null when it did, or the agent was asked. */
  readonly blindText: string | null;
}

/** The fleet as the agent sees it, and what it knows of sandy; without one, from a look of our own. */
async function seeFleet(setup: Setup): Promise<Seen> {
  const contact = await contactAgent(setup.folders.state, 'shim');
  if (contact.kind === 'connected') {
    const sandy = createLoneSandy(setup);
    await takeOver(contact, sandy);
    return { fleet: contact.status, sandy, contact, blindText: null };
  }
  if (contact.text !== null) process.stderr.write(`${contact.text}\n`);
  // Loaded only here: with an agent a terminal needs none of it.
  const { lookOnce } = await import('./looking-once.ts');
  const { model, sandy } = await lookOnce(setup, 'light', createLoneSandy(setup));
  const blindText = model.sight.kind === 'blind' ? model.sight.text : null;
  return { fleet: view(model), sandy, contact: null, blindText };
}

/** What the agent knows of sandy need not be asked again. */
async function takeOver({ status }: Reached, sandy: Sandy): Promise<void> {
  if (status.sandy !== null) await adoptSandy(sandy, readSandyInfo(status.sandy));
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
  if (argument === undefined) return await ask(sessions, []);
  // A folder that no session was ever seen in can still be started in.
  const folder = findFolder(argument, process.cwd());
  if (folder !== null) {
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

/**
 * A list to choose from: those that somebody asks for, then those that can be attached to, and of each the
 * newest used before the others.
 */
async function ask(sessions: readonly SessionView[], first: readonly string[]): Promise<Choice> {
  const place = ({ key }: SessionView) => (first.includes(key) ? first.indexOf(key) : first.length);
  const listed = [...sessions].sort(
    (a, b) =>
      place(a) - place(b) ||
      rank(a) - rank(b) ||
      compareNewest(a.startedAt ?? '', b.startedAt ?? ''),
  );
  if (listed.length === 0) return { kind: 'refused', text: texts.noSessionHere, code: NO_SESSION };
  listed.forEach((session, index) => {
    const { key, state, attachedClients } = session;
    const clients = (attachedClients ?? 0) > 0 ? ', a client is in' : '';
    process.stdout.write(
      `${String(index + 1).padStart(3)}  ${cleanForeignText(key, 60)}  ${state}${clients}\n`,
    );
  });
  const { createInterface } = await import('node:readline/promises');
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

function compareNewest(a: string, b: string): number {
  return a < b ? 1 : a > b ? -1 : 0;
}

function rank({ attachedClients, end }: SessionView): number {
  if (end !== null) return 2;
  return attachedClients === null ? 1 : 0;
}
