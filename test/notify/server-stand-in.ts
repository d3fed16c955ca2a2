/** A notification server on a test's bus, which hangs and forgets when it is told to. */

import { onTestFinished } from 'vitest';
import { openWire, type WireMessage } from '../../src/system/dbus-wire.ts';

const NAME = 'org.freedesktop.Notifications';
const PATH = '/org/freedesktop/Notifications';

/** What `Notify` was called with. */
export interface Notified {
  readonly id: number;
  readonly replacesId: number;
  readonly title: string;
  readonly body: string;
  readonly actions: readonly string[];
  readonly hints: Readonly<Record<string, unknown>>;
  readonly expireMs: number;
}

export interface ServerStandIn {
  /** On the bus. */
  readonly owner: string;
  /** All that were ever shown, in their order. */
  readonly notified: readonly Notified[];
  /** The ids of those that can be seen now. */
  readonly visible: () => readonly number[];
  /** The names of the calls that came, answered or not. */
  readonly calls: readonly string[];
  /** From now on it answers nothing; what comes waits. */
  readonly freeze: () => void;
  readonly thaw: () => void;
  /** Somebody does something with a banner: the signals that follow. */
  readonly click: (id: number, action: string, token?: string) => void;
  readonly end: (id: number, reason: number) => void;
  /** Says anything, to all or to one. */
  readonly say: (member: string, signature: string, body: unknown[], destination?: string) => void;
  /** Leaves the bus. */
  readonly kill: () => Promise<void>;
}

export interface ServerOptions {
  readonly capabilities?: readonly string[];
  /** Another than the one that notifications come to: somebody who only pretends. */
  readonly name?: string;
  /** It does not take the place of an older one but adds another. */
  readonly neverReplaces?: boolean;
  /** It takes a banner down before anybody sees it, as one does that is told to be silent. */
  readonly isSilent?: boolean;
}

const USUAL = ['actions', 'body', 'body-markup'];

export async function startServer(
  variables: Readonly<Record<string, string>>,
  {
    capabilities = USUAL,
    name = NAME,
    neverReplaces = false,
    isSilent = false,
  }: ServerOptions = {},
): Promise<ServerStandIn> {
  const socket = (variables.DBUS_SESSION_BUS_ADDRESS ?? '').replace('unix:path=', '');
  const notified: Notified[] = [];
  const visible = new Set<number>();
  const calls: string[] = [];
  const held: WireMessage[] = [];
  const answers = new Map<number, (message: WireMessage) => void>();
  let serial = 0;
  let lastId = 0;
  let isFrozen = false;
  let tellClosed = () => {};
  const closed = new Promise<void>((settle) => {
    tellClosed = settle;
  });

  const wire = await openWire(socket, {
    onMessage(message) {
      if (message.kind === 'return') answers.get(message.replySerial)?.(message);
      if (message.kind !== 'call') return;
      calls.push(message.member);
      if (isFrozen) held.push(message);
      else serve(message);
    },
    onClosed: () => tellClosed(),
  });
  const say: ServerStandIn['say'] = (member, signature, body, destination) => {
    serial += 1;
    const signal = { path: PATH, interface: NAME, member, signature, body };
    wire.send({
      kind: 'signal',
      serial,
      ...signal,
      ...(destination === undefined ? {} : { destination }),
    });
  };
  const end = (id: number, reason: number) => {
    visible.delete(id);
    say('NotificationClosed', 'uu', [id, reason]);
  };
  const serve = ({ serial: replySerial, sender, member, body: values }: WireMessage) => {
    const reply = (signature: string, body: unknown[]) => {
      serial += 1;
      wire.send({ kind: 'return', serial, replySerial, destination: sender, signature, body });
    };
    switch (member) {
      case 'GetCapabilities':
        return reply('as', [capabilities]);
      case 'GetServerInformation':
        return reply('ssss', ['stand-in', 'nobody', '1', '1.2']);
      case 'CloseNotification': {
        const id = Number(values[0]);
        if (visible.has(id)) end(id, 3);
        return reply('', []);
      }
      case 'Notify': {
        const [, replacesId, , title, body, actions, hints, expireMs] = values as [
          string,
          number,
          string,
          string,
          string,
          string[],
          Record<string, unknown>,
          number,
        ];
        const isReplaced = visible.has(replacesId) && !neverReplaces;
        if (!isReplaced) lastId += 1;
        const id = isReplaced ? replacesId : lastId;
        visible.add(id);
        notified.push({ id, replacesId, title, body, actions, hints, expireMs });
        reply('u', [id]);
        if (isSilent) end(id, 1);
        return;
      }
    }
  };
  const callBus = (member: string, signature?: string, body?: unknown[]) =>
    new Promise<WireMessage>((settle) => {
      serial += 1;
      answers.set(serial, settle);
      const bus = { path: '/org/freedesktop/DBus', interface: 'org.freedesktop.DBus' };
      wire.send({
        kind: 'call',
        serial,
        destination: 'org.freedesktop.DBus',
        ...bus,
        member,
        ...(signature === undefined ? {} : { signature, body: body ?? [] }),
      });
    });
  const kill = async () => {
    wire.close();
    await closed;
  };
  onTestFinished(kill);
  const hello = await callBus('Hello');
  await callBus('RequestName', 'su', [name, 0]);
  return {
    owner: String(hello.body[0]),
    notified,
    visible: () => [...visible],
    calls,
    freeze: () => {
      isFrozen = true;
    },
    thaw: () => {
      isFrozen = false;
      for (const message of held.splice(0)) serve(message);
    },
    click: (id, action, token) => {
      if (token !== undefined) say('ActivationToken', 'us', [id, token]);
      say('ActionInvoked', 'us', [id, action]);
      end(id, 2);
    },
    end,
    say,
    kill,
  };
}
