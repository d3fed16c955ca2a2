/** What a click on the tray, or on a banner, does. */

import type { Message } from '../fleet/message.ts';
import type { Model } from '../fleet/model.ts';
import type { OpenOutcome } from '../terminal/opening.ts';
import { describeNotOpened } from '../terminal/texts.ts';
import type { Errand } from '../terminal/tickets.ts';
import type { TrayAction } from '../tray/tray-picture.ts';
import type { Ask } from './asks.ts';
import type { Operator } from './operator.ts';
import { texts } from './texts.ts';

/** What a click asks for: a row of the tray's menu, or a banner. */
export type Deed = TrayAction | { readonly kind: 'choose' };

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
  /** Says to whoever clicked why nothing came of it. */
  readonly tell: (text: string) => void;
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
    case 'start-in-terminal':
      // A session that is not running is offered to be started there.
      return await openSession(parts, action.key, activationToken);
    case 'choose': {
      const model = parts.model();
      dispatch({ kind: 'run-seen', at, id: model.lastRun?.id ?? '' });
      return await open(parts, { kind: 'choose', first: findFirst(model) }, activationToken);
    }
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
      return await open(parts, { kind: 'read', page: 'log' }, activationToken);
    case 'show-run-log':
      dispatch({ kind: 'run-seen', at, id: parts.model().lastRun?.id ?? '' });
      return await open(parts, { kind: 'read', page: 'update' }, activationToken);
    case 'doctor':
      return await open(parts, { kind: 'read', page: 'doctor' }, activationToken);
    case 'quit':
      return parts.quit();
  }
}

const plain = { idleForMinutes: null, rebuild: false } as const;

/** A check refreshes the images, so that what is stale is another thing afterwards: a look shows it. */
async function check({ operator, tell, dispatch }: DeedParts): Promise<void> {
  const asked = { op: 'check', keys: null, ...plain } as const;
  const answer = await operator.ask(asked, { origin: 'menu', onTerminal: false });
  if (answer.kind !== 'running') return answer.kind === 'done' ? undefined : tell(answer.text);
  const outcome = await operator.await(answer.id);
  if (outcome?.kind === 'failed' && outcome.text !== null) tell(outcome.text);
  dispatch({ kind: 'refresh-asked', at: Date.now() });
}

async function ask({ operator, tell }: DeedParts, asked: Ask): Promise<void> {
  const answer = await operator.ask(asked, { origin: 'menu', onTerminal: false });
  if (answer.kind === 'busy' || answer.kind === 'refused') tell(answer.text);
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
): Promise<void> {
  const row = parts.model().rows.get(key);
  if (row === undefined) return parts.tell(texts.sessionGone(key));
  const { workspace } = row;
  if (workspace === null) return parts.tell(texts.workspaceUnknown(key));
  await open(parts, { kind: 'attach', key, workspace }, activationToken);
}

async function open(
  { openWindow, tell }: DeedParts,
  errand: Errand,
  activationToken: string | null,
): Promise<void> {
  const outcome = await openWindow(errand, activationToken);
  if (outcome.kind !== 'opened') tell(describeNotOpened(outcome, errand));
}
