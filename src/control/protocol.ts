/**
 * What the agent and its clients say to each other: one JSON object a line. Both sides begin with a
 * hello that names the protocol. After it the agent sends whole snapshots and replies, the client
 * requests. Unknown fields and unknown kinds of frame are ignored, so that both can be newer.
 */

import * as z from 'zod/mini';

/** Raised when an older peer could misread us; new fields, kinds and requests don't need that. */
export const protocolVersion = 1;

/** The longest line from a client. */
export const maxClientFrameBytes = 64 * 1024;

/** The longest line from the agent: a snapshot of 5,000 sessions is a tenth of it. */
export const maxServerFrameBytes = 32 * 1024 * 1024;

/** The agent as its hello names it. */
export interface ServerHello {
  readonly kind: 'hello';
  readonly protocol: number;
  readonly pid: number;
  readonly version: string;
  readonly epoch: string;
}

export type ServerFrame =
  | ServerHello
  | {
      readonly kind: 'snapshot';
      readonly epoch: string;
      readonly rev: number;
      readonly status: unknown;
    }
  | {
      readonly kind: 'reply';
      /** Of the request. */
      readonly id: number;
      readonly ok: boolean;
      /** For a person. */
      readonly text: string;
      readonly body?: unknown;
    }
  /** The last frame: why this client isn't served. */
  | { readonly kind: 'refused'; readonly text: string };

export type ClientFrame =
  | {
      readonly kind: 'hello';
      readonly protocol: number;
      /** What the client is for: `status`, `watch`, `shim`, and what comes later. */
      readonly role: string;
    }
  | {
      readonly kind: 'request';
      readonly id: number;
      readonly name: string;
      readonly body?: unknown;
    };

/** What stays the same in every protocol: how a peer says which one it speaks. */
const anyHello = z.object({ kind: z.literal('hello'), protocol: z.int() });

const serverFrame = z.discriminatedUnion('kind', [
  z.object({
    kind: z.literal('hello'),
    protocol: z.int(),
    pid: z.int(),
    version: z.string(),
    epoch: z.string(),
  }),
  z.object({
    kind: z.literal('snapshot'),
    epoch: z.string(),
    rev: z.int(),
    status: z.unknown(),
  }),
  z.object({
    kind: z.literal('reply'),
    id: z.int(),
    ok: z.boolean(),
    text: z.string(),
    body: z.optional(z.unknown()),
  }),
  z.object({ kind: z.literal('refused'), text: z.string() }),
]);

const clientFrame = z.discriminatedUnion('kind', [
  z.object({ kind: z.literal('hello'), protocol: z.int(), role: z.string() }),
  z.object({
    kind: z.literal('request'),
    id: z.int(),
    name: z.string(),
    body: z.optional(z.unknown()),
  }),
]);

const anyFrame = z.object({ kind: z.string() });

/** A frame that was read, one of a kind that this version doesn't know, or junk. */
export type FrameRead<Frame> =
  | { readonly kind: 'frame'; readonly frame: Frame }
  | { readonly kind: 'unknown' }
  | { readonly kind: 'junk' };

export function readServerFrame(value: object): FrameRead<ServerFrame> {
  return readFrame(serverFrame, ['hello', 'snapshot', 'reply', 'refused'], value);
}

export function readClientFrame(value: object): FrameRead<ClientFrame> {
  return readFrame(clientFrame, ['hello', 'request'], value);
}

/** The protocol that a first frame names, or null where it is no hello. */
export function readProtocol(value: object): number | null {
  const parsed = anyHello.safeParse(value);
  return parsed.success ? parsed.data.protocol : null;
}

/** The line for a frame. */
export function encodeFrame(frame: ServerFrame | ClientFrame): Buffer {
  return Buffer.from(`${JSON.stringify(frame)}\n`, 'utf8');
}

function readFrame<Frame>(
  schema: z.ZodMiniType<Frame>,
  kinds: readonly string[],
  value: object,
): FrameRead<Frame> {
  const parsed = schema.safeParse(value);
  if (parsed.success) return { kind: 'frame', frame: parsed.data };
  const any = anyFrame.safeParse(value);
  return any.success && !kinds.includes(any.data.kind) ? { kind: 'unknown' } : { kind: 'junk' };
}
