/**
 * Banners by the program `notify-send`, for where a desktop can't be reached over our own connection. They
 * are words only: nothing is heard of a click, and what is shown can't be taken back.
 */

import { hasDisplay } from '../system/display.ts';
import { type ChildOutcome, runChild } from '../system/spawning.ts';
import { APP_NAME } from './banner.ts';
import { cleanBody, cleanTitle, escapeMarkup } from './banner-words.ts';
import { type Notice, type Notifier, notShown, type ShowOutcome } from './notifier.ts';
import { texts } from './texts.ts';

const TOOL = 'notify-send';
/** It waits for the desktop, and for a frozen one without an end. */
const LIMIT_MS = 5000;
const MAX_OUTPUT_BYTES = 64 * 1024;

export interface NotifySendParts {
  /** The whole environment that it is run with; it is looked for on the PATH of it, each time. */
  readonly variables: Readonly<Record<string, string>>;
  /** The absolute path of a picture; null: none. */
  readonly chooseIcon?: (notice: Notice) => string | null;
}

export function createNotifySend({
  variables,
  chooseIcon = () => null,
}: NotifySendParts): Notifier {
  const closing = new AbortController();
  let last: Promise<unknown> = Promise.resolve();
  const show = async (notice: Notice): Promise<ShowOutcome> => {
    if (closing.signal.aborted) return notShown(texts.notShown.closed);
    // Without one the bus would only start something that can't run.
    if (!hasDisplay(variables)) return notShown(texts.notShown.noDisplay);
    const outcome = await runChild({
      file: TOOL,
      args: composeArguments(notice, chooseIcon(notice)),
      environment: variables,
      cwd: '/',
      limitMs: LIMIT_MS,
      maxOutputBytes: MAX_OUTPUT_BYTES,
      killing: 'group',
      signal: closing.signal,
    });
    return judge(outcome);
  };
  return {
    show(notice) {
      // One after the other: several at once keep one another and the desktop waiting.
      const shown = last.then(() => show(notice));
      last = shown;
      return shown;
    },
    async withdraw() {},
    async close() {
      closing.abort();
    },
  };
}

/** PURE: nothing behind `--` is an option, whatever it starts with. */
function composeArguments(
  { kind, title, body, urgency }: Notice,
  iconFile: string | null,
): readonly string[] {
  return [
    `--app-name=${APP_NAME}`,
    `--urgency=${urgency}`,
    `--category=x-${APP_NAME}.${kind}`,
    ...(urgency === 'low' ? ['--hint=int:transient:1'] : []),
    ...(urgency === 'critical' ? ['--expire-time=0'] : []),
    ...(iconFile === null ? [] : [`--icon=${iconFile}`]),
    '--',
    cleanTitle(title, APP_NAME),
    // It reads `\n` and the like in a body, but not in a title. What desktops take for markup is escaped:
    // those that don't are few, and whether this one does it does not say.
    escapeMarkup(cleanBody(body)).replaceAll('\\', '\\\\'),
  ];
}

function judge(outcome: ChildOutcome): ShowOutcome {
  const { notShown: reasons } = texts;
  switch (outcome.kind) {
    case 'exited': {
      const { code, stderrTail } = outcome;
      if (code === 0) return { kind: 'shown', server: TOOL, clickable: false };
      return notShown(reasons.toolFailed(stderrTail.trim() || `exit code ${code}`));
    }
    case 'timed-out':
      return { ...notShown(reasons.tooLate(LIMIT_MS)), isLate: true };
    case 'not-found':
      return notShown(reasons.noTool);
    case 'aborted':
      return notShown(reasons.closed);
    case 'not-executable':
      return notShown(reasons.toolFailed('it is not executable'));
    case 'signalled':
      return notShown(reasons.toolFailed(`it was killed (${outcome.signal})`));
    case 'too-large':
      return notShown(reasons.toolFailed('it printed too much'));
    case 'not-started':
      return notShown(reasons.toolFailed(outcome.errorCode));
  }
}
