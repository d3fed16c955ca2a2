import { describe, expect, it } from 'vitest';
import { mayHaveBegun } from '../../src/sandy/update-output.ts';
import { readUpdateCaptures } from './update-captures.ts';

const all = readUpdateCaptures();

describe('whether a restart may have begun', () => {
  const MARK = Buffer.from('[sandy] ');
  const COLOURED_MARK = Buffer.from('\x1b[0;32m[sandy]\x1b[0m ');

  /** Where the first announcement can be told from everything else, and where a question looks like one. */
  function findBounds(bytes: Buffer) {
    const text = bytes.toString('latin1');
    const at = /^(?:\x1b\[0;32m)?\[sandy\](?:\x1b\[0m)? Restarting /m.exec(text);
    const question = text.indexOf('[sandy] Restart 2 session(s)?');
    return {
      recognisable: at === null ? Infinity : at.index + at[0].indexOf('Restarting') + 'Res'.length,
      question:
        question === -1
          ? null
          : { from: question + '[sandy] Res'.length, to: question + '[sandy] Restart'.length },
    };
  }

  it.each(all)('is told at every byte of $name', ({ bytes }) => {
    const { recognisable, question } = findBounds(bytes);
    const wrong: number[] = [];
    for (let length = 0; length <= bytes.length; length += 1) {
      const asked = question !== null && length >= question.from && length <= question.to;
      const expected = length >= recognisable || asked;
      if (mayHaveBegun(bytes.subarray(0, length)) !== expected) wrong.push(length);
    }
    expect(wrong).toEqual([]);
    expect(mayHaveBegun(bytes)).toBe(Number.isFinite(recognisable));
  });

  it.each([
    '[sandy]   ...still refreshing k (20s: [sandy] Restarting k...)\n',
    '[sandy]   ...still refreshing k (20s: [sandy] Restarting k...',
    '[sandy]   ...still refreshing k (20s: 5%\r[sandy] Restarting k...)\n',
    '[sandy]   ...still refreshing k (20s: \x1b[1G\x1b[2K[sandy] Restarting k...)\n',
    '\x1b[0;32m[sandy]\x1b[0m   ...still refreshing k (20s: [sandy] Res',
    '[sandy]   Build failed for k — tail of output:\n[sandy]   [sandy] Restarting k...\n',
    '[sandy]   Restarting k...\n',
    'Restarting k...\n',
    '[sandy] Ref',
    '[sandy] Re',
    '[sandy] Restart 2 session(s)? [y/N] ',
    '[sandy] Rest\n',
    '',
  ])('is not by %j', (output) => {
    for (const mark of [MARK, COLOURED_MARK])
      expect(mayHaveBegun(Buffer.from(output.replaceAll(MARK.toString(), mark.toString())))).toBe(
        false,
      );
  });

  it.each([
    '[sandy] Restarting k...\n[sandy] x',
    '[sandy] Restarting',
    '[sandy] Res',
    '5%\r[sandy] Restarting k...',
    'curl: (6) Could not resolve host[sandy] Restarting k...\n',
    '[sandy] Restart 2 session(s)? [y/N] [sandy] Restarting k...\n',
    `${'x'.repeat(9000)}\n[sandy] Restarting k...\n`,
    `${'x'.repeat(9000)}[sandy] Restarting k...\n`,
    `[sandy] Restarting ${'k'.repeat(9000)}`,
  ])('may have by %j', (output) => {
    for (const mark of [MARK, COLOURED_MARK])
      expect(mayHaveBegun(Buffer.from(output.replaceAll(MARK.toString(), mark.toString())))).toBe(
        true,
      );
  });
});
