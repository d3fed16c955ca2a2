/** Where the session bus of this user listens, and the machine's own. */

type Variables = Readonly<Record<string, string | undefined>>;

/** The sockets that may hold the system bus, where D-Bus says that it is if nothing names another. */
export function listSystemBusSockets({ DBUS_SYSTEM_BUS_ADDRESS }: Variables): readonly string[] {
  const addresses = DBUS_SYSTEM_BUS_ADDRESS || 'unix:path=/run/dbus/system_bus_socket';
  return addresses.split(';').flatMap((address) => readAddress(address, []));
}

/**
 * The sockets that may hold the session bus, in the order in which they are to be tried. An abstract one
 * starts with a NUL, as Node names it. Addresses that are not Unix sockets are left out.
 *
 * The socket in `XDG_RUNTIME_DIR` is always tried as well: a service may lack the variable, and Node 20
 * can't reach abstract sockets of other programs.
 */
export function listBusSockets(variables: Variables): readonly string[] {
  const { DBUS_SESSION_BUS_ADDRESS: addresses = '', XDG_RUNTIME_DIR: runtimeFolder = '' } =
    variables;
  const userBus = runtimeFolder.startsWith('/') ? [`${runtimeFolder}/bus`] : [];
  const named = addresses.split(';').flatMap((address) => readAddress(address, userBus));
  return [...new Set([...named, ...userBus])];
}

/** One address of D-Bus: `unix:key=value,key=value`, where other bytes than letters are `%XX`. */
function readAddress(address: string, userBus: readonly string[]): readonly string[] {
  const transport = 'unix:';
  if (!address.startsWith(transport)) return [];
  const entries = address.slice(transport.length).split(',');
  for (const entry of entries) {
    const [key, text = ''] = splitOnce(entry, '=');
    const value = decode(text);
    if (value === null || value === '') continue;
    if (key === 'path') return [value];
    if (key === 'abstract') return [`\0${value}`];
    if (key === 'runtime' && value === 'yes') return userBus;
  }
  return [];
}

function splitOnce(text: string, separator: string): readonly string[] {
  const at = text.indexOf(separator);
  return at < 0 ? [text] : [text.slice(0, at), text.slice(at + 1)];
}

function decode(text: string): string | null {
  try {
    const path = decodeURIComponent(text);
    return path.includes('\0') ? null : path;
  } catch {
    return null;
  }
}
