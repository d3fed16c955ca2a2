import { cleanForeignText } from '../system/foreign-text.ts';

/** What one line of the output of `sandy --update-sessions` says. */
export type UpdateLine =
  | { readonly kind: 'found'; readonly count: number }
  /** There is no daemon session, or none in the workspace asked for. */
  | { readonly kind: 'none' }
  | { readonly kind: 'refreshing'; readonly key: string; readonly workspace: string }
  /** Images are still being built; `phase` is the last line that the build printed, maybe empty. */
  | {
      readonly kind: 'heartbeat';
      readonly key: string;
      readonly seconds: number;
      readonly phase: string;
    }
  | { readonly kind: 'folder-missing'; readonly key: string }
  | { readonly kind: 'build-failed'; readonly key: string }
  /** A row of the table; `reason` is what stands in its last parentheses. */
  | {
      readonly kind: 'planned';
      readonly key: string;
      readonly workspace: string;
      readonly action: PlannedAction;
      readonly reason: string;
    }
  | { readonly kind: 'dry-run'; readonly candidates: number }
  /** There is nothing to restart. */
  | { readonly kind: 'nothing' }
  | { readonly kind: 'restarting'; readonly key: string }
  | { readonly kind: 'restarted'; readonly key: string; readonly seconds: number }
  | { readonly kind: 'step-failed'; readonly key: string; readonly step: RestartStep }
  /** The heading of the summary (every count null), or one of the counts below it. */
  | {
      readonly kind: 'summary';
      readonly restarted: number | null;
      readonly skipped: number | null;
      readonly failed: number | null;
    }
  /** Anything else. A version to come may print what this one doesn't know. */
  | { readonly kind: 'other' };

export type PlannedAction = 'restart' | 'skip';
export type RestartStep = 'stop' | 'start';

/** The longest real key is a folder's name (255 bytes) and a hash. */
const MAX_KEY_CHARACTERS = 300;

const MARK = '[sandy] ';
const INDENTED_MARK = '[sandy]   ';
const RESTARTING = '[sandy] Restarting';
/** From here on an unfinished line can't become `[sandy] Refreshing …` any more. */
const RECOGNISABLE = '[sandy] Res';

/** A pattern, and what its groups say. */
type Reading = readonly [RegExp, (groups: readonly string[]) => UpdateLine];

/** Lines behind sandy's mark. Two spaces more stand before whatever belongs to one session. */
const MARKED: readonly Reading[] = [
  [
    /^Found (\d{1,9}) daemon session\(s\)(?: \(scoped to .*\))?\.$/,
    ([count]) => ({ kind: 'found', count: Number(count) }),
  ],
  [/^No daemon session(?:s found on this host| for .*)\.$/, () => ({ kind: 'none' })],
  [
    /^Refreshing images for (\S+) \((.*)\)\.\.\.$/,
    ([key = '', workspace = '']) => ({ kind: 'refreshing', key: cleanKey(key), workspace }),
  ],
  [
    // A long phase is cut together with its parenthesis, and a \n in it, as in a RUN step, may end the
    // line early: sandy prints with echo -e.
    /^ {2}\.\.\.still refreshing (\S+) \((\d{1,9})s(?:: (.*?))?\)?$/,
    ([key = '', seconds, phase = '']) => ({
      kind: 'heartbeat',
      key: cleanKey(key),
      seconds: Number(seconds),
      phase,
    }),
  ],
  [
    /^ {2}(\S+): workspace path missing\/unreadable\b/,
    ([key = '']) => ({ kind: 'folder-missing', key: cleanKey(key) }),
  ],
  [/^ {2}Build failed for (\S+) /, ([key = '']) => ({ kind: 'build-failed', key: cleanKey(key) })],
  [
    /^--dry-run: no sessions restarted \((\d{1,9}) restart candidate\(s\)\)\.$/,
    ([candidates]) => ({ kind: 'dry-run', candidates: Number(candidates) }),
  ],
  [/^Nothing to restart\.$/, () => ({ kind: 'nothing' })],
  [/^Restarting (\S+)\.\.\.$/, ([key = '']) => ({ kind: 'restarting', key: cleanKey(key) })],
  [
    /^ {2}(\S+) restarted in (\d{1,9})s\.$/,
    ([key = '', seconds]) => ({
      kind: 'restarted',
      key: cleanKey(key),
      seconds: Number(seconds),
    }),
  ],
  [
    /^ {2}--(stop|start) failed for (\S+)$/,
    ([step, key = '']) => ({
      kind: 'step-failed',
      key: cleanKey(key),
      step: step === 'stop' ? 'stop' : 'start',
    }),
  ],
];

/** The table and the summary have no mark. */
const UNMARKED: readonly Reading[] = [
  [
    // Read from the right: any text may stand in the workspace, and columns overflow.
    /^(.*) (?:true|false|null|\?) +(?:\d+|-) +(restart|skip) \((.*)\)$/,
    ([front = '', action, reason = '']) => {
      const [, key = '', workspace = ''] = /^(\S+) *(.*)$/.exec(front.trimEnd()) ?? [];
      if (key === '') return { kind: 'other' };
      return {
        kind: 'planned',
        key: cleanKey(key),
        workspace,
        action: action === 'restart' ? 'restart' : 'skip',
        reason,
      };
    },
  ],
  [/^--- Summary ---$/, () => summary({})],
  [/^Restarted: (\d{1,9})$/, ([count]) => summary({ restarted: Number(count) })],
  [/^Skipped: (\d{1,9})$/, ([count]) => summary({ skipped: Number(count) })],
  [/^Failed: (\d{1,9})$/, ([count]) => summary({ failed: Number(count) })],
];

/**
 * Reads one line, without its line break, as sandy 1.2 to 2.x print it. Colours and other terminal
 * sequences are passed over. Whatever it gives is one harmless line of text and no longer than `raw`.
 * `unfinished`: the output ended before the line did, so that a key or number at its end may be half.
 */
export function parseUpdateLine(raw: string, unfinished = false): UpdateLine {
  const line = readWholeLine(raw);
  const mayGoOn = line.kind === 'step-failed' || line.kind === 'summary';
  return unfinished && mayGoOn ? { kind: 'other' } : line;
}

function readWholeLine(raw: string): UpdateLine {
  const line = chooseVisible(raw).trimEnd();
  const marked = line.startsWith(MARK);
  const text = marked ? line.slice(MARK.length) : line;
  for (const [pattern, say] of marked ? MARKED : UNMARKED) {
    const match = pattern.exec(text);
    if (match !== null) return say(match.slice(1));
  }
  return { kind: 'other' };
}

/**
 * Whether a restart may have begun with this line; `unfinished` when its end is still to come. What
 * sandy quotes of a build (a heartbeat's phase, an indented line) says nothing of a restart. Behind
 * another program's unfinished words its line counts too: rather a yes too many than one too few.
 */
export function mayAnnounceRestart(raw: string, unfinished: boolean): boolean {
  const line = cleanLine(raw);
  if (line.startsWith(INDENTED_MARK)) return false;
  if (line.includes(RESTARTING)) return true;
  const at = line.lastIndexOf(RECOGNISABLE);
  return unfinished && at !== -1 && RESTARTING.startsWith(line.slice(at));
}

function summary(counts: Partial<Omit<Extract<UpdateLine, { kind: 'summary' }>, 'kind'>>) {
  return { kind: 'summary', restarted: null, skipped: null, failed: null, ...counts } as const;
}

function cleanLine(raw: string): string {
  return cleanForeignText(raw, raw.length);
}

function cleanKey(key: string): string {
  return cleanForeignText(key, MAX_KEY_CHARACTERS);
}

/** Another program's progress may be overwritten by sandy's line; sandy's own may quote a bare \r. */
function chooseVisible(raw: string): string {
  const whole = cleanLine(raw);
  if (whole.startsWith(MARK)) return whole;
  const last = cleanLine(raw.slice(raw.lastIndexOf('\r') + 1));
  return last.startsWith(MARK) ? last : whole;
}
