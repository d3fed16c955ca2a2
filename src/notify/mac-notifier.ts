/**
 * Banners on macOS, as good as they can be had without a program of our own that macOS knows: by the first
 * program that is there when a banner is shown.
 */

import { settleWithin } from '../system/settling.ts';
import { createAlerter } from './mac-alerter.ts';
import { createNodeNotifier, type NotificationCenter } from './mac-node-notifier.ts';
import { type MacLimits, type MacProgramParts, macLimits } from './mac-program.ts';
import { createScriptNotifier } from './mac-script.ts';
import { createTerminalNotifier } from './mac-terminal-notifier.ts';
import type { BannerEnd, MacBanner, MacWay, StartedBanner } from './mac-way.ts';
import { nameGroup, writeMacBanner } from './mac-words.ts';
import {
  type NoticeEnd,
  type Notifier,
  type NotifierListener,
  notShown,
  type ShowOutcome,
} from './notifier.ts';
import { texts } from './texts.ts';

export interface MacNotifierParts {
  readonly listener: NotifierListener;
  /** Ours: programs are found on its PATH, and get little else of it. */
  readonly environment: Readonly<Record<string, string | undefined>>;
  readonly platform: NodeJS.Platform;
  /** By which the time of a banner is divided. */
  readonly timeScale: number;
  readonly limits?: MacLimits;
  /** Runs the system's scripts. */
  readonly scriptProgram?: string;
  readonly loadCenter?: () => Promise<NotificationCenter | null>;
}

/** Each of them is a process that looks after its banner all the time. */
const MAX_ALIVE = 5;
/** Of banners that nobody hears of any more it is known for so many how to take them down. */
const MAX_KNOWN = 200;
const SYSTEM_PATH = '/usr/bin:/bin:/usr/sbin:/sbin';
const VARIABLES = ['HOME', 'LANG', 'TMPDIR', 'USER', 'LOGNAME'] as const;

/** A banner whose program still lives. */
interface Alive {
  readonly started: StartedBanner;
  readonly isUrgent: boolean;
  /** Another one takes its place: its end is none for whoever listens. */
  isReplaced: boolean;
}

export function createMacNotifier(parts: MacNotifierParts): Notifier {
  const { listener, platform, timeScale, limits = macLimits } = parts;
  const ways = platform === 'darwin' ? listWays(parts, limits) : [];
  const alive = new Map<string, Alive>();
  /** By which way each key's banner was shown, the newest last. */
  const shownBy = new Map<string, MacWay>();
  const turns = new Map<string, Promise<void>>();
  const starting = new Set<StartedBanner>();
  let isClosed = false;

  /** One after the other, or two quick banners of one key could come out in the wrong order. */
  const inTurn = <T>(key: string, task: () => Promise<T>): Promise<T> => {
    const turn = (turns.get(key) ?? Promise.resolve()).then(task);
    const over: Promise<void> = turn.then(
      () => {},
      () => {},
    );
    turns.set(key, over);
    void over.then(() => {
      if (turns.get(key) === over) turns.delete(key);
    });
    return turn;
  };
  const tellEnd = (key: string, end: NoticeEnd) => {
    if (!isClosed) listener.onEnd(key, end);
  };
  const hear = (key: string, banner: Alive, end: BannerEnd) => {
    const isCurrent = alive.get(key) === banner;
    if (isCurrent) alive.delete(key);
    const activation = end.kind === 'activated' ? end.activation : null;
    if (activation?.kind === 'clicked' && activation.actionId !== null && !isClosed) {
      listener.onClick({ key, actionId: activation.actionId, activationToken: null });
    }
    if (!isCurrent || banner.isReplaced) return;
    if (activation !== null) shownBy.delete(key);
    tellEnd(key, activation === null ? 'server-lost' : nameEnd(activation.kind));
  };
  /** Its banner stays to be read; nobody hears its click any more. */
  const letGo = (key: string, banner: Alive) => {
    alive.delete(key);
    banner.started.kill();
    if (!banner.isReplaced) tellEnd(key, 'server-lost');
  };
  const makeRoom = (key: string) => {
    const others = [...alive].filter(([other]) => other !== key);
    if (others.length < MAX_ALIVE) return;
    const [victim = others[0]] = others.filter(([, { isUrgent }]) => !isUrgent);
    if (victim !== undefined) letGo(...victim);
  };
  const remember = (key: string, way: MacWay) => {
    shownBy.delete(key);
    shownBy.set(key, way);
    for (const [old] of shownBy) {
      if (shownBy.size <= MAX_KNOWN) return;
      if (!alive.has(old)) shownBy.delete(old);
    }
  };

  const tryWay = async (
    key: string,
    way: MacWay,
    banner: MacBanner,
    isUrgent: boolean,
  ): Promise<BannerEnd | 'alive'> => {
    const previous = alive.get(key);
    if (previous !== undefined) previous.isReplaced = true;
    if (way.clickable) makeRoom(key);
    const started = way.start(banner);
    starting.add(started);
    const first = way.clickable
      ? await settleWithin(started.ended, limits.settleMs, () => 'alive' as const)
      : await started.ended;
    const isShown = first === 'alive' || first.kind === 'posted' || first.kind === 'activated';
    if (!isShown) {
      starting.delete(started);
      if (previous === undefined) return first;
      previous.isReplaced = false;
      // It ended meanwhile, and nobody was told.
      if (alive.get(key) !== previous) tellEnd(key, 'server-lost');
      return first;
    }
    // Its banner went with the start of another one of the same group.
    alive.delete(key);
    previous?.started.kill();
    const before = shownBy.get(key);
    if (before !== undefined && before !== way) await before.remove(banner.group);
    remember(key, way);
    // Only now: whoever closes ends what is on its way and what is there, and nothing is neither.
    starting.delete(started);
    if (!way.clickable) return first;
    const now: Alive = { started, isUrgent, isReplaced: false };
    alive.set(key, now);
    // Others may have been on their way at the same time.
    makeRoom(key);
    void started.ended.then((end) => hear(key, now, end));
    return first;
  };

  return {
    show: (notice) =>
      inTurn(notice.key, async (): Promise<ShowOutcome> => {
        if (platform !== 'darwin') return notShown(texts.mac.otherSystem);
        const banner = writeMacBanner(notice, timeScale);
        let reason: string = texts.mac.noProgram;
        for (const way of ways) {
          if (isClosed) return notShown(texts.notShown.closed);
          if (!(await way.prepare()) || isClosed) continue;
          const end = await tryWay(notice.key, way, banner, notice.urgency === 'critical');
          if (end === 'alive') return { kind: 'shown', server: way.name, clickable: true };
          switch (end.kind) {
            case 'posted':
            case 'activated':
              return { kind: 'shown', server: way.name, clickable: way.clickable };
            case 'refused':
              // Not by another program: it was said of our banners, whoever shows them.
              return notShown(end.reason);
            case 'silent':
              return { ...notShown(end.reason), isLate: true };
            case 'failed':
              reason = end.reason;
              break;
            case 'killed':
              return notShown(texts.notShown.closed);
          }
        }
        return notShown(isClosed ? texts.notShown.closed : reason);
      }),
    withdraw: (key) =>
      inTurn(key, async () => {
        const way = shownBy.get(key);
        if (way === undefined || isClosed) return;
        shownBy.delete(key);
        const banner = alive.get(key);
        alive.delete(key);
        banner?.started.kill();
        await way.remove(nameGroup(key));
        tellEnd(key, 'withdrawn');
      }),
    async close() {
      isClosed = true;
      for (const started of starting) started.kill();
      const left = [...alive];
      alive.clear();
      for (const [, { started }] of left) started.kill();
      await Promise.all(left.map(([key]) => shownBy.get(key)?.remove(nameGroup(key))));
      // Whoever is being shown, or taken down, is over soon: each step has its limit.
      await Promise.all(turns.values());
    },
  };
}

function listWays(parts: MacNotifierParts, limits: MacLimits): readonly MacWay[] {
  const { environment, scriptProgram = '/usr/bin/osascript', loadCenter } = parts;
  const picked = VARIABLES.flatMap((name) => {
    const value = environment[name];
    return value === undefined || value === '' ? [] : [[name, value] as const];
  });
  const programs: MacProgramParts = {
    searchPath: environment.PATH,
    environment: { ...Object.fromEntries(picked), PATH: SYSTEM_PATH },
    limits,
  };
  return [
    createAlerter(programs),
    createTerminalNotifier(programs),
    createNodeNotifier(limits, loadCenter),
    createScriptNotifier(programs, scriptProgram),
  ];
}

function nameEnd(kind: 'clicked' | 'dismissed' | 'expired'): NoticeEnd {
  return kind === 'expired' ? 'expired' : 'dismissed';
}
