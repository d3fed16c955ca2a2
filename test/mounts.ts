import { spawnSync } from 'node:child_process';

const steps = 'mount -t tmpfs none /mnt && command -v nsenter';

/** Root in a container may still not be allowed to mount anything. CI must let it: what can't be tried fails. */
export const canMount =
  process.env.CI === 'true' || spawnSync('unshare', ['-m', 'sh', '-c', steps]).status === 0;
if (!canMount) console.warn('Skipped: disks of a test need root, unshare, nsenter and mount.');
