/** launchd's agents of a user who sits at the screen. */

import { join } from 'node:path';
import { type Argv, askCommand, type Host } from './host.ts';
import { type FileChange, run, type Step, tryToRun, writeChanged } from './steps.ts';

export const AGENT_LABEL = 'dev.sandy.tray';
export const UPDATE_LABEL = 'dev.sandy.tray.update';

/** How often it is tried to hand a job to launchd: it refuses one whose end is not quite over. */
const BOOTSTRAP_TRIES = 5;

export interface JobLook {
  readonly isLoaded: boolean;
  readonly pid: number | null;
  /** Of its last end; null: it has not ended, or launchd does not say. */
  readonly exitCode: number | null;
}

/** Where launchd finds this user's jobs. */
export function nameAgentsFolder({ home }: Host): string {
  return join(home, 'Library', 'LaunchAgents');
}

export function namePlist(host: Host, label: string): string {
  return join(nameAgentsFolder(host), `${label}.plist`);
}

/** Asks launchd for a job; changes nothing. */
export async function lookAtJob(host: Host, label: string): Promise<JobLook> {
  const printed = await askCommand(host, showJob(host, label));
  return printed === null ? { isLoaded: false, pid: null, exitCode: null } : parseJob(printed);
}

/** Reads what `launchctl print` says of a job: it is for people, and may say it in other words one day. */
function parseJob(text: string): JobLook {
  const read = (name: string) => {
    const match = new RegExp(`^\\s*${name} = (\\d+)`, 'm').exec(text);
    return match === null ? null : Number(match[1]);
  };
  return { isLoaded: true, pid: read('pid'), exitCode: read('last exit code') };
}

/**
 * A job written and loaded. `bootout` only asks for the end: launchd refuses a job of the same name until
 * the old one is gone. `enable` first, as a job that was disabled once is never loaded.
 */
export function planJob(host: Host, label: string, job: JobLook, file: FileChange): Step[] {
  const writes = writeChanged([file]);
  if (writes.length === 0 && job.isLoaded) return [];
  const domain = `gui/${host.uid}`;
  return [
    ...writes,
    run('launchctl', 'enable', `${domain}/${label}`),
    ...(job.isLoaded ? unload(host, label) : []),
    {
      kind: 'run',
      argv: ['launchctl', 'bootstrap', domain, file.path],
      onFailure: 'stop',
      tries: BOOTSTRAP_TRIES,
    },
  ];
}

/** A job's process anew; what the old one started goes on. */
export function planRestart({ uid }: Host, label: string): Step {
  return run('launchctl', 'kickstart', '-k', `gui/${uid}/${label}`);
}

/** A job gone, and its process; what that started goes on. */
export function planJobRemoval(
  host: Host,
  label: string,
  job: JobLook,
  present: readonly string[],
): Step[] {
  return [
    ...(job.isLoaded ? unload(host, label) : []),
    ...present.map((path): Step => ({ kind: 'remove', path })),
  ];
}

function unload(host: Host, label: string): Step[] {
  return [
    // It may be gone by itself since we looked, and whether it is is looked at anyway.
    tryToRun('launchctl', 'bootout', `gui/${host.uid}/${label}`),
    { kind: 'await-gone', argv: showJob(host, label) },
  ];
}

function showJob({ uid }: Host, label: string): Argv {
  return ['launchctl', 'print', `gui/${uid}/${label}`];
}
