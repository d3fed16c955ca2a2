/**
 * The icon in the menu bar of macOS, drawn by a script that the system's own `osascript` runs: it is native
 * on every processor. Rows have their ids there, so the whole menu can be another one at any time.
 */

import { existsSync } from 'node:fs';
import { resourcePath } from '../system/resources.ts';
import { ResourcesError } from '../system/resources-error.ts';
import { runChild } from '../system/spawning.ts';
import {
  createHelperProcess,
  type HelperLimits,
  helperLimits,
  type Preparation,
} from './helper-process.ts';
import { type HelperTray, nameState } from './helper-tray.ts';
import { keepState } from './kept-state.ts';
import type { TrayAction, TrayIcon, TrayItem, TrayListener, TrayPicture } from './tray-picture.ts';

export interface MacMenuBarParts {
  readonly prepare: () => Promise<Preparation>;
  readonly listener: TrayListener;
  /** Draws an icon as a PNG file in black and transparency, 32 pixels high. */
  readonly encodeIcon: (icon: TrayIcon) => Buffer;
  readonly limits?: HelperLimits;
  /** By which every delay is divided. */
  readonly timeScale: number;
}

/** A row as the script takes it. */
export type ScriptRow =
  | { readonly separator: true }
  | {
      readonly id: string;
      readonly label: string;
      readonly enabled: boolean;
      readonly checked: boolean;
      readonly items?: readonly ScriptRow[];
    };

const SCRIPT = ['assets', 'mac-tray.js'];
const ASK_LIMIT_MS = 5_000;

export function createMacMenuBar(parts: MacMenuBarParts): HelperTray {
  const { listener } = parts;
  let picture: TrayPicture | null = null;
  const state = keepState(listener);
  let actions = new Map<string, TrayAction>();
  /** What the script was told, part by part. */
  let told: Readonly<Record<string, string>> = {};

  const tell = () => {
    if (picture === null) return;
    const { icon, title, tooltip, items } = picture;
    const looks: Readonly<Record<string, [key: string, write: () => unknown]>> = {
      icon: [icon.shape, () => parts.encodeIcon(icon).toString('base64')],
      title: [title, () => title],
      tooltip: [
        `${tooltip.title}\n${tooltip.text}`,
        () => [tooltip.title, tooltip.text].filter((text) => text !== '').join('\n'),
      ],
      items: [JSON.stringify(items.map(writeRow)), () => items.map(writeRow)],
    };
    const changed = Object.entries(looks).filter(([name, [key]]) => told[name] !== key);
    if (changed.length === 0) return;
    told = Object.fromEntries(Object.entries(looks).map(([name, [key]]) => [name, key]));
    const message = Object.fromEntries(changed.map(([name, [, write]]) => [name, write()]));
    helper.send([{ type: 'show', ...message }]);
  };
  const helper = createHelperProcess({
    prepare: parts.prepare,
    limits: parts.limits ?? helperLimits,
    timeScale: parts.timeScale,
    onReady() {
      told = {};
      tell();
    },
    onMessage({ type, id }) {
      const action = type === 'clicked' ? actions.get(String(id)) : undefined;
      if (action !== undefined) listener.onClick({ action, activationToken: null });
    },
    onChange: () => state.set(nameState(helper.condition())),
  });

  return {
    state: state.now,
    reason: helper.reason,
    pid: helper.pid,
    show(next) {
      if (state.now() === 'off') return;
      const isFirst = picture === null;
      picture = next;
      actions = new Map(listActions(next.items));
      if (isFirst) helper.start();
      if (helper.condition() === 'ready') tell();
    },
    async stop() {
      state.set('off');
      await helper.stop();
    },
  };
}

/** Every action that can be clicked, by its row's id. */
function listActions(items: readonly TrayItem[]): [id: string, action: TrayAction][] {
  return items.flatMap((item) => {
    if (item.kind === 'submenu') return listActions(item.items);
    return item.kind === 'action' && item.enabled ? [[item.id, item.action]] : [];
  });
}

function writeRow(item: TrayItem): ScriptRow {
  switch (item.kind) {
    case 'separator':
      return { separator: true };
    case 'note':
      return { id: item.id, label: item.label, enabled: false, checked: false };
    case 'action':
      return {
        id: item.id,
        label: item.label,
        enabled: item.enabled,
        checked: item.checked === true,
      };
    case 'submenu':
      return {
        id: item.id,
        label: item.label,
        enabled: item.items.length > 0,
        checked: false,
        items: item.items.map(writeRow),
      };
  }
}

/** Makes the script ready to be run, in a session that has a menu bar. */
export async function prepareMacScript(
  variables: Readonly<Record<string, string | undefined>>,
): Promise<Preparation> {
  const refusal = await refuseWithoutDesktop();
  if (refusal !== null) return refusal;
  const script = findScript();
  if (script === null) {
    return { kind: 'refused', reason: { kind: 'no-package', detail: SCRIPT.join('/') } };
  }
  return {
    kind: 'prepared',
    command: {
      file: '/usr/bin/osascript',
      args: ['-l', 'JavaScript', script],
      environment: pickMacVariables(variables),
    },
  };
}

/** A refusal where this session has no menu bar, as over ssh; null: it has one. */
export async function refuseWithoutDesktop(file = '/bin/launchctl'): Promise<Preparation | null> {
  const outcome = await runChild({
    file,
    args: ['managername'],
    environment: {},
    cwd: '/',
    limitMs: ASK_LIMIT_MS,
    maxOutputBytes: 4096,
    killing: 'child',
  });
  const name = outcome.kind === 'exited' ? outcome.stdout.trim() : '';
  if (name === 'Aqua') return null;
  return { kind: 'refused', reason: { kind: 'no-desktop', detail: name } };
}

function pickMacVariables({
  HOME,
  LANG,
  TMPDIR,
}: Readonly<Record<string, string | undefined>>): Record<string, string> {
  const picked = Object.entries({ HOME, LANG, TMPDIR });
  return Object.fromEntries(picked.flatMap(([name, value]) => (value ? [[name, value]] : [])));
}

function findScript(): string | null {
  try {
    const path = resourcePath(...SCRIPT);
    return existsSync(path) ? path : null;
  } catch (error) {
    if (error instanceof ResourcesError) return null;
    throw error;
  }
}
