/** Every window and delay of the fleet, in one place. Rules: what counts as evidence, and polling. */

/** How long things may take, as a person sets it. */
export interface WindowSettings {
  readonly pollFullSeconds: number;
  readonly returnWindowSeconds: number;
  readonly watchMinutes: number;
  readonly settleSeconds: number;
}

/** The same in milliseconds, with what no setting changes; awake, sighted time unless it says otherwise. */
export interface Windows {
  /** How much faster than real time runs; texts multiply by it, so that people read real durations. */
  readonly timeScale: number;
  /** Not being ready for this long, with evidence of an update, is an alarm. */
  readonly returnMs: number;
  /** How long a late session is still awaited. */
  readonly watchMs: number;
  /** A rolling restart is over when nothing has vanished or returned for this long. */
  readonly settleMs: number;
  /** No answer from inside for this long, then absent: the agent inside quit. */
  readonly quitMs: number;
  /** Listed under a new incarnation without an answer for this long: nobody can attach. */
  readonly notAttachableMs: number;
  /** No answer under the old incarnation for this long: a zombie; sandy removes one within 60 s. */
  readonly zombieMs: number;
  /** A vanishing noticed later than this after the last sighting may have missed the update itself. */
  readonly lateNoticeMs: number;
  /** Another session's update restart within this time is evidence for a vanishing noticed late. */
  readonly recentUpdateMs: number;
  /** How long a stop that we asked for may take to show; the slowest measured took 25 s. */
  readonly stopIntentMs: number;
  /** Wall time after which a row that is not running goes, and a change is only logged. */
  readonly forgetMs: number;
  /** Wall time in which only so many banners are shown. */
  readonly bannersMs: number;
  /** An old lock holder still alive this long after its session vanished is worth a word. */
  readonly lingerMs: number;
  readonly poll: {
    readonly fullMs: number;
    readonly missingFastMs: number;
    readonly missingFastForMs: number;
    readonly missingMs: number;
    readonly overdueMs: number;
    readonly runMs: number;
    readonly blindMinMs: number;
    readonly blindMaxMs: number;
    /** What the multiples of a poll's own duration are multiplied by: 1, less when time runs fast. */
    readonly floorScale: number;
  };
}

/**
 * Turns settings into windows. `timeScale` (SANDY_TRAY_TIME_SCALE) divides every window and delay;
 * poll durations are what they are, so the floors made from them shrink with the delays.
 */
export function windowsFrom(settings: WindowSettings, timeScale: number): Windows {
  const seconds = (count: number) => (count * 1000) / timeScale;
  const minutes = (count: number) => seconds(count * 60);
  return {
    timeScale,
    returnMs: seconds(settings.returnWindowSeconds),
    watchMs: minutes(settings.watchMinutes),
    settleMs: seconds(settings.settleSeconds),
    quitMs: seconds(15),
    notAttachableMs: seconds(600),
    zombieMs: seconds(90),
    lateNoticeMs: seconds(30),
    recentUpdateMs: minutes(30),
    stopIntentMs: seconds(120),
    forgetMs: minutes(24 * 60),
    bannersMs: minutes(10),
    lingerMs: seconds(60),
    poll: {
      fullMs: seconds(settings.pollFullSeconds),
      missingFastMs: seconds(1),
      missingFastForMs: seconds(20),
      missingMs: seconds(3),
      overdueMs: seconds(10),
      runMs: seconds(20),
      blindMinMs: seconds(15),
      blindMaxMs: minutes(5),
      floorScale: 1 / timeScale,
    },
  };
}
