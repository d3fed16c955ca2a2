/**
 * The icon in the trays of old X11 panels, and in the menu bar of Macs with an Intel processor: drawn by the
 * helper program of systray2. It can't tell whether anybody sees it.
 */

import {
  createHelperProcess,
  type HelperLimits,
  helperLimits,
  type Preparation,
} from './helper-process.ts';
import { type HelperTray, nameState } from './helper-tray.ts';
import { keepState } from './kept-state.ts';
import { installSystrayBinary } from './systray-binary.ts';
import {
  type Fitting,
  fitRows,
  listSlots,
  planSlots,
  type SlotPlan,
  writeMenu,
  writeSlot,
} from './systray-slots.ts';
import type { TrayIcon, TrayItem, TrayListener, TrayPicture } from './tray-picture.ts';

export interface SystrayHelperParts {
  readonly prepare: () => Promise<Preparation>;
  readonly listener: TrayListener;
  /** Draws an icon as a PNG file. */
  readonly encodeIcon: (icon: TrayIcon) => Buffer;
  /** Whether icons are black and transparency only, to be coloured by the system. */
  readonly hasTemplateIcons: boolean;
  readonly limits?: HelperLimits;
  /** By which every delay is divided. */
  readonly timeScale: number;
}

/** Between two starts because the menu has other rows than there are slots: the icon blinks then. */
const REPLAN_EVERY_MS = 10_000;
/** How long a slot that was given to another row takes no click: it was meant for what stood there. */
const SETTLE_MS = 1_000;

export function createSystrayHelper(parts: SystrayHelperParts): HelperTray {
  const { listener, timeScale } = parts;
  let picture: TrayPicture | null = null;
  const state = keepState(listener);
  let plan: SlotPlan = [];
  let rows: Fitting['rows'] = new Map();
  let plannedAt = 0;
  let timer: NodeJS.Timeout | undefined;
  /** What the helper was told, by slot. */
  const told = new Map<number, string>();
  let toldLook = '';
  let encoded: { readonly key: string; readonly text: string } | null = null;
  const changedAt = new Map<number, number>();

  /** The helper itself sets its icon only when it is another one; it never gives back what that takes. */
  const writeIcon = (icon: TrayIcon): string => {
    const key = parts.hasTemplateIcons ? icon.shape : `${icon.shape} ${icon.count}`;
    if (encoded?.key !== key) {
      encoded = { key, text: parts.encodeIcon(icon).toString('base64') };
    }
    return encoded.text;
  };
  const writeLook = ({ icon, title, tooltip }: TrayPicture) => ({
    icon: writeIcon(icon),
    title,
    tooltip: tooltip.text === '' ? tooltip.title : `${tooltip.title}\n${tooltip.text}`,
    isTemplateIcon: parts.hasTemplateIcons,
  });
  const describeLook = ({ icon, title, tooltip }: TrayPicture) =>
    JSON.stringify([icon.shape, icon.count, title, tooltip.title, tooltip.text]);

  const introduce = () => {
    if (picture === null) return;
    plan = planSlots(picture.items);
    rows = fitRows(plan, picture.items).rows;
    plannedAt = performance.now();
    told.clear();
    changedAt.clear();
    toldLook = describeLook(picture);
    const slots = listSlots(plan);
    for (const slot of slots) {
      told.set(slot.number, JSON.stringify(writeSlot(slot, rows.get(slot.number))));
    }
    // The first message shows every row that is below another one.
    const hidden = slots.filter(({ number }) => !rows.has(number));
    helper.send([
      { ...writeLook(picture), items: writeMenu(plan, rows) },
      ...hidden.map((slot) => update(writeSlot(slot, undefined))),
    ]);
  };
  const tell = () => {
    if (picture === null) return;
    const messages: unknown[] = [];
    const look = describeLook(picture);
    if (look !== toldLook) {
      messages.push({ type: 'update-menu', menu: { ...writeLook(picture), items: [] } });
      toldLook = look;
    }
    const before = rows;
    rows = fitRows(plan, picture.items).rows;
    const now = performance.now();
    for (const slot of listSlots(plan)) {
      const row = rows.get(slot.number);
      if (row?.id !== before.get(slot.number)?.id) changedAt.set(slot.number, now);
      const message = writeSlot(slot, row);
      const text = JSON.stringify(message);
      if (told.get(slot.number) === text) continue;
      told.set(slot.number, text);
      messages.push(update(message));
    }
    helper.send(messages);
  };
  const replan = () => {
    timer = undefined;
    if (picture !== null && !fitRows(plan, picture.items).isWhole) helper.replace();
  };

  const helper = createHelperProcess({
    prepare: parts.prepare,
    limits: parts.limits ?? helperLimits,
    timeScale,
    onReady: introduce,
    onMessage(message) {
      if (message.type !== 'clicked' || typeof message.__id !== 'number') return;
      const sinceMs = performance.now() - (changedAt.get(message.__id) ?? Number.NEGATIVE_INFINITY);
      const row: TrayItem | undefined = rows.get(message.__id);
      // The parent of a menu is clicked by the pointer's passing.
      if (row?.kind !== 'action' || !row.enabled || sinceMs < SETTLE_MS / timeScale) return;
      listener.onClick({ action: row.action, activationToken: null });
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
      if (isFirst) helper.start();
      if (helper.condition() !== 'ready') return;
      tell();
      if (timer !== undefined || fitRows(plan, next.items).isWhole) return;
      const waitMs = plannedAt + REPLAN_EVERY_MS / timeScale - performance.now();
      timer = setTimeout(replan, Math.max(0, Math.ceil(waitMs)));
    },
    async stop() {
      clearTimeout(timer);
      state.set('off');
      await helper.stop();
    },
  };
}

/**
 * Makes the helper ready to be run. On Linux it is kept from the session bus: it would show a second icon
 * in a panel that knows both kinds of trays.
 * @param source where the package has the program; null: nowhere
 */
export async function prepareSystrayHelper(
  source: string | null,
  platform: NodeJS.Platform,
  folder: string,
  variables: Readonly<Record<string, string | undefined>>,
): Promise<Preparation> {
  if (platform === 'linux' && !variables.DISPLAY) {
    return { kind: 'refused', reason: { kind: 'no-display', detail: '' } };
  }
  const binary = await installSystrayBinary(source, platform, folder);
  if (binary.kind === 'refused') return binary;
  const environment: Record<string, string> = { TMPDIR: binary.scratchFolder };
  for (const name of ['DISPLAY', 'XAUTHORITY', 'HOME', 'LANG', 'LC_ALL', 'XDG_RUNTIME_DIR']) {
    const value = variables[name];
    if (value !== undefined) environment[name] = value;
  }
  if (platform === 'linux') {
    // An address that is no bus; without any, one would be looked for, or even started.
    environment.DBUS_SESSION_BUS_ADDRESS = 'disabled:';
    environment.NO_AT_BRIDGE = '1';
    environment.GDK_BACKEND = 'x11';
  }
  return { kind: 'prepared', command: { file: binary.path, args: [], environment } };
}

function update(item: unknown) {
  return { type: 'update-item', seq_id: -1, item };
}
