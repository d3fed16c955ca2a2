import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { cleanForeignText } from '../../src/system/foreign-text.ts';

const C0_C1 = /[\u0000-\u001f\u007f-\u009f]/;
const BIDI = /[\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/;
const ZERO_WIDTH = /[\u00ad\u200b-\u200d\u2060\ufeff\u{e0001}-\u{e007f}]/u;
const LONE_SURROGATE = /\p{Surrogate}/u;

/** Strings that are made of the pieces that matter, far more often than chance would. */
const hostile = fc
  .array(
    fc.oneof(
      fc.constantFrom(
        '\x1b',
        '\x1b[',
        '\x1b]0;',
        '\x1bP',
        '\x1b\\',
        '\x07',
        '\x9b',
        '\x9d',
        '\x9c',
        '31m',
        '\r\n',
        '\n',
        '\t',
        '\u2028',
        '\u202e',
        '\u2066',
        '\u200b',
        '\u200d',
        '\ufe0f',
        '\ud83d',
        '\ude00',
        '😀',
        'é',
        '\u0000',
        '\u0085',
        '\ufeff',
        '$(rm)',
        '↵',
        '…',
        '\ufffd',
      ),
      fc.string({ unit: 'binary' }),
    ),
    { maxLength: 40 },
  )
  .map((parts) => parts.join(''));

describe('cleaning foreign text', () => {
  it.each([
    ['plain', 'zork-3dfda686', 'zork-3dfda686'],
    ['colours', '\x1b[31;1mred\x1b[0m', 'red'],
    ['a window title', '\x1b]0;owned\x07name', 'name'],
    ['a hyperlink', '\x1b]8;;http://x\x1b\\link\x1b]8;;\x1b\\', 'link'],
    ['a device string', '\x1bPq1;2\x1b\\done', 'done'],
    ['C1 forms', '\x9b31mred\x9d0;title\x9cend', 'redend'],
    ['a title without an end', '\x1b]0;name', '\ufffd]0;name'],
    ['a full reset', '\x1bcname', 'name'],
    ['a bare escape', 'a\x1b', 'a\ufffd'],
    ['line breaks', 'a\nb\r\nc\u2028d', 'a↵b↵c↵d'],
    ['a tab', 'a\tb', 'a b'],
    ['other controls', 'a\u0000b\u0007c\u007f', 'a\ufffdb\ufffdc\ufffd'],
    ['right-to-left override', 'exe\u202egpj.txt', 'exegpj.txt'],
    ['zero width', 'a\u200bb\ufeffc', 'abc'],
    ['an escape taken apart by a zero width', '\x1b\u200b[31mred', 'red'],
    ['half a character', 'a\ud83db', 'a\ufffdb'],
    ['emoji with a selector', '❤\ufe0f😀', '❤\ufe0f😀'],
    ['right-to-left letters', 'שלום', 'שלום'],
    ['shell syntax', '$(touch x) `id` "q" \'s\' -rf', '$(touch x) `id` "q" \'s\' -rf'],
  ])('%s', (_name, given, wanted) => {
    expect(cleanForeignText(given)).toBe(wanted);
  });

  it('cuts by characters, not by code units or bytes', () => {
    expect(cleanForeignText('😀'.repeat(5), 5)).toBe('😀'.repeat(5));
    expect(cleanForeignText('😀'.repeat(6), 5)).toBe(`${'😀'.repeat(4)}…`);
    expect(cleanForeignText('é'.repeat(300))).toBe(`${'é'.repeat(199)}…`);
  });

  it('lets nothing through that could steer, reorder or hide', () => {
    fc.assert(
      fc.property(hostile, fc.integer({ min: 1, max: 300 }), (text, max) => {
        const clean = cleanForeignText(text, max);
        expect(clean).not.toMatch(C0_C1);
        expect(clean).not.toMatch(BIDI);
        expect(clean).not.toMatch(ZERO_WIDTH);
        expect(clean).not.toMatch(LONE_SURROGATE);
        expect(Array.from(clean).length).toBeLessThanOrEqual(max);
      }),
      { numRuns: 2_000 },
    );
  });

  it('changes nothing the second time', () => {
    fc.assert(
      fc.property(hostile, fc.integer({ min: 1, max: 300 }), (text, max) => {
        const clean = cleanForeignText(text, max);
        expect(cleanForeignText(clean, max)).toBe(clean);
      }),
      { numRuns: 2_000 },
    );
  });

  it('takes time in proportion to the text, however it is built', () => {
    // Were any pattern quadratic, a million of these would not end within the test's time limit.
    for (const piece of ['\x9d', '\x1b]', '\x1b[', '\x1bP;', '\x1b ', '\x9b0']) {
      expect(cleanForeignText(piece.repeat(1_000_000))).not.toMatch(C0_C1);
    }
  });
});
