/**
 * One JSON object out of a program's stdout. sandy prints a path's control characters raw inside
 * strings (seen up to 1.7.0), where JSON forbids them, and its children may print lines around the
 * document.
 */

import { type JsonObject, parseJsonObject } from '../system/json-object.ts';

/** How many lines that look like the beginning of the document are tried. */
const MAX_STARTS = 20;

/**
 * Returns the document in `text`, or null when there is none. The document is the first object that
 * says its `schema_version`; failing that, the first object.
 */
export function parseJsonDocument(text: string): JsonObject | null {
  const whole = parseJsonObject(text);
  if (whole !== null) return whole;
  let first: JsonObject | null = null;
  const start = /^[ \t]*\{/gm;
  for (let tries = 0; tries < MAX_STARTS && start.test(text); tries += 1) {
    const candidate = mendObject(text, start.lastIndex - 1);
    const object = candidate === null ? null : parseJsonObject(candidate.mended);
    if (candidate === null || object === null) continue;
    if (Object.hasOwn(object, 'schema_version')) return object;
    first ??= object;
    start.lastIndex = candidate.end;
  }
  return first;
}

interface MendedObject {
  readonly mended: string;
  /** Just behind the closing brace in the original text. */
  readonly end: number;
}

const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const OPEN = 0x7b;
const CLOSE = 0x7d;
const FIRST_PRINTABLE = 0x20;
const ESCAPE = /\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4})/y;

/** Copies the object that begins at `start`, with everything in its strings escaped as JSON wants. */
function mendObject(text: string, start: number): MendedObject | null {
  let mended = '';
  let copied = start;
  let depth = 0;
  let inString = false;
  const replace = (at: number, replacement: string) => {
    mended += text.slice(copied, at) + replacement;
    copied = at + 1;
  };
  for (let at = start; at < text.length; at += 1) {
    const code = text.charCodeAt(at);
    if (code === QUOTE) {
      inString = !inString;
    } else if (inString) {
      if (code < FIRST_PRINTABLE) {
        replace(at, `\\u${code.toString(16).padStart(4, '0')}`);
      } else if (code === BACKSLASH) {
        ESCAPE.lastIndex = at;
        if (ESCAPE.test(text)) at = ESCAPE.lastIndex - 1;
        else replace(at, '\\\\');
      }
    } else if (code === OPEN) {
      depth += 1;
    } else if (code === CLOSE) {
      depth -= 1;
      if (depth === 0) return { mended: mended + text.slice(copied, at + 1), end: at + 1 };
    }
  }
  return null;
}
