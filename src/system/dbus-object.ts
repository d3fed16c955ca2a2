/** What is offered on the bus, and the answers to those who call it. Pure. */

/** A value of a type of its own, in the way in which it is sent: its signature, and the value. */
export type BusVariant = readonly [signature: string, value: unknown];

export interface BusMethod {
  /** The signature of the arguments; a call with another one is answered with an error. */
  readonly takes: string;
  readonly gives: string;
  /** Null: the arguments name something that is not there. */
  readonly run: (args: readonly unknown[], caller: string) => readonly unknown[] | null;
}

export interface BusProperty {
  readonly signature: string;
  readonly read: () => unknown;
}

export interface BusInterface {
  readonly properties?: Readonly<Record<string, BusProperty>>;
  readonly methods?: Readonly<Record<string, BusMethod>>;
  readonly signals?: Readonly<Record<string, string>>;
}

/** Interfaces by their names. */
export type BusObject = Readonly<Record<string, BusInterface>>;

export interface IncomingCall {
  readonly path: string;
  /** '' where the caller named none. */
  readonly interface: string;
  readonly member: string;
  readonly signature: string;
  readonly body: readonly unknown[];
  readonly sender: string;
}

export type BusAnswer =
  | { readonly kind: 'return'; readonly signature: string; readonly body: readonly unknown[] }
  | { readonly kind: 'error'; readonly errorName: string; readonly text: string };

const PROPERTIES = 'org.freedesktop.DBus.Properties';

/** Answers a call. A method that throws is our bug: the caller gets an error, and the bug its way. */
export function answerCall(objects: ReadonlyMap<string, BusObject>, call: IncomingCall): BusAnswer {
  if (call.interface === 'org.freedesktop.DBus.Peer' && call.member === 'Ping') return give('', []);
  const object = objects.get(call.path);
  if (call.interface === 'org.freedesktop.DBus.Introspectable' && call.member === 'Introspect') {
    return give('s', [describeObject(object ?? {}, childrenOf(objects, call.path))]);
  }
  if (object === undefined) return refuse('UnknownObject', `There is no object ${call.path}.`);
  if (call.interface === PROPERTIES) return answerProperties(object, call);

  const names = call.interface === '' ? Object.keys(object) : [call.interface];
  for (const name of names) {
    const method = own(own(object, name)?.methods, call.member);
    if (method === undefined) continue;
    if (method.takes !== call.signature) {
      return refuse('InvalidArgs', `${call.member} takes "${method.takes}".`);
    }
    const body = method.run(call.body, call.sender);
    return body === null
      ? refuse('InvalidArgs', `${call.member} knows nothing by that name.`)
      : give(method.gives, body);
  }
  return refuse('UnknownMethod', `There is no ${call.member} here.`);
}

function answerProperties(object: BusObject, { member, signature, body }: IncomingCall): BusAnswer {
  const [interfaceName, propertyName] = body;
  const properties =
    typeof interfaceName === 'string' ? own(object, interfaceName)?.properties : {};
  if (member === 'GetAll' && signature === 's') {
    return give('a{sv}', [
      Object.entries(properties ?? {}).map(([name, { signature, read }]) => [
        name,
        [signature, read()],
      ]),
    ]);
  }
  if (member === 'Get' && signature === 'ss') {
    const property = own(properties, String(propertyName));
    return property === undefined
      ? refuse('UnknownProperty', `There is no property ${propertyName}.`)
      : give('v', [[property.signature, property.read()]]);
  }
  return member === 'Set'
    ? refuse('PropertyReadOnly', 'Nothing here can be set.')
    : refuse('UnknownMethod', `There is no ${member} here.`);
}

/** An entry of its own: names come from outside, and `constructor` is not one of ours. */
function own<T>(record: Readonly<Record<string, T>> | undefined, name: string): T | undefined {
  return record !== undefined && Object.hasOwn(record, name) ? record[name] : undefined;
}

function give(signature: string, body: readonly unknown[]): BusAnswer {
  return { kind: 'return', signature, body };
}

function refuse(name: string, text: string): BusAnswer {
  return { kind: 'error', errorName: `org.freedesktop.DBus.Error.${name}`, text };
}

function childrenOf(objects: ReadonlyMap<string, BusObject>, path: string): readonly string[] {
  const start = path === '/' ? '/' : `${path}/`;
  const below = [...objects.keys()].filter((name) => name.startsWith(start) && name !== path);
  return [...new Set(below.map((name) => name.slice(start.length).split('/')[0] ?? ''))];
}

function describeObject(object: BusObject, children: readonly string[]): string {
  const interfaces = Object.entries(object).map(
    ([name, { properties = {}, methods = {}, signals = {} }]) => {
      const members = [
        ...Object.entries(properties).map(
          ([name, { signature }]) => `<property name="${name}" type="${signature}" access="read"/>`,
        ),
        ...Object.entries(methods).map(
          ([name, { takes, gives }]) =>
            `<method name="${name}">${describeArguments(takes, ' direction="in"')}${describeArguments(gives, ' direction="out"')}</method>`,
        ),
        ...Object.entries(signals).map(
          ([name, signature]) =>
            `<signal name="${name}">${describeArguments(signature, '')}</signal>`,
        ),
      ];
      return `<interface name="${name}">${members.join('')}</interface>`;
    },
  );
  const nodes = children.map((name) => `<node name="${name}"/>`);
  return `<node>${interfaces.join('')}${nodes.join('')}</node>`;
}

function describeArguments(signature: string, direction: string): string {
  return splitSignature(signature)
    .map((type) => `<arg type="${type}"${direction}/>`)
    .join('');
}

/** Takes a signature apart into its complete types. */
function splitSignature(signature: string): readonly string[] {
  const types: string[] = [];
  let depth = 0;
  let type = '';
  for (const letter of signature) {
    type += letter;
    if ('({'.includes(letter)) depth += 1;
    if (')}'.includes(letter)) depth -= 1;
    if (depth > 0 || letter === 'a') continue;
    types.push(type);
    type = '';
  }
  return types;
}
