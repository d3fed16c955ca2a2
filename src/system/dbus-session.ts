/** What is said over one connection to a bus: calls with their answers, and what others say to us. */

import type { BusAnswer, IncomingCall } from './dbus-object.ts';
import { openWire, type SendOutcome, type Wire, type WireMessage } from './dbus-wire.ts';

export interface BusCall {
  readonly destination: string;
  readonly path: string;
  readonly interface: string;
  readonly member: string;
  /** The signature of the body; '' and no body: the call has no arguments. */
  readonly signature?: string;
  /** Variants are pairs of signature and value, dictionaries lists of key and value. */
  readonly body?: readonly unknown[];
  /** How long the answer may take. */
  readonly limitMs: number;
  /** True: where nobody has that name, nobody is started to take it. */
  readonly withoutStarting?: boolean;
}

export type CallOutcome =
  /** Dictionaries with text keys are plain objects, variants their values. */
  | { readonly kind: 'returned'; readonly body: readonly unknown[] }
  /** An error of D-Bus: its name, such as `org.freedesktop.DBus.Error.ServiceUnknown`, and its text. */
  | { readonly kind: 'refused'; readonly name: string; readonly text: string }
  | { readonly kind: 'too-late' }
  /** There is no connection, or it was lost before the answer came. */
  | { readonly kind: 'no-bus' }
  /** What was to be said does not fit its signature, or can't be said, such as a NUL in a text. */
  | { readonly kind: 'unsendable' };

export interface BusSignal {
  readonly sender: string;
  readonly path: string;
  readonly interface: string;
  readonly member: string;
  readonly signature: string;
  readonly body: readonly unknown[];
}

export interface OutgoingSignal {
  readonly path: string;
  readonly interface: string;
  readonly member: string;
  readonly signature?: string;
  readonly body?: readonly unknown[];
}

export interface BusSession {
  /** Calls back once, in the order in which answers and signals come; possibly at once. */
  readonly call: (call: BusCall, done: (outcome: CallOutcome) => void) => void;
  readonly emit: (signal: OutgoingSignal) => SendOutcome;
  readonly close: () => void;
}

export interface SessionListener {
  /** The bus has let us in. What follows is about this session, to its end. */
  readonly onOpen: (session: BusSession) => void;
  readonly onCall: (call: IncomingCall) => BusAnswer;
  readonly onSignal: (signal: BusSignal) => void;
  readonly onClosed: () => void;
}

/** How long a bus may take to let us in: one that is frozen says nothing at all. */
const GREETING_LIMIT_MS = 5000;

interface PendingCall {
  readonly timer: NodeJS.Timeout;
  readonly done: (outcome: CallOutcome) => void;
}

/** Connects to the bus on a socket; false: nobody there lets us in, or it was not wanted any more. */
export function openSession(
  socketPath: string,
  listener: SessionListener,
  abandoning: AbortSignal,
): Promise<boolean> {
  return new Promise((settle, fail) => {
    const pending = new Map<number, PendingCall>();
    let serial = 0;
    let isGreeted = false;
    const takeSerial = () => {
      serial = serial >= 0xffff_ffff ? 1 : serial + 1;
      return serial;
    };
    const finish = (number: number, outcome: CallOutcome) => {
      const call = pending.get(number);
      if (call === undefined) return;
      pending.delete(number);
      clearTimeout(call.timer);
      call.done(outcome);
    };

    const makeSession = (wire: Wire): BusSession => ({
      call({ limitMs, ...message }, done) {
        const number = takeSerial();
        const timer = setTimeout(() => finish(number, { kind: 'too-late' }), limitMs);
        pending.set(number, { timer, done });
        const outcome = wire.send({ kind: 'call', serial: number, ...message });
        if (outcome === 'closed') finish(number, { kind: 'no-bus' });
        if (outcome === 'unsendable') finish(number, { kind: 'unsendable' });
      },
      emit: (signal) => wire.send({ kind: 'signal', serial: takeSerial(), ...signal }),
      close: wire.close,
    });

    const answer = (wire: Wire, message: WireMessage) => {
      const reply = (answer: BusAnswer) => {
        if (!message.expectsReply) return;
        const to = {
          serial: takeSerial(),
          replySerial: message.serial,
          destination: message.sender,
        };
        wire.send(
          answer.kind === 'return'
            ? { kind: 'return', ...to, signature: answer.signature, body: answer.body }
            : {
                kind: 'error',
                ...to,
                errorName: answer.errorName,
                signature: 's',
                body: [answer.text],
              },
        );
      };
      try {
        reply(listener.onCall(message));
      } catch (bug) {
        reply({ kind: 'error', errorName: 'org.freedesktop.DBus.Error.Failed', text: 'Failed.' });
        throw bug;
      }
    };

    openWire(socketPath, {
      onMessage(message, wire) {
        switch (message.kind) {
          case 'return':
            return finish(message.replySerial, { kind: 'returned', body: message.body });
          case 'error':
            return finish(message.replySerial, {
              kind: 'refused',
              name: message.errorName,
              text: String(message.body[0] ?? ''),
            });
          case 'signal':
            return isGreeted ? listener.onSignal(message) : undefined;
          case 'call':
            return answer(wire, message);
        }
      },
      onClosed() {
        for (const number of [...pending.keys()]) finish(number, { kind: 'no-bus' });
        if (isGreeted) listener.onClosed();
      },
    }).then((wire) => {
      const session = makeSession(wire);
      if (abandoning.aborted) wire.close();
      abandoning.addEventListener('abort', wire.close, { once: true });
      const hello: BusCall = { ...toBus('Hello'), limitMs: GREETING_LIMIT_MS };
      session.call(hello, (outcome) => {
        abandoning.removeEventListener('abort', wire.close);
        isGreeted = outcome.kind === 'returned' && !abandoning.aborted;
        if (isGreeted) listener.onOpen(session);
        else wire.close();
        settle(isGreeted);
      });
    }, fail);
  });
}

/** The parts of a call to the bus itself. */
export function toBus(member: string) {
  return {
    destination: 'org.freedesktop.DBus',
    path: '/org/freedesktop/DBus',
    interface: 'org.freedesktop.DBus',
    member,
  };
}
