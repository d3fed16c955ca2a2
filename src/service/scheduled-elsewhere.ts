/** Updates of sessions that somebody else has scheduled already: found, named, and left alone. */

import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { readIfThere } from './carrying-out.ts';
import { askCommand, type Host } from './host.ts';
import { nameAgentsFolder, UPDATE_LABEL } from './launchd.ts';
import { type SystemdLook, UPDATE_UNIT } from './systemd-look.ts';
import { texts } from './texts.ts';

/** One line about each, with how to do away with it. `look`: null on a Mac. */
export async function findScheduledElsewhere(
  host: Host,
  look: SystemdLook | null,
): Promise<readonly string[]> {
  const table = await askCommand(host, ['crontab', '-l']);
  const lines = listUpdateLines(table ?? '');
  const found = lines.map((line) => texts.elsewhere('cron', line, texts.removeFromCron));
  for (const path of await listServiceFiles(host, look)) {
    const [line] = listUpdateLines((await readIfThere(path)) ?? '');
    if (line !== undefined) found.push(texts.elsewhere(path, line, texts.removeFile(path)));
  }
  return found;
}

/** The lines of a crontab, a unit or a plist that restart sessions; comments and dry runs don't. */
function listUpdateLines(text: string): string[] {
  return text.split('\n').filter((line) => {
    if (/^\s*(#|;|<!--)/.test(line) || line.includes('--dry-run')) return false;
    // In a plist the program's name is on another line.
    return line.includes('--update-sessions') || /\bsandy-tray\s+update\b.*--yes\b/.test(line);
  });
}

/** The service files of this user that are not our own. */
async function listServiceFiles(host: Host, look: SystemdLook | null): Promise<string[]> {
  const folder = look?.unitFolder ?? nameAgentsFolder(host);
  const own = look === null ? `${UPDATE_LABEL}.plist` : UPDATE_UNIT;
  const ending = look === null ? '.plist' : '.service';
  const names = await readdir(folder).catch(() => []);
  return names
    .filter((name) => name.endsWith(ending) && name !== own)
    .map((name) => join(folder, name));
}
