import { expect, test } from 'vitest';
import { isStartable, type Row } from '../../src/fleet/session.ts';
import { makeRow } from '../store/fleet-parts.ts';

const failure = { kind: 'late', at: 0, incident: 'a', text: '' } as const;
const off = { kind: 'off', why: 'late', unanswered: null } as const;

test.each<[string, Partial<Row>, boolean]>([
  ['up', {}, false],
  ['up with something pinned', { failure }, true],
  ['not running', { phase: off }, true],
  ['down', { phase: off, failure }, true],
  ['without its folder', { phase: off, failure, workspaceExists: false }, false],
  ['of a folder that nobody can look at', { phase: off, workspaceExists: null }, true],
  ['of a folder that is not known', { phase: off, workspace: null }, false],
  ['that two workspaces claim', { phase: off, failure, conflict: true }, false],
])('to start one %s may help: %s', (_what, parts, expected) => {
  expect(isStartable(makeRow('a', parts))).toBe(expected);
});

test('to start one that nobody knows does not', () => {
  expect(isStartable(undefined)).toBe(false);
});
