/** What a click on the tray, or on a banner, does. */

import type { Message } from '../fleet/message.ts';
import type { Model } from '../fleet/model.ts';
import type { AnswerKind } from '../notify/own-notices.ts';
import type { OpenOutcome } from '../terminal/opening.ts';
import { describeNotOpened } from '../terminal/texts.ts';
import type { Errand } from '../terminal/tickets.ts';
import type { TrayAction } from '../tray/tray-picture.ts';
import type { Ask } from './asks.ts';
import type { AskAnswer, Operator } from './operator.ts';
import { texts } from './texts.ts';

/** What a click asks for: a row of the tray's menu, or a banner. */
export type Deed =
  | TrayAction
  /** `runs`: those whose summaries a person has read who clicks that. */
  | { readonly kind: 'choose'; readonly runs: readonly string[] };

export interface Click {
  readonly action: Deed;
  /** The desktop's leave to take the focus, where it gave one. */
  readonly activationToken: string | null;
}

export interface DeedParts {
  readonly model: () => Model;
  readonly dispatch: (message: Message) => void;
  readonly operator: Operator;
  readonly openWindow: (errand: Errand, activationToken: string | null) => Promise<OpenOutcome>;
  readonly setPreference: (key: string, value: unknown) => Promise<void>;
  /** Says to whoever clicked why nothing came of it, or what did. */
  readonly tell: (text: string, kind?: AnswerKind) => void;
  readonly quit: () => void;
}

/** Does what was clicked. Never rejects: what can't be done is said, and a full disk or a bug ends nothing. */
export async function doClicked(parts: DeedParts, click: Click): Promise<void> {
  try {
    await act(parts, click);
  } catch (error) {
    parts.tell(texts.clickFailed(error instanceof Error ? error.message : String(error)));
  }
}

async function act(parts: DeedParts, { action, activationToken }: Click): Promise<void> {
  const { dispatch, operator, tell } = parts;
  const at = Date.now();
  switch (action.kind) {
    case 'open':
      // A session that is not running is offered to be started there.
      return await openSession(parts, action.key, activationToken);
    case 'start-in-terminal':
      return await openSession(parts, action.key, activationToken, { startsFirst: true });
    case 'choose':
      for (const id of action.runs) dispatch({ kind: 'run-seen', at, id });
      await open(parts, { kind: 'choose', first: findFirst(parts.model()) }, activationToken);
      return;
    case 'start':
    case 'stop':
      return await ask(parts, { op: action.kind, keys: [action.key], ...plain });
    case 'update':
      return await ask(parts, {
        op: 'update',
        keys: action.keys,
        idleForMinutes: action.idleForMinutes,
        rebuild: false,
      });
    case 'check':
      return await check(parts);
    case 'cancel': {
      const { kind, text } = await operator.cancel();
      return kind === 'cancelled' ? undefined : tell(text);
    }
    case 'refresh':
      return dispatch({ kind: 'refresh-asked', at });
    case 'acknowledge':
      return dispatch({ kind: 'acknowledged', at, key: action.key });
    case 'seen-last-run':
      return dispatch({ kind: 'run-seen', at, id: action.id });
    case 'set-notice':
      return await parts.setPreference(action.preference, action.on);
    case 'show-log':
      await open(parts, { kind: 'read', page: 'log' }, activationToken);
      return;
    case 'show-run-log': {
      const { id } = action;
      // A window that did not open has shown nothing.
      if (await open(parts, { kind: 'read-run', id }, activationToken)) {
        dispatch({ kind: 'run-seen', at: Date.now(), id });
      }
      return;
    }
    case 'doctor':
      await open(parts, { kind: 'read', page: 'doctor' }, activationToken);
      return;
    case 'quit':
      return parts.quit();
  }
}

const plain = { idleForMinutes: null, rebuild: false } as const;

/** A check refreshes the images, so that what is stale is another thing afterwards: a look shows it. */
async function check({ operator, tell, dispatch }: DeedParts): Promise<void> {
  const asked = { op: 'check', keys: null, ...plain } as const;
  const answer = await operator.ask(asked, { origin: 'menu', onTerminal: false });
  if (answer.kind !== 'running') return tell(answer.text, kindOf(answer));
  const outcome = await operator.await(answer.id);
  // The agent is stopping, and the next one goes on with it.
  if (outcome === null) return;
  dispatch({ kind: 'refresh-asked', at: Date.now() });
  switch (outcome.kind) {
    case 'ok':
      return tell(texts.checkSum(outcome.candidates), 'checked');
    case 'cancelled':
      return tell(texts.checkCancelled, 'done');
    default:
      return tell(texts.checkFailed(outcome.text));
  }
}

async function ask({ operator, tell }: DeedParts, asked: Ask): Promise<void> {
  const answer = await operator.ask(asked, { origin: 'menu', onTerminal: false });
  if (answer.kind !== 'running') tell(answer.text, kindOf(answer));
}

function kindOf({ kind }: Exclude<AskAnswer, { kind: 'running' }>): AnswerKind {
  return kind === 'done' ? 'done' : 'refused';
}

/** The sessions of the last run in whose terminals people were: they are the ones to go back to. */
function findFirst({ lastRun, rows }: Model): readonly string[] {
  const keys = [...(lastRun?.failed.map(({ key }) => key) ?? []), ...(lastRun?.restarted ?? [])];
  return keys.filter((key) => rows.get(key)?.hadClient === true);
}

async function openSession(
  parts: DeedParts,
  key: string,
  activationToken: string | null,
  how: { readonly startsFirst?: true } = {},
): Promise<void> {
  const row = parts.model().rows.get(key);
  if (row === undefined) return parts.tell(texts.sessionGone(key));
  const { workspace } = row;
  if (workspace === null) return parts.tell(texts.workspaceUnknown(key));
  await open(parts, { kind: 'attach', key, workspace, ...how }, activationToken);
}

/** Whether there is a window. */
async function open(
  { openWindow, tell }: DeedParts,
  errand: Errand,
  activationToken: string | null,
): Promise<boolean> {
  const outcome = await openWindow(errand, activationToken);
  if (outcome.kind !== 'opened') tell(describeNotOpened(outcome, errand));
  return outcome.kind === 'opened';
}
