/**
 * Whether the X server has a tray of the old kind: a window that owns the selection `_NET_SYSTEM_TRAY_S0`. One
 * quiet connection hears of trays that come and go.
 */

import { readFile } from 'node:fs/promises';
import { connect, type Socket } from 'node:net';
import { join } from 'node:path';
import {
  findCookie,
  measureAnswer,
  measureMessage,
  parseDisplay,
  readMessage,
  readRoot,
  writeGetSelectionOwner,
  writeGreeting,
  writeInternAtom,
  writeWatchWindow,
  type XCookie,
} from './x11-wire.ts';

/** Of `no-display` it is known at once: none on this machine is named. */
export type XTraySight = 'unknown' | 'no-display' | 'none' | 'there';

const SELECTION = '_NET_SYSTEM_TRAY_S0';
const FIRST_RETRY_MS = 15_000;
const LAST_RETRY_MS = 300_000;
/** No message that is asked for is near this. */
const MAX_MESSAGE_BYTES = 512 * 1024;

/**
 * Watches until it is told to stop. Where the server can't be reached, it is tried again.
 * @param timeScale by which the delays between attempts are divided
 */
export function watchXTray(
  variables: Readonly<Record<string, string | undefined>>,
  timeScale: number,
  onSight: (sight: XTraySight) => void,
): { readonly sight: () => XTraySight; readonly stop: () => void } {
  const display = parseDisplay(variables.DISPLAY);
  let sight: XTraySight = display === null ? 'no-display' : 'unknown';
  let socket: Socket | null = null;
  let timer: NodeJS.Timeout | undefined;
  let retryMs = FIRST_RETRY_MS;
  let isStopped = display === null;

  const see = (next: XTraySight) => {
    if (sight === next || isStopped) return;
    sight = next;
    onSight(next);
  };
  const attempt = async (number: number) => {
    const cookie = await readCookie(variables, number);
    if (isStopped) return;
    socket = connect(`/tmp/.X11-unix/X${number}`);
    socket.on('error', () => {});
    socket.once('close', () => {
      if (isStopped) return;
      see('none');
      timer = setTimeout(() => void attempt(number), retryMs / timeScale);
      retryMs = Math.min(retryMs * 2, LAST_RETRY_MS);
    });
    converse(socket, cookie, (isThere) => {
      retryMs = FIRST_RETRY_MS;
      see(isThere ? 'there' : 'none');
    });
  };
  if (display !== null) void attempt(display);
  return {
    sight: () => sight,
    stop() {
      isStopped = true;
      clearTimeout(timer);
      socket?.destroy();
    },
  };
}

async function readCookie(
  { XAUTHORITY, HOME }: Readonly<Record<string, string | undefined>>,
  display: number,
): Promise<XCookie | null> {
  const path = XAUTHORITY || (HOME ? join(HOME, '.Xauthority') : null);
  if (path === null) return null;
  const file = await readFile(path).catch(() => null);
  return file === null ? null : findCookie(file, display);
}

/** Asks who has the tray, and again whenever that may have changed. */
function converse(socket: Socket, cookie: XCookie | null, onOwner: (isThere: boolean) => void) {
  let bytes = Buffer.alloc(0);
  let sequence = 0;
  let isLetIn = false;
  let selection: number | null = null;
  let owner = 0;

  const send = (request: Buffer) => {
    sequence = (sequence + 1) & 0xffff;
    socket.write(request);
  };
  const ask = () => {
    if (selection !== null) send(writeGetSelectionOwner(selection));
  };
  const setOwner = (window: number) => {
    if (window !== owner && window !== 0) {
      // It may be gone before it is watched; then this is an error, and it is asked for again.
      send(writeWatchWindow(window));
    }
    owner = window;
    onOwner(window !== 0);
  };
  const hear = (message: Buffer) => {
    if (!isLetIn) {
      const root = readRoot(message);
      if (root === null) return socket.destroy();
      isLetIn = true;
      send(writeInternAtom(SELECTION));
      send(writeWatchWindow(root));
      return;
    }
    const heard = readMessage(message);
    switch (heard.kind) {
      case 'reply':
        if (selection === null) {
          selection = heard.value;
          ask();
        } else if (heard.sequence === sequence) setOwner(heard.value);
        return;
      case 'error':
        owner = 0;
        return ask();
      case 'manager':
        if (heard.selection === selection) ask();
        return;
      case 'destroyed':
        if (heard.window !== owner) return;
        owner = 0;
        return ask();
      case 'other':
        return;
    }
  };
  socket.on('data', (more) => {
    bytes = Buffer.concat([bytes, more]);
    for (;;) {
      const length = isLetIn ? measureMessage(bytes) : measureAnswer(bytes);
      if (length !== null && length > MAX_MESSAGE_BYTES) return socket.destroy();
      if (length === null || bytes.length < length) return;
      const message = bytes.subarray(0, length);
      bytes = bytes.subarray(length);
      hear(message);
    }
  });
  socket.write(writeGreeting(cookie));
}
