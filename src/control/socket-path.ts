import { join } from 'node:path';

/** The agent's socket. It is in the state folder, so that cron, ssh and the desktop meet there. */
export function nameSocket(stateFolder: string): string {
  return join(stateFolder, 'agent.sock');
}

/** The longest path, in bytes, that `sun_path` holds with its closing NUL: unix(7), unix(4). */
export function maxSocketPathBytes(platform: NodeJS.Platform): number {
  return platform === 'darwin' ? 103 : 107;
}

/** Whether a socket can't be there. Node 20 cuts such a path short and uses what is left of it. */
export function isSocketPathTooLong(path: string, platform: NodeJS.Platform): boolean {
  return Buffer.byteLength(path) > maxSocketPathBytes(platform);
}
