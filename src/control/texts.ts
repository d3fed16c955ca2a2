/** The sentences of this room that a person reads: what is wrong, then what to do. */

import { cleanForeignText } from '../system/foreign-text.ts';

export const texts = {
  pathTooLong: (path: string, most: number) =>
    `The path of the agent's socket is too long (${Buffer.byteLength(path)} bytes, at most ${most}): ${cleanForeignText(path, 300)}. Set SANDY_TRAY_DIR to a shorter path.`,
  foreignFolder: (folder: string) =>
    `${cleanForeignText(folder, 300)} belongs to another user. Set SANDY_TRAY_DIR to a folder of yours.`,
  notSocket: (path: string) =>
    `${cleanForeignText(path, 300)} is not a socket, so this program did not make it. Move it away.`,
  inUse: (path: string) =>
    `Another agent answers on ${cleanForeignText(path, 300)}. Stop it, or set SANDY_TRAY_DIR to another folder.`,
  notListening: (path: string, code: string) =>
    `The agent's socket can't be made at ${cleanForeignText(path, 300)} (${code}). Free the disk or mend the permissions of that folder.`,
  otherProtocol: (theirs: number, ours: number) =>
    theirs < ours
      ? `This agent is newer (protocol ${ours}, not ${theirs}). Start this command again.`
      : `This agent is older (protocol ${ours}, not ${theirs}). Restart the agent.`,
  unknownRequest: (name: string) => `This agent knows no request "${cleanForeignText(name, 40)}".`,
} as const;
