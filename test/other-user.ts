import { spawnSync } from 'node:child_process';

/** What makes a child one of another user, in a folder that everybody may enter. */
export const asNobody = { uid: 65_534, gid: 65_534, cwd: '/' };

/** False: not root, or a Node in root's own folder, which nobody else can start. CI must have both. */
export const canBeNobody =
  process.env.CI === 'true' || spawnSync(process.execPath, ['-e', ''], asNobody).status === 0;
if (!canBeNobody) console.warn('Skipped: only root, with a Node for all, can be another user.');
