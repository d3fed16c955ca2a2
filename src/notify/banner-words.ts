/** PURE: words made fit for a banner, whoever made them. */

import { cleanForeignText } from '../system/foreign-text.ts';

const TITLE_CHARACTERS = 100;
const BODY_CHARACTERS = 800;
const LABEL_CHARACTERS = 40;
/** As many as the longest digest has, and some. */
const BODY_LINES = 12;
/** A character that people see may be many: letters with marks above and below have no end. */
const UNITS_A_CHARACTER = 8;
const ELLIPSIS = '…';

/** Made when something is to be cut: most never is, and its data is 3 MB of memory. */
let graphemes: Intl.Segmenter | null = null;

/** A title of one line; never empty, since desktops show one without as a mistake. */
export function cleanTitle(title: string, otherwise: string): string {
  return cleanLine(title, TITLE_CHARACTERS).trim() || otherwise;
}

/** What stands on a button. */
export function cleanLabel(label: string): string {
  return cleanLine(label, LABEL_CHARACTERS).trim();
}

/** Sentences; its lines stay lines, up to a dozen. */
export function cleanBody(body: string): string {
  const lines = limitUnits(body, BODY_CHARACTERS).split(/\r?\n/, BODY_LINES + 1);
  const shown = lines.slice(0, BODY_LINES).map((line) => cleanForeignText(line, line.length));
  if (lines.length > BODY_LINES) shown.push(ELLIPSIS);
  return cut(shown.join('\n'), BODY_CHARACTERS);
}

/** For desktops that take the body for markup: what is to be read there as it is written here. */
export function escapeMarkup(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
}

function cleanLine(text: string, most: number): string {
  const limited = limitUnits(text, most);
  return cut(cleanForeignText(limited, limited.length), most);
}

/**
 * What is far longer than is shown is not read to its end; there is room left for what cleaning takes away.
 * The mark of the cut is that of `cut`, since what is left is still too long, or was nothing to be seen.
 */
function limitUnits(text: string, most: number): string {
  return text.slice(0, 2 * most * UNITS_A_CHARACTER);
}

/** Cuts between characters as people see them: no half emoji, no mark on the wrong letter. */
function cut(text: string, most: number): string {
  const mostUnits = most * UNITS_A_CHARACTER;
  if (text.length <= most) return text;
  graphemes ??= new Intl.Segmenter('en', { granularity: 'grapheme' });
  let count = 0;
  let kept = 0;
  for (const { index, segment } of graphemes.segment(text)) {
    const end = index + segment.length;
    count += 1;
    if (count > most || end > mostUnits) return text.slice(0, kept) + ELLIPSIS;
    // One place is the ellipsis's.
    if (count < most) kept = end;
  }
  return text;
}
