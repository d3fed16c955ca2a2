/** How rows of the menu are made: every label goes through here, so none is ever harmful or too long. */

import { cleanLabel, wrapSentence } from './labels.ts';
import { texts } from './texts.ts';
import type { TrayAction, TrayItem } from './tray-picture.ts';

/** What a row does, or why it can't now. */
export interface Offer {
  readonly id: string;
  readonly label: string;
  /** Null: it can. */
  readonly why: string | null;
  readonly action: TrayAction;
}

export function makeNote(id: string, label: string): TrayItem {
  return { kind: 'note', id, label: cleanLabel(label) };
}

/** A sentence as notes, one a line. */
export function makeNotes(id: string, sentence: string, maxRows?: number): TrayItem[] {
  return wrapSentence(sentence, maxRows).map((label, index) => makeNote(`${id}/${index}`, label));
}

/** A row to click. One that can't act says why in its label. */
export function makeAction({ id, label, why, action }: Offer): TrayItem {
  const whole = why === null ? label : texts.whyNot(label, why);
  return {
    kind: 'action',
    id,
    label: cleanLabel(whole),
    enabled: why === null,
    checked: null,
    action,
  };
}

export function makeSwitch(id: string, label: string, on: boolean, action: TrayAction): TrayItem {
  return { kind: 'action', id, label: cleanLabel(label), enabled: true, checked: on, action };
}

/** `opened`: what its being opened asks for. */
export function makeSubmenu(
  id: string,
  label: string,
  items: readonly TrayItem[],
  opened?: TrayAction,
): TrayItem {
  const submenu = { kind: 'submenu', id, label: cleanLabel(label), items } as const;
  return opened === undefined ? submenu : { ...submenu, opened };
}

export function makeSeparator(id: string): TrayItem {
  return { kind: 'separator', id };
}

/** The first `max` rows, and the others one level deeper under a row that `labelRest` names. */
export function foldRows(
  items: readonly TrayItem[],
  max: number,
  id: string,
  labelRest: (count: number) => string,
): TrayItem[] {
  const rest = items.slice(max);
  if (rest.length === 0) return [...items];
  return [...items.slice(0, max), makeSubmenu(id, labelRest(rest.length), rest)];
}

/** Sections of the menu with a line between each two; an empty one leaves no line behind. */
export function joinSections(
  sections: readonly (readonly [name: string, rows: readonly TrayItem[]])[],
): TrayItem[] {
  const filled = sections.filter(([, rows]) => rows.length > 0);
  return filled.flatMap(([name, rows], index) =>
    index === 0 ? rows : [makeSeparator(`line/${name}`), ...rows],
  );
}
