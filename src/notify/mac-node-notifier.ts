/**
 * The package node-notifier and the terminal-notifier of 2017 in it, which is for x86-64 only: elsewhere it
 * runs as long as macOS translates such programs.
 */

import type { ChildProcess } from 'node:child_process';
import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import { existsSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { makeResourceRequire } from '../system/resources.ts';
import type { MacLimits } from './mac-program.ts';
import type { BannerEnd, MacBanner, MacWay, StartedBanner } from './mac-way.ts';
import { readActivation, shieldText, tellsRefusal } from './mac-words.ts';
import type { NoticeAction } from './notifier.ts';
import { texts } from './texts.ts';

/** What is used of the package. Its events are never: they are heard for the newest banner only. */
export interface NotificationCenter {
  notify(
    options: Readonly<Record<string, unknown>>,
    callback: (error: unknown, response: unknown, metadata: unknown) => void,
  ): unknown;
}

const NAME = 'node-notifier';
const PROGRAM = ['vendor', 'mac.noindex', 'terminal-notifier.app', 'Contents', 'MacOS'];
/** What macOS says of a program for another processor; it has no name in Node. */
const EBADARCH = -86;

/** Loads the package; null: it is not there. */
export async function loadNotificationCenter(): Promise<NotificationCenter | null> {
  const customPath = findPackedNotifier();
  if (customPath === null) return null;
  // Only here: nobody else needs it, and it looks at the whole machine when it is loaded.
  const { default: Center } = await import('node-notifier/notifiers/notificationcenter.js');
  return new Center({ customPath });
}

/** The program in the package, found from our own, wherever that is; null: it is not there. */
export function findPackedNotifier(): string | null {
  try {
    const manifest = makeResourceRequire().resolve('node-notifier/package.json');
    const path = join(dirname(manifest), ...PROGRAM, 'terminal-notifier');
    return existsSync(path) ? path : null;
  } catch {
    return null;
  }
}

export function createNodeNotifier(
  limits: MacLimits,
  load: () => Promise<NotificationCenter | null> = loadNotificationCenter,
): MacWay {
  let center: NotificationCenter | null = null;
  /** It can't be run on this processor, and won't be later. */
  let isUseless = false;
  return {
    name: NAME,
    clickable: true,
    async prepare() {
      if (isUseless) return false;
      center ??= await load().catch(() => null);
      return center !== null;
    },
    start(banner) {
      const limitMs = banner.lifeSeconds * 1000 + limits.overtimeMs;
      const started = notify(center, writeOptions(banner), limitMs, banner.actions);
      isUseless ||= started.isWrongProcessor;
      return started;
    },
    async remove(group) {
      await notify(center, { remove: group }, limits.askMs, []).ended;
    },
  };
}

/** These keys and no others: the package hands each key on as an option, and some run a command. */
function writeOptions({ title, body, group, actions, lifeSeconds }: MacBanner) {
  return {
    title: shieldText(title),
    message: shieldText(body),
    group,
    timeout: lifeSeconds,
    closeLabel: texts.mac.dismiss,
    ...(actions.length > 0 ? { actions: actions.map(({ label }) => label) } : {}),
    ...(actions.length > 1 ? { dropdownLabel: texts.mac.actions } : {}),
  };
}

interface Notified extends StartedBanner {
  readonly isWrongProcessor: boolean;
}

function notify(
  center: NotificationCenter | null,
  options: Readonly<Record<string, unknown>>,
  limitMs: number,
  actions: readonly NoticeAction[],
): Notified {
  let settle: (end: BannerEnd) => void = () => {};
  const ended = new Promise<BannerEnd>((resolve) => {
    settle = resolve;
  });
  // The package keeps its child to itself. It is started before the call returns, so that whatever starts
  // during the call is it.
  const children: ChildProcess[] = [];
  const note = (message: unknown) => {
    children.push((message as { readonly process: ChildProcess }).process);
  };
  let isWrongProcessor = false;
  subscribe('child_process', note);
  try {
    center?.notify(options, (error, _response, metadata) =>
      settle(readEnd(error, metadata, actions)),
    );
  } catch (error) {
    const { errno, code } = error as NodeJS.ErrnoException;
    isWrongProcessor = errno === EBADARCH || code === 'ENOEXEC';
    settle(fail(error));
  } finally {
    unsubscribe('child_process', note);
  }
  const stop = (end: BannerEnd) => {
    settle(end);
    for (const child of children) child.kill('SIGKILL');
  };
  const limit = setTimeout(() => stop({ kind: 'silent', reason: texts.mac.silent(NAME) }), limitMs);
  void ended.then(() => clearTimeout(limit));
  return { ended, isWrongProcessor, kill: () => stop({ kind: 'killed' }) };
}

/** An error may be no more than what the program wrote to stderr while it did its work. */
function readEnd(error: unknown, metadata: unknown, actions: readonly NoticeAction[]): BannerEnd {
  const activation = readActivation(metadata, actions);
  if (activation !== null) return { kind: 'activated', activation };
  return error instanceof Error ? fail(error) : { kind: 'posted' };
}

function fail(error: unknown): BannerEnd {
  const { message, code, signal } = error as NodeJS.ErrnoException & { readonly signal?: string };
  // Of a program that failed the first line is the command, with the notice's own words in it.
  const [first = '', ...words] = message.split('\n');
  const isCommand = first.startsWith('Command failed');
  if (isCommand && tellsRefusal(words.join('\n'))) {
    return { kind: 'refused', reason: texts.mac.refused(NAME) };
  }
  const detail = isCommand ? words[0] || signal || `exit ${code}` : first;
  return { kind: 'failed', reason: texts.mac.failed(NAME, detail) };
}
