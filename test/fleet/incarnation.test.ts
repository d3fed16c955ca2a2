import { expect, test } from 'vitest';
import {
  isSameIncarnation,
  isUpdateOf,
  mergeIncarnation,
  nameIncarnation,
  parseStamp,
} from '../../src/fleet/incarnation.ts';
import type { Incarnation } from '../../src/fleet/observation.ts';

const life = (id: string | null, startedAt: string | null, updatedAt: string | null = null) =>
  ({ id, startedAt, updatedAt }) satisfies Incarnation;

test.each<[string, Incarnation, Incarnation, boolean]>([
  ['the same id', life('1', 's'), life('1', 's'), true],
  ['the same id, another stamp: the id decides', life('1', 's'), life('1', 't'), true],
  ['another id in the same second', life('1', 's'), life('2', 's'), false],
  ['no id, the same start', life(null, 's'), life('2', 's'), true],
  ['no id, another start', life(null, 's'), life('2', 't'), false],
  ['nothing to tell them apart by', life(null, 's'), life('2', null), true],
])('%s', (_, a, b, same) => {
  expect(isSameIncarnation(a, b)).toBe(same);
  expect(isSameIncarnation(b, a)).toBe(same);
});

test.each<[string, Incarnation | null, string | null, boolean]>([
  ['null after null: a start by hand', life('1', 's'), null, false],
  ['a first stamp', life('1', 's'), 'u1', true],
  ['another stamp', life('1', 's', 'u1'), 'u2', true],
  ['the same stamp proves nothing', life('1', 's', 'u1'), 'u1', false],
  ['a stamp that is gone: started by hand', life('1', 's', 'u1'), null, false],
  ['a stamp and nothing before', null, 'u1', true],
])('an update restart? %s', (_, previous, updatedAt, is) => {
  expect(isUpdateOf(previous, life('2', 't', updatedAt))).toBe(is);
});

test('what one look could not read is kept from the one before', () => {
  const known = life('1', 's', 'u');
  expect(mergeIncarnation(known, life(null, null))).toEqual(known);
  expect(mergeIncarnation(life(null, 's'), life('1', null, 'u'))).toEqual(known);
});

test('a life is named by the best that is known of it', () => {
  expect(nameIncarnation(life('1', 's', 'u'))).toBe('1');
  expect(nameIncarnation(life(null, 's', 'u'))).toBe('s');
  expect(nameIncarnation(life(null, null, 'u'))).toBe('u');
  expect(nameIncarnation(life(null, null))).toBe('unknown');
});

test.each<[string | null, string | null]>([
  ['2026-11-29 15:12:33 +0000 UTC', '2026-11-29T15:12:33.000Z'],
  ['2026-11-29 15:12:33 +0000', '2026-11-29T15:12:33.000Z'],
  ['2026-11-29 08:12:33 -0700 MST', '2026-11-29T15:12:33.000Z'],
  ['2026-11-29 20:42:33 +0530 +0530', '2026-11-29T15:12:33.000Z'],
  ['2026-11-29T15:12:33Z', '2026-11-29T15:12:33.000Z'],
  ['2026-11-29T15:12:33.047398090Z', '2026-11-29T15:12:33.000Z'],
  ['2026-11-29 15:12:33 MST', null],
  ['2026-11-29T15:12:33', null],
  ['2026-13-29T15:12:33Z', null],
  ['2026-11-29', null],
  ['a while ago', null],
  ['', null],
  [null, null],
])('the stamp %j is %j', (stamp, iso) => {
  const at = parseStamp(stamp);
  expect(at === null ? null : new Date(at).toISOString()).toBe(iso);
});
