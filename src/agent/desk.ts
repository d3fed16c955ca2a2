import type { AgentHealth } from '../control/status-document.ts';
import type { Message } from '../fleet/message.ts';
import type { Model } from '../fleet/model.ts';
import type { FleetView } from '../fleet/view.ts';
import type { Notifier, NotifierListener } from '../notify/notifier.ts';
import { type Preferences, writePreference } from '../store/preferences.ts';
import type { Folders } from '../system/paths.ts';
import type { OpenParts } from '../terminal/opening.ts';
import { drawTray } from '../tray/draw-tray.ts';
import type { TrayBackend, TrayListener, TrayState } from '../tray/tray-picture.ts';
import { createAnswers } from './answers.ts';
import { type Banners, createBanners } from './banners.ts';
import { createCureTeller } from './cure-teller.ts';
import { type Click, doClicked } from './deeds.ts';
import type { Operator } from './operator.ts';
import { texts } from './texts.ts';
import { extrasFrom } from './tray-extras.ts';
import { createTrayHost, type TrayHost } from './tray-host.ts';
import { openWindowFor } from './windows.ts';

/** What a person has of the agent on a desktop: the icon, the banners, and what clicks on them do. */
export interface Desk extends Pick<Banners, 'show'> {
  readonly note: (fleet: FleetView) => void;
  /** What is being done with sandy is another thing: shows that. */
  readonly noteWork: () => void;
  readonly trayHealth: () => Pick<AgentHealth, 'tray' | 'trayReason'>;
  /** To be called once clicks can be answered. */
  readonly startTray: () => void;
  readonly stopTray: () => Promise<void>;
  readonly closeBanners: () => Promise<void>;
}

/** What a desktop is used for by this agent. */
export interface DeskOptions {
  readonly folders: Folders;
  readonly timeScale: number;
  /** Starts whatever shows banners, where something can; null: nothing is to. */
  readonly notifier: ((listener: NotifierListener) => Promise<Notifier | null>) | null;
  /** Starts the tray, where there is to be one. */
  readonly tray: ((listener: TrayListener) => TrayBackend | null) | null;
  /** How windows are opened; null: none are. */
  readonly windows: ((preferences: Preferences) => Promise<OpenParts>) | null;
  /** A person chose to end the agent. */
  readonly onQuit: () => void;
  /** Takes a sentence for whoever reads the agent's own output. */
  readonly warn: (sentence: string) => void;
}

export interface DeskParts {
  readonly options: DeskOptions;
  readonly preferences: () => Preferences;
  readonly model: () => Model;
  readonly dispatch: (message: Message) => void;
  readonly operator: () => Operator;
  readonly troubles: () => readonly string[];
  /** Shows everything anew. */
  readonly publish: () => void;
  readonly formatTime: (at: number) => string;
}

export async function createDesk(parts: DeskParts): Promise<Desk> {
  const { options, preferences, model, dispatch, publish } = parts;
  const { timeScale, warn } = options;
  let tray: TrayHost | null = null;
  let newest: FleetView | null = null;
  const redraw = () => {
    if (newest !== null) tray?.show(newest);
  };
  const answers = createAnswers(timeScale, redraw);
  const clicked = (click: Click) => {
    // That one is no click of a person's: a menu that was looked at has closed.
    if (click.action.kind !== 'seen-last-run') answers.clear();
    void doClicked(
      {
        model,
        dispatch,
        operator: parts.operator(),
        openWindow: async (errand, token) =>
          await openWindowFor(errand, token, await options.windows?.(preferences())),
        setPreference: (key, value) => writePreference(options.folders.config, key, value),
        tell(text, kind = 'refused') {
          const time = parts.formatTime(Date.now());
          if (kind === 'checked') {
            const checked = texts.checked(time, text);
            answers.give(checked);
            return banners.answer(`${checked}.`, kind);
          }
          answers.give(texts.answered(time, text));
          if (kind === 'refused') warn(text);
          banners.answer(text, kind);
        },
        quit: options.onQuit,
      },
      click,
    );
  };
  const banners = await createBanners({
    start: options.notifier,
    model,
    showsProgress: () => preferences().notify.progress,
    timeScale,
    formatTime: parts.formatTime,
    onClick: clicked,
    warn,
  });
  const explain = () => tray?.explain() ?? null;
  const cures = createCureTeller({ warn, timeScale, explain });
  const noteTray = (state: TrayState) => {
    publish();
    cures.note(state);
  };
  return {
    show: banners.show,
    noteWork: redraw,
    note(fleet) {
      newest = fleet;
      tray?.show(fleet);
      banners.note(fleet);
    },
    trayHealth: () => ({ tray: tray?.state() ?? 'off', trayReason: explain() }),
    startTray() {
      if (options.tray === null) return;
      tray = createTrayHost({
        start: options.tray,
        listener: { onClick: clicked, onState: noteTray },
        draw: (fleet) =>
          drawTray(
            fleet,
            extrasFrom(fleet, preferences(), {
              agentTroubles: parts.troubles(),
              answer: answers.current(),
              work: parts.operator().work(),
            }),
          ),
        timeScale,
      });
      publish();
    },
    async stopTray() {
      await tray?.stop();
      cures.stop();
    },
    closeBanners: banners.close,
  };
}
