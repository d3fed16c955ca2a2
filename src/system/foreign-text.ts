/**
 * Text from outside (names, paths, other programs' words) made fit to be shown to a person: it can
 * neither steer a terminal nor reorder, hide or break the line that it stands in.
 */

/** CSI sequences; strings up to their terminator (OSC, DCS, SOS, PM, APC); two-character escapes. */
const TERMINAL_SEQUENCE = new RegExp(
  [
    '(?:\\x1b\\[|\\x9b)[0-?]*[ -/]*[@-~]',
    '(?:\\x1b[\\]PX^_]|[\\x9d\\x90\\x98\\x9e\\x9f])[^\\x07\\x1b\\x80-\\x9f]*(?:\\x07|\\x1b\\\\|\\x9c)',
    '\\x1b[ -/]*[0-Z\\\\^-~]',
  ].join('|'),
  'g',
);
const LINE_BREAK = /\r\n|[\n\v\f\r\u0085\u2028\u2029]/g;
const CONTROL = /[\u0000-\u001f\u007f-\u009f]/g;
/** Bidi controls, zero-width and other invisible characters; not the selectors that make emoji. */
const INVISIBLE = /(?![\ufe00-\ufe0f])\p{Default_Ignorable_Code_Point}|[\ufff9-\ufffb]/gu;
const LONE_SURROGATE = /\p{Surrogate}/gu;

const LINE_BREAK_MARK = '↵';
const REPLACEMENT = '\ufffd';
const ELLIPSIS = '…';

/**
 * Returns `text` as one harmless line of at most `maxCharacters` code points. Terminal sequences and
 * invisible characters go, line breaks and other control characters leave a visible mark, and a cut
 * shows as `…`. Cleaning what is clean changes nothing.
 */
export function cleanForeignText(text: string, maxCharacters = 200): string {
  const clean = text
    .replace(LONE_SURROGATE, REPLACEMENT)
    .replace(INVISIBLE, '')
    .replace(TERMINAL_SEQUENCE, '')
    .replace(LINE_BREAK, LINE_BREAK_MARK)
    .replace(/\t/g, ' ')
    .replace(CONTROL, REPLACEMENT);
  return shorten(clean, maxCharacters);
}

function shorten(text: string, maxCharacters: number): string {
  // A character is one or two code units: a text of few units needs no counting.
  if (text.length <= maxCharacters) return text;
  const characters = Array.from(text);
  if (characters.length <= maxCharacters) return text;
  return characters.slice(0, Math.max(0, maxCharacters - 1)).join('') + ELLIPSIS;
}
