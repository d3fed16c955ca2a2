/** The sentences of this room that a person reads: what is wrong, then what to do. */

import { cleanForeignText } from '../system/foreign-text.ts';
import { quoteForShell } from '../system/shell-words.ts';
import type { ChildOutcome } from '../system/spawning.ts';
import type { Argv } from './host.ts';
import { formatTime, type Schedule, type Unwritable } from './service-files.ts';
import type { Step } from './steps.ts';

const clean = (path: string) => cleanForeignText(path, 300);
const showCommand = (argv: Argv) => clean(argv.map(quoteForShell).join(' '));

export const texts = {
  /** About a step that was taken; null: nobody need know. */
  stepDone(step: Step): string | null {
    switch (step.kind) {
      case 'write':
        return `wrote    ${clean(step.path)}`;
      case 'remove':
        return `removed  ${clean(step.path)}`;
      case 'run':
        return `ran      ${showCommand(step.argv)}`;
      case 'make-folder':
      case 'await-gone':
        return null;
    }
  },
  /** About a step that would be taken. */
  stepAhead(step: Step): string | null {
    switch (step.kind) {
      case 'write':
        return `would write   ${clean(step.path)}`;
      case 'remove':
        return `would remove  ${clean(step.path)}`;
      case 'run':
        return `would run     ${showCommand(step.argv)}`;
      case 'make-folder':
      case 'await-gone':
        return null;
    }
  },
  fileTitle: (path: string) => `=== ${clean(path)}`,
  nothingToDo: 'Nothing had to be changed.',
  undoInstall: 'Undo it with: sandy-tray uninstall',
  undoSchedule: 'Undo it with: sandy-tray schedule --off',
  notChanged: (path: string, code: string) =>
    `${clean(path)} can't be changed (${code}). Mend its permissions or free the disk, then try again.`,
  commandFailed(argv: Argv, outcome: ChildOutcome): string {
    const failed = `"${showCommand(argv)}" failed${describeEnd(outcome)}.`;
    const code = outcome.kind === 'exited' ? outcome.code : null;
    // 5 is "Input/output error", 125 "Domain does not support specified action".
    if (argv[0] === 'launchctl' && (code === 5 || code === 125)) {
      return `${failed} launchd takes a job only for somebody who is logged in at the screen, not over ssh alone. Log in there, then run this again.`;
    }
    return `${failed} Mend that, then run this again.`;
  },
  notGone: (argv: Argv) =>
    `The old service does not end: "${showCommand(argv)}" still shows it. Wait for it, then run this again.`,
  noSystemctl: (kind: ChildOutcome['kind']) =>
    kind === 'not-found' ? 'there is no systemctl' : `systemctl: ${kind}`,
  noManager: (reason: string) =>
    `No systemd of yours answers here (${firstLine(reason)}), so the agent comes with your next desktop session instead. Until then: sandy-tray run`,
  noManagerToRemoveFrom: (reason: string) =>
    `No systemd of yours answers here (${firstLine(reason)}), so only files were looked at. An agent that runs goes on; end it with Ctrl-C where it runs, or from its menu.`,
  noDesktop:
    'No desktop session is known to systemd here: on a desktop that systemd does not run, the autostart entry starts the agent. For a machine without a desktop: systemctl --user add-wants default.target sandy-tray.service',
  runsByHand: (pid: number, start: string) =>
    `An agent that no service started runs already (pid ${pid}), and it stays. For the service to take over, end it (Ctrl-C where it runs), then: ${start}`,
  noManagerForTimer: (reason: string) =>
    `No systemd of yours answers here (${firstLine(reason)}), so nothing can be scheduled. Let cron run: sandy-tray update --all --idle-for 30 --yes`,
  unwritable(problem: Unwritable): string {
    switch (problem.kind) {
      case 'unwritable':
        return `"${clean(problem.text)}" has a character in it that no service file can hold. Rename that folder, then run this again.`;
      case 'not-runnable':
        return `No service can run a program of this path, for one of its characters (quotes, \\, $, =): "${clean(problem.path)}". Move that program, then run this again.`;
    }
  },
  scheduled: (schedule: Schedule, isSpread: boolean) =>
    `Every night at ${formatTime(schedule)}${isSpread ? ', or up to half an hour later,' : ''} the sessions that were idle for ${schedule.idleMinutes} min are updated.`,
  notScheduled: 'No nightly update is scheduled. Schedule one with: sandy-tray schedule --at 04:00',
  scheduledButOff: (schedule: Schedule) =>
    `A nightly update at ${formatTime(schedule)} is written down, but nothing runs it. Mend that with: sandy-tray schedule --at ${formatTime(schedule)} --idle-for ${schedule.idleMinutes}`,
  nextRun: (at: string) => `Next: ${clean(at)}.`,
  /** `see`: what shows more. */
  lastRun: (at: string, exitCode: number, see: string) =>
    `Last: ${at === '' ? '' : `${clean(at)}, `}${exitCode === 0 ? 'it went well' : `it failed (exit code ${exitCode}); see: ${see}`}.`,
  nightNeedsLogin:
    'It runs only while you are logged in, and sessions that it restarts end with your last logout. To have it run, and them go on, at other times too: loginctl enable-linger',
  endsWithLogout:
    'Sessions that the agent restarts end with your last logout. To have them go on: loginctl enable-linger',
  elsewhere: (where: string, line: string, howToRemove: string) =>
    `${clean(where)} updates the sessions already: "${cleanForeignText(line.trim(), 160)}". ${howToRemove}`,
  removeFromCron: 'Take that line out with: crontab -e',
  removeFile: (path: string) => `Remove that file, or what it runs: ${clean(path)}`,
  scheduleRefused: "Two schedules would get in each other's way; then run this again.",
} as const;

function firstLine(text: string): string {
  const line = text.trim().split('\n')[0] ?? '';
  return cleanForeignText(line, 120).replace(/\.$/, '');
}

function describeEnd(outcome: ChildOutcome): string {
  switch (outcome.kind) {
    case 'exited': {
      const said = firstLine(outcome.stderrTail || outcome.stdout);
      return ` (exit code ${outcome.code}${said === '' ? '' : `: ${said}`})`;
    }
    case 'signalled':
      return ` (${outcome.signal})`;
    case 'timed-out':
      return ` (no answer within ${Math.round(outcome.limitMs / 1000)} s)`;
    case 'not-found':
      return ' (there is no such program)';
    case 'not-started':
      return ` (${outcome.errorCode})`;
    case 'too-large':
    case 'aborted':
    case 'not-executable':
      return ` (${outcome.kind})`;
  }
}
