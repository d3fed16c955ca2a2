import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import {
  FIRST_WITH_LIGHT,
  FIRST_WITH_STATE,
  isAtLeast,
  parseVersion,
} from '../../src/sandy/version.ts';

const captures = join(import.meta.dirname, '../captures');

function parse(text: string) {
  const version = parseVersion(text);
  if (version === null) throw new Error(`no version in ${text}`);
  return version;
}

describe('the version', () => {
  it.each(readdirSync(captures).filter((name) => /^\d/.test(name)))('is read from %s', (name) => {
    const version = parse(readFileSync(join(captures, name, 'version.txt'), 'utf8'));
    expect(version.prerelease).toBe(name.endsWith('-dev'));
    if (!version.prerelease) expect(version.full).toBe(name);
  });

  it.each([
    ['sandy 1.7.0\n', '1.7.0', false],
    ['sandy 1.7.0-abc1234\n', '1.7.0-abc1234', false],
    ['sandy 1.7.1-dev\n', '1.7.1-dev', true],
    ['sandy 1.0.0-rc2-abc1234\n', '1.0.0-rc2-abc1234', true],
    ['[sandy] Update available: 2.0.0\nsandy 1.7.0\n', '1.7.0', false],
    ['sandy 12.34.56\r\n', '12.34.56', false],
  ])('%j is %s', (text, full, prerelease) => {
    expect(parse(text)).toMatchObject({ full, prerelease });
  });

  it.each(['', 'sandy', 'sandy x.y', 'sandyd 1.0.0', 'Sandy 1.0.0', 'sandy 1.0', 'v20.1.0'])(
    '%j is none',
    (text) => {
      expect(parseVersion(text)).toBeNull();
    },
  );

  it.each([
    ['0.11.9', false, false],
    ['0.12.0-dev', false, false],
    ['0.12.0', true, false],
    ['0.12.0-abc1234', true, false],
    ['0.13.0-dev', true, false],
    ['1.0.0-rc2', true, false],
    ['1.0.0', true, true],
    ['1.0.1-dev', true, true],
    ['1.10.0', true, true],
    ['2.6.0', true, true],
    ['10.0.0', true, true],
  ])('%s has print-state: %s, and its light mode: %s', (full, state, light) => {
    const version = parse(`sandy ${full}`);
    expect(isAtLeast(version, FIRST_WITH_STATE)).toBe(state);
    expect(isAtLeast(version, FIRST_WITH_LIGHT)).toBe(light);
  });
});
