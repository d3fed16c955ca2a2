/** Which signals are listened to. Pure. */

import type { BusSignal } from './dbus-session.ts';

export const BUS_NAME = 'org.freedesktop.DBus';

export interface SignalMatch {
  /** A name; only what its owner says is heard, whoever else says the same. */
  readonly sender: string;
  readonly interface: string;
  readonly path?: string;
  readonly member?: string;
  /** Of the signal's values; signals with others are not heard. Left out: any. */
  readonly signature?: string;
}

/** Unique names, and the bus itself, are their own owners. */
export function isOwnerNeeded(name: string): boolean {
  return !name.startsWith(':') && name !== BUS_NAME;
}

/** Whether a signal is one that was asked for, given who has the sender's name. */
export function isMatching(
  match: SignalMatch,
  signal: BusSignal,
  owner: string | null | undefined,
) {
  const sender = isOwnerNeeded(match.sender) ? owner : match.sender;
  return (
    signal.sender === sender &&
    signal.interface === match.interface &&
    (match.path === undefined || match.path === signal.path) &&
    (match.member === undefined || match.member === signal.member) &&
    (match.signature === undefined || match.signature === signal.signature)
  );
}

/** What the bus is told to pass on. */
export function describeRule({
  sender,
  interface: interfaceName,
  path,
  member,
}: SignalMatch): string {
  return [
    `type='signal',sender='${sender}',interface='${interfaceName}'`,
    ...(path === undefined ? [] : [`path='${path}'`]),
    ...(member === undefined ? [] : [`member='${member}'`]),
  ].join(',');
}

/** The same, for who has a name. */
export function describeNameRule(name: string): string {
  return `type='signal',sender='${BUS_NAME}',interface='${BUS_NAME}',member='NameOwnerChanged',arg0='${name}'`;
}
