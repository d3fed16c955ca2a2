/**
 * The program that shows notifications on a Linux desktop: whoever has `org.freedesktop.Notifications` on
 * the session bus. It may be started by a call, hang, be replaced by another one, or be gone.
 */

import type { BusConnection, CallOutcome } from '../system/dbus-connection.ts';
import { readActivationToken } from '../system/display.ts';
import { cleanForeignText } from '../system/foreign-text.ts';
import { settleWithin } from '../system/settling.ts';
import { NOTIFY_SIGNATURE, type ServerTraits } from './banner.ts';
import { type NoticeEnd, type NotShown, notShown } from './notifier.ts';
import { texts } from './texts.ts';

/** A server that answered. `owner` is its unique name: another one is another process. */
export interface KnownServer extends ServerTraits {
  readonly owner: string;
  /** For people. */
  readonly name: string;
}

export type ServerLook = { readonly kind: 'found'; readonly server: KnownServer } | NotShown;

export type ServerEvent =
  | { readonly kind: 'clicked'; readonly id: number; readonly action: string }
  /** The desktop's leave to take the focus, for the click that follows; null: none that can be used. */
  | { readonly kind: 'leave'; readonly id: number; readonly token: string | null }
  | { readonly kind: 'closed'; readonly id: number; readonly end: NoticeEnd }
  /** Another process is the server now, or none is: ids of before mean nothing any more. */
  | { readonly kind: 'replaced'; readonly isThere: boolean };

export interface NotificationServer {
  /** Finds out who the server is and what it can do, where that is not known yet. */
  readonly look: () => Promise<ServerLook>;
  /**
   * `Notify`; only to the server that is meant, and to no other in its place. The answer of one that hangs
   * is waited for long after `SHOW_LIMIT_MS`.
   */
  readonly notify: (server: KnownServer, body: readonly unknown[]) => Promise<CallOutcome>;
  readonly isCurrent: (server: KnownServer) => boolean;
  /** Takes a banner down; settles when that is done, or within the limit. */
  readonly takeDown: (id: number, limitMs?: number) => Promise<void>;
  /** Nothing is heard afterwards. */
  readonly stop: () => void;
}

export interface ServerParts {
  readonly bus: BusConnection;
  /** Whether a call may start a server. Without a display it would crash, again at each call. */
  readonly mayStart: boolean;
  /** Comes in the order of the bus, before or after the answers to calls as it was there. */
  readonly onEvent: (event: ServerEvent) => void;
}

const NAME = 'org.freedesktop.Notifications';
const PATH = '/org/freedesktop/Notifications';
/** How long a server may take to say what it can do: nothing has to be drawn for that. */
const LOOK_LIMIT_MS = 2000;
/** The same, where it has to be started first; and how long one may take to show a banner. */
export const SHOW_LIMIT_MS = 5000;
/** How long it is listened for what a banner that is shown late is called. */
const ANSWER_LIMIT_MS = 600_000;
const ends: Readonly<Record<number, NoticeEnd>> = { 1: 'expired', 2: 'dismissed', 3: 'withdrawn' };

export function createNotificationServer(parts: ServerParts): NotificationServer {
  const { bus, mayStart, onEvent } = parts;
  /** Undefined: not known yet. */
  let owner: string | null | undefined;
  let known: KnownServer | null = null;
  let asking: Promise<ServerLook> | null = null;
  let tellKnown = () => {};
  const ownerKnown = new Promise<void>((settle) => {
    tellKnown = settle;
  });

  // Answers to calls are promises: in a microtask of their own, signals keep their place among them.
  const inOrder =
    <T>(handle: (value: T) => void) =>
    (value: T) =>
      queueMicrotask(() => handle(value));
  const listen = (
    member: string,
    signature: string,
    read: (id: number, value: unknown) => ServerEvent,
  ) =>
    bus.onSignal(
      { sender: NAME, interface: NAME, path: PATH, member, signature },
      inOrder(({ body }) => onEvent(read(Number(body[0]), body[1]))),
    );
  const endings = [
    bus.watchName(
      NAME,
      inOrder((next) => {
        const isFirst = owner === undefined;
        owner = next;
        known = null;
        tellKnown();
        if (!isFirst) onEvent({ kind: 'replaced', isThere: next !== null });
      }),
    ),
    listen('ActionInvoked', 'us', (id, action) => ({
      kind: 'clicked',
      id,
      action: String(action),
    })),
    listen('ActivationToken', 'us', (id, token) => ({
      kind: 'leave',
      id,
      token: readActivationToken(token),
    })),
    // Reasons that nobody has defined: it went without anybody's doing.
    listen('NotificationClosed', 'uu', (id, reason) => ({
      kind: 'closed',
      id,
      end: ends[Number(reason)] ?? 'expired',
    })),
  ];

  const call = (
    destination: string,
    member: string,
    signature: string,
    body: readonly unknown[],
    limitMs: number,
  ) =>
    bus.call({
      destination,
      path: PATH,
      interface: NAME,
      member,
      ...(signature === '' ? {} : { signature, body }),
      limitMs,
      withoutStarting: destination !== NAME || !mayStart,
    });
  const ask = async (): Promise<ServerLook> => {
    const asked = owner ?? null;
    const limitMs = asked === null ? SHOW_LIMIT_MS : LOOK_LIMIT_MS;
    const [abilities, information] = await Promise.all(
      ['GetCapabilities', 'GetServerInformation'].map((member) =>
        call(asked ?? NAME, member, '', [], limitMs),
      ),
    );
    if (abilities?.kind !== 'returned') {
      return describeFailure(abilities ?? { kind: 'no-bus' }, limitMs, mayStart);
    }
    if (typeof owner !== 'string' || (asked !== null && asked !== owner)) {
      return notShown(texts.notShown.lost);
    }
    const [list] = abilities.body;
    const able: readonly unknown[] = Array.isArray(list) ? list : [];
    known = {
      owner,
      name: readName(information),
      hasActions: able.includes('actions'),
      hasMarkup: able.includes('body-markup'),
    };
    return { kind: 'found', server: known };
  };

  return {
    async look() {
      if (owner === undefined) await settleWithin(ownerKnown, SHOW_LIMIT_MS, () => {});
      if (known !== null) return { kind: 'found', server: known };
      asking ??= ask().finally(() => {
        asking = null;
      });
      return asking;
    },
    notify: (server, body) => call(server.owner, 'Notify', NOTIFY_SIGNATURE, body, ANSWER_LIMIT_MS),
    isCurrent: (server) => server.owner === owner,
    async takeDown(id, limitMs = LOOK_LIMIT_MS) {
      if (typeof owner === 'string') await call(owner, 'CloseNotification', 'u', [id], limitMs);
    },
    stop() {
      tellKnown();
      for (const end of endings) end();
    },
  };
}

/** Why a call came to nothing. */
export function describeFailure(
  failure: Exclude<CallOutcome, { readonly kind: 'returned' }>,
  limitMs: number,
  mayStart: boolean,
): NotShown {
  const { notShown: reasons } = texts;
  switch (failure.kind) {
    case 'no-bus':
      return notShown(reasons.noBus);
    case 'too-late':
      return { ...notShown(reasons.tooLate(limitMs)), isLate: true };
    case 'unsendable':
      return notShown(reasons.refused('it can not be said on the bus'));
    case 'refused':
      return notShown(describeRefusal(failure.name, failure.text, mayStart));
  }
}

function describeRefusal(name: string, text: string, mayStart: boolean): string {
  const { notShown: reasons } = texts;
  const prefix = 'org.freedesktop.DBus.Error.';
  const error = name.startsWith(prefix) ? name.slice(prefix.length) : name;
  if (error === 'ServiceUnknown' || error === 'NameHasNoOwner') {
    return mayStart ? reasons.noServer : reasons.noDisplay;
  }
  if (error.startsWith('Spawn.') || error === 'TimedOut') return reasons.notStarted;
  // The bus's own word for somebody who went without having answered.
  if (error === 'NoReply' || error === 'Disconnected') return reasons.lost;
  return reasons.refused(text === '' ? name : text);
}

function readName(information: CallOutcome | undefined): string {
  const [name] = information?.kind === 'returned' ? information.body : [];
  return (typeof name === 'string' && cleanForeignText(name, 40).trim()) || 'the desktop';
}
