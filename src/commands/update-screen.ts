/** What a person or a program sees of an update: its own words as they come, and its sum at the end. */

import { drawLine } from '../attach/terminal-modes.ts';
import type { StatusDocument } from '../control/status-document.ts';
import { createLineReader, type ReadLine } from '../sandy/update-output.ts';
import type { RunOutcome } from '../store/run-record.ts';
import { readBytes } from '../system/file-end.ts';
import { exitCodes } from './command.ts';
import { type Builds, countBuilds, noBuilds, readBuilds } from './update-builds.ts';
import { updateTexts } from './update-texts.ts';

export interface UpdateScreen {
  readonly take: (status: StatusDocument) => void;
  /** Shows what happened to a single session, beside the output of a program. */
  readonly note: (line: string) => void;
  readonly close: () => void;
}

export interface ScreenParts {
  readonly id: string;
  readonly logPath: string;
  /** It was running before. */
  readonly joined: boolean;
  /** One event a line for programs. */
  readonly json: boolean;
}

const REDRAW_MS = 1_000;
const READ_MS = 200;
/** In a narrow window the words need the room more. */
const BAR_CELLS = 24;
const BAR_SHARE = 4;

/** Opens the screen. On a terminal its last line is a live one; elsewhere each line stands for itself. */
export function createUpdateScreen({ id, logPath, joined, json }: ScreenParts): UpdateScreen {
  const live = process.stdout.isTTY === true && !json;
  const reader = createLineReader();
  let at = 0;
  let run: StatusDocument['run'] = null;
  let builds: Builds = noBuilds;
  let drawn = false;

  const print = (text: string) => {
    erase();
    process.stdout.write(`${text}\n`);
    draw();
  };
  const erase = () => {
    if (drawn) process.stdout.write('\r\x1b[K');
    drawn = false;
  };
  const draw = () => {
    if (!live || run === null) return;
    const elapsedMs = Math.max(0, Date.now() - Date.parse(run.startedAt));
    const columns = process.stdout.columns || 80;
    const built = run.phase === 'building' ? countBuilds(builds) : null;
    // The one that is being built is not done.
    const done = built === null ? run.progress : ([built[0] - 1, built[1]] as const);
    const bar = drawBar(done, Math.min(BAR_CELLS, Math.floor(columns / BAR_SHARE)));
    const line = updateTexts.line(run, bar, elapsedMs, { count: built, now: builds.now });
    process.stdout.write(drawLine(line, columns - 1));
    drawn = true;
  };
  const show = ({ text, line }: ReadLine) => {
    builds = readBuilds(builds, line);
    if (json) {
      const { kind, ...rest } = line;
      process.stdout.write(
        `${JSON.stringify({ event: kind === 'other' ? 'output' : kind, ...rest, text })}\n`,
      );
    } else if (line.kind === 'heartbeat' && live && run !== null) draw();
    // A dry run has no live line.
    else if (text.trim() !== '') print(text);
  };
  const readOn = () => {
    readBytes(logPath, at, null, (bytes) => {
      at += bytes.length;
      for (const line of reader.take(bytes)) show(line);
    });
  };
  if (json) {
    process.stdout.write(`${JSON.stringify({ event: 'started', id, joined, log: logPath })}\n`);
  } else if (joined) print(updateTexts.joined);
  const reading = setInterval(readOn, READ_MS);
  const drawing = live ? setInterval(draw, REDRAW_MS) : undefined;
  return {
    take(status) {
      const before = run;
      run = status.run?.id === id ? status.run : null;
      if (run === null) return;
      if (json) {
        const { phase, current, progress } = run;
        const changed = JSON.stringify([phase, current, progress]);
        if (changed === JSON.stringify([before?.phase, before?.current, before?.progress])) return;
        process.stdout.write(
          `${JSON.stringify({ event: 'progress', phase, current, progress })}\n`,
        );
      } else if (run.phase === 'hung' && before?.phase !== 'hung') print(updateTexts.hangs);
      else draw();
    },
    note(line) {
      if (live) print(line);
      else process.stderr.write(`${line}\n`);
    },
    close() {
      clearInterval(reading);
      clearInterval(drawing);
      readOn();
      for (const line of reader.end()) show(line);
      erase();
      run = null;
    },
  };
}

function drawBar([done, total]: readonly [number, number | null], cells: number): string {
  if (total === null || total === 0) return '';
  const full = Math.round((Math.min(done, total) / total) * cells);
  return `[${'#'.repeat(full)}${'.'.repeat(cells - full)}] `;
}

/** Says what an update came to; gives the exit code. */
export function describeOutcome(
  outcome: RunOutcome | null,
  {
    json,
    isDryRun,
    id,
  }: { readonly json: boolean; readonly isDryRun: boolean; readonly id: string },
): number {
  if (json) process.stdout.write(`${JSON.stringify({ event: 'done', id, outcome })}\n`);
  else process.stdout.write(isDryRun ? updateTexts.checkSum(outcome) : updateTexts.sum(outcome));
  switch (outcome?.kind) {
    case 'ok':
      return exitCodes.ok;
    case 'docker-unreachable':
      return exitCodes.unavailable;
    default:
      return exitCodes.failed;
  }
}
