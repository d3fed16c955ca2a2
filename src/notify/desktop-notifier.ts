/** Banners on Linux desktops, which come with clicks, and go with the server that showed them. */

import type { BusConnection, CallOutcome } from '../system/dbus-connection.ts';
import { hasDisplay } from '../system/display.ts';
import { settleWithin } from '../system/settling.ts';
import { composeBanner } from './banner.ts';
import { createLatestTurns } from './latest-turns.ts';
import {
  createNotificationServer,
  describeFailure,
  type KnownServer,
  type ServerEvent,
  SHOW_LIMIT_MS,
} from './notification-server.ts';
import {
  type Notice,
  type NoticeEnd,
  type Notifier,
  type NotifierListener,
  notShown,
  type ShowOutcome,
} from './notifier.ts';
import { texts } from './texts.ts';

export interface DesktopNotifierParts {
  /** Stays open; it is for others too. */
  readonly bus: BusConnection;
  readonly listener: NotifierListener;
  /** Of this process: they say whether there is a display. */
  readonly variables: Readonly<Record<string, string | undefined>>;
  /** The absolute path of a picture that a server can read; null: none. */
  readonly chooseIcon?: (notice: Notice) => string | null;
}

const CLOSING_LIMIT_MS = 1000;

interface ShownBanner {
  readonly id: number;
  readonly key: string;
  /** What actions are called on the bus, to their ids. */
  readonly actions: ReadonlyMap<string, string>;
  /** The leave that came for the next click. */
  token: string | null;
}

export function createDesktopNotifier(parts: DesktopNotifierParts): Notifier {
  const { bus, listener, chooseIcon = () => null } = parts;
  const mayStart = hasDisplay(parts.variables);
  const byId = new Map<number, ShownBanner>();
  const byKey = new Map<string, ShownBanner>();
  const takeTurn = createLatestTurns<ShowOutcome>();
  const working = new Set<Promise<unknown>>();
  /** What servers were too late to show, and may show yet, by key: the latest. */
  const overdue = new Map<string, object>();
  let closing: Promise<void> | null = null;

  const forget = (banner: ShownBanner) => {
    if (byId.get(banner.id) === banner) byId.delete(banner.id);
    if (byKey.get(banner.key) === banner) byKey.delete(banner.key);
  };
  const end = (banner: ShownBanner, why: NoticeEnd) => {
    forget(banner);
    listener.onEnd(banner.key, why);
  };
  const hear = (event: ServerEvent) => {
    if (event.kind === 'replaced') {
      for (const banner of [...byId.values()]) end(banner, 'server-lost');
      if (event.isThere) listener.onDesktop?.();
      return;
    }
    // Servers tell everybody of everybody's banners.
    const banner = byId.get(event.id);
    if (banner === undefined) return;
    switch (event.kind) {
      case 'leave':
        banner.token = event.token;
        return;
      case 'closed':
        return end(banner, event.end);
      case 'clicked': {
        const actionId = banner.actions.get(event.action);
        if (actionId === undefined) return;
        const activationToken = banner.token;
        banner.token = null;
        return listener.onClick({ key: banner.key, actionId, activationToken });
      }
    }
  };
  const server = createNotificationServer({ bus, mayStart, onEvent: hear });

  /** Keeps a banner that is shown now, in the place of what its id and its key were before. */
  const keep = async (banner: ShownBanner): Promise<void> => {
    const before = byKey.get(banner.key);
    const namesake = byId.get(banner.id);
    if (namesake !== undefined && namesake.key !== banner.key) end(namesake, 'expired');
    if (before !== undefined) forget(before);
    byId.set(banner.id, banner);
    byKey.set(banner.key, banner);
    // A server that does not replace: two would say different things about the same.
    if (before !== undefined && before.id !== banner.id) await server.takeDown(before.id);
  };
  const show = async (notice: Notice): Promise<ShowOutcome> => {
    const { key } = notice;
    overdue.delete(key);
    const look = await server.look();
    if (closing !== null) return notShown(texts.notShown.closed);
    if (look.kind === 'not-shown') return look;
    const shownBy: KnownServer = look.server;
    const replacedId = byKey.get(key)?.id ?? 0;
    const composed = composeBanner(notice, shownBy, replacedId, chooseIcon(notice));
    const { actions } = composed;
    const order = {};
    let isLate = false;
    const settle = async (outcome: CallOutcome): Promise<ShowOutcome> => {
      const isWanted = closing === null && (!isLate || overdue.get(key) === order);
      if (isLate && isWanted) overdue.delete(key);
      if (outcome.kind !== 'returned') return describeFailure(outcome, SHOW_LIMIT_MS, mayStart);
      const id = Number(outcome.body[0]);
      if (!(id > 0)) return notShown(texts.notShown.wrongAnswer);
      if (!server.isCurrent(shownBy)) return notShown(texts.notShown.lost);
      if (!isWanted) {
        // One that another took the place of, meanwhile, has its number.
        if (!byId.has(id)) await server.takeDown(id, CLOSING_LIMIT_MS);
        return notShown(texts.notShown.closed);
      }
      await keep({ id, key, actions, token: null });
      return { kind: 'shown', server: shownBy.name, clickable: actions.size > 0 };
    };
    // Nothing may come between the answer and its being kept: the next signal may be about it.
    const shown = server.notify(shownBy, composed.body).then(settle);
    return settleWithin(shown, SHOW_LIMIT_MS, () => {
      isLate = true;
      overdue.set(key, order);
      return describeFailure({ kind: 'too-late' }, SHOW_LIMIT_MS, mayStart);
    });
  };
  const withdraw = async (key: string): Promise<ShowOutcome> => {
    overdue.delete(key);
    const banner = byKey.get(key);
    if (banner !== undefined && closing === null) {
      await server.takeDown(banner.id);
      // One that said so has been heard by now.
      if (byKey.get(key) === banner && closing === null) end(banner, 'withdrawn');
    }
    return notShown(texts.notShown.withdrawn);
  };
  const work = (key: string, task: () => Promise<ShowOutcome>): Promise<ShowOutcome> => {
    const turn = takeTurn(key, task);
    working.add(turn);
    turn.then(() => working.delete(turn));
    return turn;
  };

  return {
    async show(notice) {
      if (closing !== null) return notShown(texts.notShown.closed);
      return work(notice.key, () => show(notice));
    },
    async withdraw(key) {
      if (closing === null) await work(key, () => withdraw(key));
    },
    close() {
      if (closing !== null) return closing;
      const ids = [...byId.keys()];
      byId.clear();
      byKey.clear();
      const takenDown = ids.map((id) => server.takeDown(id, CLOSING_LIMIT_MS));
      const allDone = Promise.all([...takenDown, ...working]).then(() => {});
      closing = settleWithin(allDone, CLOSING_LIMIT_MS, () => {}).then(server.stop);
      return closing;
    },
  };
}
