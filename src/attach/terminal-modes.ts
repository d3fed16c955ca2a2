/**
 * What a terminal is told to be as it was. A full-screen program that is killed leaves modes behind:
 * each row below is undone because some terminal keeps it. Terminals ignore what they do not know, unless
 * it says otherwise here. Pure: bytes to write, chosen by what the terminal calls itself.
 */

import { cleanForeignText } from '../system/foreign-text.ts';

const ESC = '\x1b';
const CSI = `${ESC}[`;

/** Ends a string. BEL would ring where there is no string to end. */
const ST = `${ESC}\\`;

/** Modes that can be undone on either screen: none of these moves the cursor or changes what is shown. */
const anywhere: readonly string[] = [
  // A clipboard write or a title that was cut in the middle swallows everything up to an ST. Not CAN
  // (0x18), which Konsole and QTerminal draw as a block.
  ST,
  // Synchronized update: kitty, foot, Alacritty, WezTerm and Ghostty show nothing new until it ends.
  `${CSI}?2026l`,
  // Mouse, by every protocol there was: xterm, VTE and all after them type reports into the shell.
  `${CSI}?9l${CSI}?1000l${CSI}?1001l${CSI}?1002l${CSI}?1003l`,
  // Its encodings, which the next program that asks for a mouse does not expect.
  `${CSI}?1005l${CSI}?1006l${CSI}?1015l${CSI}?1016l`,
  // Focus, paste, colour-scheme (kitty, Ghostty) and size reports (kitty, foot, Ghostty, iTerm2).
  `${CSI}?1004l${CSI}?2004l${CSI}?2031l${CSI}?2048l`,
  // Cursor keys and keypad: a shell's line editor misses the arrows.
  `${CSI}?1l${ESC}>`,
  // xterm's modifyOtherKeys. Terminal.app takes it for SGR 4, so that SGR 0 has to come after it.
  `${CSI}>4;0m`,
  // Reverse video, as of a bell that was cut; wrap; reverse wrap; insert; the character sets.
  `${CSI}?5l${CSI}?7h${CSI}?45l${CSI}4l${ESC}(B${ESC})B\x0f`,
  // The cursor: shown, not blinking by DEC's own mode, the terminal's own shape.
  `${CSI}?25h${CSI}?12l${CSI}0 q`,
  `${CSI}0m`,
];

/** The same for what is told by strings, which a Linux console would print. */
const strings: readonly string[] = [
  // The cursor's colour, and a hyperlink that would go on over everything printed from now on.
  `${ESC}]112${ST}`,
  `${ESC}]8;;${ST}`,
];

/** Left and right margins, origin and scroll region. They home the cursor: for the alternate screen only. */
const regionOff = `${CSI}?69l${CSI}?6l${CSI}r`;

/**
 * Takes every level off the kitty keyboard protocol, of which each screen has a stack of its own.
 * QTerminal prints it, so that it is written where it is wiped at once or to a terminal that knows it.
 */
const kittyPop = `${CSI}<99u`;
const knowsKitty = /kitty|ghostty|foot|wezterm|alacritty|iterm/i;

/** These take no strings, and have no title. */
const takesNoStrings = /^(linux|dumb|vt\d|cons25)/;

/** What a terminal calls itself: these variables of its environment. */
export type TerminalNames = Readonly<
  Partial<Record<'TERM' | 'TERM_PROGRAM' | 'LC_TERMINAL', string | undefined>>
>;

/** The byte strings for one terminal. Each may be written at any moment, more than once. */
export interface TerminalSequences {
  /** Undoes the modes where it is; the screen, what it shows and the cursor stay. */
  readonly modesOff: string;
  /** The alternate screen, empty, with all modes undone, the cursor in its first cell. */
  readonly toAlternate: string;
  /**
   * The main screen with all modes undone. What a program printed there stays, and the cursor is where
   * it left it. What it showed on the alternate screen is gone: no terminal can be asked to keep that
   * while it goes back to the main one, and copying it would mean to understand all that passes by.
   */
  readonly toMain: string;
  /** Keeps the title for `restoreTitle`. */
  readonly saveTitle: string;
  /** The title as saved; a terminal that can't save one (Terminal.app, older Konsole) shows its own. */
  readonly restoreTitle: string;
}

/** Chooses the byte strings for the terminal that has these names. */
export function chooseSequences(names: TerminalNames): TerminalSequences {
  const hasStrings = !takesNoStrings.test(names.TERM ?? 'dumb');
  const isKitty = knowsKitty.test(
    `${names.TERM ?? ''} ${names.TERM_PROGRAM ?? ''} ${names.LC_TERMINAL ?? ''}`,
  );
  const base = [...anywhere, ...(hasStrings ? strings : [])].join('');
  const modesOff = base + (isKitty ? kittyPop : '');
  const toAlternate = `${modesOff}${CSI}?1049h${base}${regionOff}${kittyPop}${CSI}H${CSI}2J`;
  return {
    modesOff,
    toAlternate,
    // Always through the alternate screen: `?1049l` on the main one would put the cursor where it was at
    // the last visit, while `?1049h` first saves it, for each screen apart.
    toMain: `${toAlternate}${CSI}?1049l${modesOff}`,
    saveTitle: hasStrings ? `${CSI}22;0t` : '',
    restoreTitle: hasStrings ? `${ESC}]2;${ST}${CSI}23;0t` : '',
  };
}

/**
 * Rewrites the line that the cursor is in with one line of at most `columns` cells; the cursor stays in
 * it, to be rewritten again. Wrapping is off meanwhile: a terminal may find a character wider than we do.
 */
export function drawLine(text: string, columns: number): string {
  return `\r${CSI}2K${CSI}?7l${cutToWidth(cleanForeignText(text), columns)}${CSI}?7h`;
}

/** What takes two cells in terminals: east-asian scripts, full-width forms, emoji. */
const wide =
  /[\u1100-\u115f\u2e80-\u303e\u3041-\ua4cf\ua960-\ua97c\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe6f\uff01-\uff60\uffe0-\uffe6\u{1f1e6}-\u{1f1ff}\u{20000}-\u{3fffd}]|\p{Emoji_Presentation}/u;
const combining = /^[\p{Mn}\p{Me}]$/u;
/** Asks for the emoji form of the character before it, which then may take a second cell. */
const emojiSelector = '\ufe0f';

function cutToWidth(text: string, columns: number): string {
  let width = 0;
  let kept = '';
  let keptBeforeLast = '';
  for (const character of text) {
    width += widthOf(character);
    if (width > columns) return columns > 0 ? `${keptBeforeLast}…` : '';
    // Where the ellipsis still fits behind.
    if (width <= columns - 1) keptBeforeLast = kept + character;
    kept += character;
  }
  return kept;
}

function widthOf(character: string): number {
  if (character === emojiSelector) return 1;
  if (combining.test(character)) return 0;
  return wide.test(character) ? 2 : 1;
}
