import type { WriteStream } from 'node:tty';
import type { StatusDocument } from '../control/status-document.ts';
import type { SessionView } from '../fleet/view.ts';
import { demoTimeScale } from './demo-fleet.ts';

/** Where the demo is seen: a live table on a terminal, lines elsewhere. */
export interface DemoScreen {
  /** What happens next, for the reader. */
  readonly say: (sentence: string) => void;
  /** A notice, as a banner would show it. */
  readonly notify: (line: string) => void;
  readonly show: (status: StatusDocument) => void;
  /** Leaves the last picture standing. */
  readonly close: () => void;
}

export function createDemoScreen(stream: WriteStream): DemoScreen {
  const startedAt = performance.now();
  const clock = () => {
    const seconds = Math.floor(((performance.now() - startedAt) * demoTimeScale) / 1000);
    return `+${String(Math.floor(seconds / 60)).padStart(2, '0')}:${String(seconds % 60).padStart(2, '0')}`;
  };
  return stream.isTTY ? createTable(stream, clock) : createLines(stream, clock);
}

function createLines(stream: WriteStream, clock: () => string): DemoScreen {
  let shown = new Map<string, string>();
  let badge = '';
  const write = (line: string) => stream.write(`${clock()}  ${line}\n`);
  return {
    say: (sentence) => write(sentence),
    notify: (line) => write(`notice: ${withoutClock(line)}`),
    show(status) {
      for (const session of status.sessions) {
        const words = describeSession(session);
        if (shown.get(session.key) !== words) write(`  ${session.key}: ${words}`);
      }
      shown = new Map(status.sessions.map((session) => [session.key, describeSession(session)]));
      const newBadge = describeBadge(status);
      if (newBadge !== badge) write(`badge: ${newBadge}`);
      badge = newBadge;
    },
    close: () => {},
  };
}

function createTable(stream: WriteStream, clock: () => string): DemoScreen {
  const said: string[] = [];
  const notices: string[] = [];
  let status: StatusDocument | null = null;
  let height = 0;
  const draw = () => {
    const lines = [
      `sandy-tray demo  ${clock()}  (time runs ${demoTimeScale} times faster)`,
      '',
      ...(status?.sessions ?? []).map(
        (session) => `  ${session.key.padEnd(18)}${describeSession(session)}`,
      ),
      '',
      `badge: ${status === null ? '-' : describeBadge(status)}`,
      '',
      ...said,
      ...(notices.length > 0 ? ['', 'Notices:', ...notices] : []),
    ].flatMap((line) => wrap(line, Math.max(20, stream.columns - 1)));
    const up = height > 0 ? `\x1b[${height}A\r` : '';
    stream.write(`${up}\x1b[J${lines.join('\n')}\n`);
    height = lines.length;
  };
  return {
    say(sentence) {
      said.push(`${clock()}  ${sentence}`);
      draw();
    },
    notify(line) {
      notices.push(`${clock()}  ${withoutClock(line)}`);
      draw();
    },
    show(newest) {
      status = newest;
      draw();
    },
    close: draw,
  };
}

function describeSession({ state, imageStale, attachedClients, updatedAt }: SessionView): string {
  const words: string[] = [state];
  if (imageStale === true) words.push('stale image');
  if ((attachedClients ?? 0) > 0) words.push('a client is in');
  if (updatedAt !== null) words.push('restarted for updates');
  return words.join(', ');
}

function describeBadge({ badge, run }: StatusDocument): string {
  const updating = run === null ? '' : `, update: ${run.restarted.length} back so far`;
  const count = badge.count === null || badge.count === 0 ? '' : ` ${badge.count}`;
  return `${badge.state}${count}${updating}`;
}

/** The agent's lines begin with the real time of day, which means nothing here. */
function withoutClock(line: string): string {
  return line.replace(/^\d\d:\d\d /, '');
}

function wrap(line: string, width: number): string[] {
  if (line.length <= width) return [line];
  const cut = line.lastIndexOf(' ', width);
  const at = cut > 10 ? cut : width;
  return [line.slice(0, at), ...wrap(`        ${line.slice(at).trim()}`, width)];
}
