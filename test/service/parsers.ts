/** Readers of the service files' languages, as strict as those who read them. */

/** The words of a value in a unit file, as systemd.syntax(7) and `$$` of systemd.service(5) say. */
export function parseUnitWords(value: string, dollars: 'doubled' | 'plain'): string[] {
  const words = value.match(/"(?:[^"\\]|\\.)*"|[^\s"]+/g) ?? [];
  if (words.join(' ') !== value) throw new Error(`not words: ${value}`);
  return words.map((word) => {
    const inner = word.startsWith('"')
      ? word.slice(1, -1).replace(/\\(.)/g, (_, next: string) => {
          if (!'"\\'.includes(next)) throw new Error(`an escape of no use here: \\${next}`);
          return next;
        })
      : word;
    const known = inner.replace(/%(.?)/g, (_, next: string) => {
      if (next !== '%') throw new Error(`a specifier: %${next}`);
      return '%';
    });
    if (dollars === 'plain') return known;
    return known.replace(/\$(.?)/g, (_, next: string) => {
      if (next !== '$') throw new Error(`a variable: $${next}`);
      return '$';
    });
  });
}

/** The values of a key in a file of `KEY=VALUE` lines. */
export function readKey(text: string, key: string): string[] {
  return text
    .split('\n')
    .filter((line) => line.startsWith(`${key}=`))
    .map((line) => line.slice(key.length + 1));
}

/** The arguments of `Exec=` in a desktop entry, as the Desktop Entry Specification says. */
export function parseDesktopExec(value: string): string[] {
  const string = value.replace(/\\(.)/g, (_, next: string) => {
    const meant = { s: ' ', n: '\n', t: '\t', r: '\r', '\\': '\\' }[next];
    if (meant === undefined) throw new Error(`an escape of no use here: \\${next}`);
    return meant;
  });
  const words = string.match(/"(?:[^"`$\\]|\\["`$\\])*"|[^\s"'\\<>~|&;$*?#()`]+/g) ?? [];
  if (words.join(' ') !== string) throw new Error(`not arguments: ${string}`);
  return words.map((word) => {
    const inner = word.startsWith('"') ? word.slice(1, -1).replace(/\\(.)/g, '$1') : word;
    return inner.replace(/%(.?)/g, (_, next: string) => {
      if (next !== '%') throw new Error(`a field code: %${next}`);
      return '%';
    });
  });
}

export type PlistValue = string | number | boolean | PlistValue[] | { [key: string]: PlistValue };

/** A property list in XML. Whatever is not well-formed, or no property list, throws. */
export function parsePlist(text: string): PlistValue {
  const head = '<?xml version="1.0" encoding="UTF-8"?>\n<!DOCTYPE plist PUBLIC ';
  if (!text.startsWith(head)) throw new Error('no head');
  if (/[^\t\n\r\u0020-\ud7ff\ue000-\ufffd\u{10000}-\u{10ffff}]/u.test(text)) {
    throw new Error('a character that XML has not');
  }
  const body = text.slice(text.indexOf('>', head.length) + 1);
  const comment = /<!--[\s\S]*?-->/g;
  if (body.match(comment)?.some((words) => words.slice(4, -3).includes('--'))) {
    throw new Error('-- in a comment');
  }
  const rest = body.replace(comment, '');
  const tokens = rest.match(/<[^<>]+>|[^<>]+/g) ?? [];
  if (tokens.join('') !== rest) throw new Error('a stray < or >');
  let at = 0;
  const skipSpace = () => {
    while (/^\s+$/.test(tokens[at] ?? '')) at += 1;
  };
  const expect = (token: string) => {
    skipSpace();
    if (tokens[at] !== token) throw new Error(`${token} expected, not ${tokens[at]}`);
    at += 1;
  };
  const readText = (end: string) => {
    const raw = tokens[at]?.startsWith('<') ? '' : (tokens[at++] ?? '');
    if (tokens[at] !== end) throw new Error(`${end} expected, not ${tokens[at]}`);
    at += 1;
    return raw.replace(/&(?:(amp|lt|gt);)?/g, (_, name?: string) => {
      if (name === undefined) throw new Error('a stray &');
      return { amp: '&', lt: '<', gt: '>' }[name] ?? '';
    });
  };
  const readValue = (): PlistValue => {
    skipSpace();
    const token = tokens[at++];
    switch (token) {
      case '<string>':
        return readText('</string>');
      case '<integer>': {
        const digits = readText('</integer>');
        if (!/^\d+$/.test(digits)) throw new Error(`no integer: ${digits}`);
        return Number(digits);
      }
      case '<true/>':
        return true;
      case '<false/>':
        return false;
      case '<array>': {
        const values: PlistValue[] = [];
        for (skipSpace(); tokens[at] !== '</array>'; skipSpace()) values.push(readValue());
        at += 1;
        return values;
      }
      case '<dict>': {
        const values: Record<string, PlistValue> = {};
        for (skipSpace(); tokens[at] !== '</dict>'; skipSpace()) {
          expect('<key>');
          const key = readText('</key>');
          if (Object.hasOwn(values, key)) throw new Error(`${key} twice`);
          values[key] = readValue();
        }
        at += 1;
        return values;
      }
      default:
        throw new Error(`no value: ${token}`);
    }
  };
  expect('<plist version="1.0">');
  const value = readValue();
  expect('</plist>');
  skipSpace();
  if (at !== tokens.length) throw new Error('something behind the end');
  return value;
}
