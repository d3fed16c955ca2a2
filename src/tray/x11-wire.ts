/** As much of the X11 protocol as it takes to ask who has a selection. Pure; little-endian throughout. */

export interface XCookie {
  readonly name: string;
  readonly data: Buffer;
}

export type XMessage =
  | { readonly kind: 'error' }
  /** Its value is the number that both replies that are asked for here begin with. */
  | { readonly kind: 'reply'; readonly sequence: number; readonly value: number }
  /** Somebody took a selection, as the holders of trays announce to everybody. */
  | { readonly kind: 'manager'; readonly selection: number }
  | { readonly kind: 'destroyed'; readonly window: number }
  | { readonly kind: 'other' };

const PACKET_BYTES = 32;
const COOKIE_NAME = 'MIT-MAGIC-COOKIE-1';
/** Of `ChangeWindowAttributes`: the value is an event mask. */
const EVENT_MASK = 0x800;
/** Windows of interest say when they are destroyed, the root window also what is announced to it. */
const STRUCTURE_NOTIFY = 0x2_0000;

/** The number of a display on this machine; null: it is on another one, or none is named. */
export function parseDisplay(display: string | undefined): number | null {
  const match = /^(?:unix)?:(\d{1,5})(?:\.0)?$/.exec(display ?? '');
  return match?.[1] === undefined ? null : Number(match[1]);
}

/** The cookie for a display in the text of an authority file; null: there is none. */
export function findCookie(file: Buffer, display: number): XCookie | null {
  let at = 0;
  const take = (): Buffer => {
    const length = at + 2 <= file.length ? file.readUInt16BE(at) : 0;
    const bytes = file.subarray(at + 2, at + 2 + length);
    at += 2 + length;
    return bytes;
  };
  while (at + 2 < file.length) {
    at += 2;
    const [, number, name, data] = [take(), take().toString(), take().toString(), take()];
    const isMeant = number === '' || number === String(display);
    if (isMeant && name === COOKIE_NAME && at <= file.length) return { name, data };
  }
  return null;
}

export function writeGreeting(cookie: XCookie | null): Buffer {
  const [name, data] = [pad(Buffer.from(cookie?.name ?? '')), pad(cookie?.data ?? Buffer.alloc(0))];
  const head = Buffer.alloc(12);
  head.write('l', 0);
  head.writeUInt16LE(11, 2);
  head.writeUInt16LE(cookie?.name.length ?? 0, 6);
  head.writeUInt16LE(cookie?.data.length ?? 0, 8);
  return Buffer.concat([head, name, data]);
}

/** The first root window in the answer to a greeting; null: we are not let in. */
export function readRoot(answer: Buffer): number | null {
  if (answer[0] !== 1 || answer.length < 40) return null;
  const vendorBytes = answer.readUInt16LE(24);
  const formats = answer[29] ?? 0;
  const at = 40 + vendorBytes + (-vendorBytes & 3) + formats * 8;
  return at + 4 <= answer.length ? answer.readUInt32LE(at) : null;
}

/** How long the answer to a greeting is, by its beginning; null: more of it is needed. */
export function measureAnswer(bytes: Buffer): number | null {
  return bytes.length < 8 ? null : 8 + bytes.readUInt16LE(6) * 4;
}

export function writeInternAtom(name: string): Buffer {
  const text = pad(Buffer.from(name));
  const head = Buffer.alloc(8);
  head[0] = 16;
  head.writeUInt16LE(2 + text.length / 4, 2);
  head.writeUInt16LE(name.length, 4);
  return Buffer.concat([head, text]);
}

export function writeGetSelectionOwner(selection: number): Buffer {
  const request = Buffer.alloc(8);
  request[0] = 23;
  request.writeUInt16LE(2, 2);
  request.writeUInt32LE(selection, 4);
  return request;
}

export function writeWatchWindow(window: number): Buffer {
  const request = Buffer.alloc(16);
  request[0] = 2;
  request.writeUInt16LE(4, 2);
  request.writeUInt32LE(window, 4);
  request.writeUInt32LE(EVENT_MASK, 8);
  request.writeUInt32LE(STRUCTURE_NOTIFY, 12);
  return request;
}

/** How long the next message is, by its beginning; null: more of it is needed. */
export function measureMessage(bytes: Buffer): number | null {
  if (bytes.length < PACKET_BYTES) return null;
  return bytes[0] === 1 ? PACKET_BYTES + bytes.readUInt32LE(4) * 4 : PACKET_BYTES;
}

export function readMessage(bytes: Buffer): XMessage {
  // The highest bit says that another program sent it.
  switch ((bytes[0] ?? 0) & 0x7f) {
    case 0:
      return { kind: 'error' };
    case 1:
      return {
        kind: 'reply',
        sequence: bytes.readUInt16LE(2),
        value: bytes.readUInt32LE(8),
      };
    case 17:
      return { kind: 'destroyed', window: bytes.readUInt32LE(8) };
    case 33:
      return { kind: 'manager', selection: bytes.readUInt32LE(16) };
    default:
      return { kind: 'other' };
  }
}

function pad(bytes: Buffer): Buffer {
  return Buffer.concat([bytes, Buffer.alloc(-bytes.length & 3)]);
}
