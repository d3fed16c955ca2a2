import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { cleanBody, cleanLabel, cleanTitle, escapeMarkup } from '../../src/notify/banner-words.ts';

const CONTROL = /[\u0000-\u0009\u000b-\u001f\u007f-\u009f]/;
const UNSEEN = /[\u061c\u200b-\u200f\u202a-\u202e\u2060\u2066-\u2069\ufeff\u00ad]/;
const LONE_SURROGATE = /\p{Surrogate}/u;

/** Strings of the pieces that matter, far more often than chance would make them. */
const hostile = fc
  .array(
    fc.oneof(
      fc.constantFrom(
        ...[
          '\0',
          '\x1b',
          '\x1b[31m',
          '\x1b]0;',
          '\x07',
          '\x9b',
          '\r\n',
          '\n',
          '\r',
          '\t',
          '\u2028',
        ],
        ...['\u202e', '\u2066', '\u200b', '\u200d', '\ufe0f', '\ud83d', '\ude00', '\u0301', 'é'],
        ...['<a href="x">', '</b>', '&amp;', '&', '<', '>', '👩‍👩‍👧', '🇩🇪', 'x'.repeat(150), '…'],
      ),
      fc.string({ unit: 'binary' }),
    ),
    { maxLength: 60 },
  )
  .map((parts) => parts.join(''));

const graphemes = new Intl.Segmenter('en', { granularity: 'grapheme' });
const countSeen = (text: string) => [...graphemes.segment(text)].length;

/** Reads what was escaped as a server with markup does, and throws where there is markup. */
function readMarkup(text: string): string {
  if (/[<>]|&(?!(amp|lt|gt);)/.test(text)) throw new Error(`markup: ${text}`);
  return text.replaceAll('&lt;', '<').replaceAll('&gt;', '>').replaceAll('&amp;', '&');
}

describe('words for a banner', () => {
  it('are one harmless line, or lines, of some length', () => {
    fc.assert(
      fc.property(hostile, (text) => {
        for (const [clean, most] of [
          [cleanTitle(text, 'none'), 100],
          [cleanLabel(text), 40],
          [cleanBody(text), 800],
        ] as const) {
          expect(clean).not.toMatch(CONTROL);
          expect(clean).not.toMatch(UNSEEN);
          expect(clean).not.toMatch(LONE_SURROGATE);
          expect(countSeen(clean)).toBeLessThanOrEqual(most);
          expect(clean.length).toBeLessThanOrEqual(most * 8 + 1);
        }
        expect(cleanTitle(text, 'none')).not.toMatch(/\n|^$/);
        expect(cleanLabel(text)).not.toContain('\n');
        expect(cleanBody(text).split('\n').length).toBeLessThanOrEqual(13);
      }),
    );
  });

  it('stay as they are once they are clean', () => {
    fc.assert(
      fc.property(hostile, (text) => {
        const [title, body] = [cleanTitle(text, 'none'), cleanBody(text)];
        expect(cleanTitle(title, 'none')).toBe(title);
        expect(cleanBody(body)).toBe(body);
      }),
    );
  });

  it('are the same behind the markup', () => {
    fc.assert(
      fc.property(hostile, (text) => {
        expect(readMarkup(escapeMarkup(text))).toBe(text);
      }),
    );
  });

  it.each([
    ['lines', cleanBody('one\r\ntwo\nthree'), 'one\ntwo\nthree'],
    ['a dozen lines', cleanBody('x\n'.repeat(5000)), `${'x\n'.repeat(12)}…`],
    ['a long title', cleanTitle('y'.repeat(101), ''), `${'y'.repeat(99)}…`],
    ['a title that just fits', cleanTitle('y'.repeat(100), ''), 'y'.repeat(100)],
    ['whole flags', cleanLabel('🇩🇪'.repeat(100)), `${'🇩🇪'.repeat(39)}…`],
    ['whole letters', cleanLabel('e\u0301'.repeat(100)), `${'e\u0301'.repeat(39)}…`],
    ['no endless letter', cleanLabel(`a${'\u0301'.repeat(100_000)}`), '…'],
    ['much that is unseen', cleanTitle('\u200b'.repeat(99_000), 'none'), 'none'],
  ])('keep %s', (_, clean, expected) => {
    expect(clean).toBe(expected);
  });
});
