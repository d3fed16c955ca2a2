/** What a tray shows and what can be asked of it: plain data, the same for every backend. */

/** The shapes of the icon; they are told apart without colour. */
export type IconShape = 'ok' | 'stale' | 'updating' | 'attention' | 'unknown';

export interface TrayIcon {
  readonly shape: IconShape;
  /** Drawn beside or into the icon; null: no number. */
  readonly count: number | null;
}

/** What a click asks for. Ids of menu items say which; nothing else crosses from a panel to us. */
export type TrayAction =
  | { readonly kind: 'open'; readonly key: string }
  | { readonly kind: 'start' | 'stop'; readonly key: string }
  | { readonly kind: 'start-in-terminal'; readonly key: string }
  | {
      readonly kind: 'update';
      readonly keys: readonly string[] | null;
      readonly idleForMinutes: number | null;
    }
  | { readonly kind: 'check' | 'cancel' | 'refresh' }
  /** Null: all pinned failures. */
  | { readonly kind: 'acknowledge'; readonly key: string | null }
  /** The summary of the last run was looked at. */
  | { readonly kind: 'seen-last-run'; readonly id: string }
  | { readonly kind: 'set-notice'; readonly preference: string; readonly on: boolean }
  /** What that run printed. */
  | { readonly kind: 'show-run-log'; readonly id: string }
  | { readonly kind: 'show-log' | 'doctor' | 'quit' };

/** One row. Its id is stable: the same row of the same session keeps it whatever else changes. */
export type TrayItem =
  | { readonly kind: 'separator'; readonly id: string }
  /** Says something; can't be clicked. */
  | { readonly kind: 'note'; readonly id: string; readonly label: string }
  | {
      readonly kind: 'action';
      readonly id: string;
      readonly label: string;
      /** False: the label says why not. */
      readonly enabled: boolean;
      /** Null: no check mark. */
      readonly checked: boolean | null;
      readonly action: TrayAction;
    }
  | {
      readonly kind: 'submenu';
      readonly id: string;
      readonly label: string;
      readonly items: readonly TrayItem[];
      /** Asked for when it was opened, where the desktop tells; a row inside asks for the same. */
      readonly opened?: TrayAction;
    };

/** All of it. Labels are harmless already: one line, no control characters, capped. */
export interface TrayPicture {
  readonly icon: TrayIcon;
  /** Beside the icon, where the system shows text; '' for none. */
  readonly title: string;
  /** Two parts, as panels show them: a headline and a sentence. */
  readonly tooltip: { readonly title: string; readonly text: string };
  readonly items: readonly TrayItem[];
}

/** How the tray fares; the names are those of `status --json`. */
export type TrayState =
  | 'shown'
  | 'no-host'
  | 'no-watcher'
  | 'no-bus'
  | 'no-helper'
  | 'off'
  | 'starting';

/** A click on a row, with the desktop's leave to take the focus where it gave one. */
export interface TrayClick {
  readonly action: TrayAction;
  readonly activationToken: string | null;
}

export interface TrayListener {
  readonly onClick: (click: TrayClick) => void;
  readonly onState: (state: TrayState) => void;
}

/** A tray on one kind of desktop. Nothing of it ever throws or ends the process. */
export interface TrayBackend {
  readonly show: (picture: TrayPicture) => void;
  readonly state: () => TrayState;
  /** Why it is not shown, in a sentence, where it knows more than its state says. */
  readonly explain?: () => string | null;
  readonly stop: () => Promise<void>;
}
