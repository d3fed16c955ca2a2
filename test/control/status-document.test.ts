import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { readStatusDocument } from '../../src/control/status-document.ts';
import { makeFleet } from './fleets.ts';

const whole = { ...makeFleet(2), epoch: 'e', rev: 1, agent: null };

/** What nothing that shows a status relies on. */
const unread = ['lastRun', 'quiet', 'poll'];

describe('reading another process’s status', () => {
  it('keeps every field, also those that are new', () => {
    const sent = { ...whole, later: { a: 1 }, sessions: [{ ...whole.sessions[0], later: true }] };
    expect(readStatusDocument(sent)).toEqual(sent);
  });

  it('takes words that are new', () => {
    const sent = { ...whole, docker: 'asleep', badge: { state: 'purple', count: 1 } };
    expect(readStatusDocument(sent)).toEqual(sent);
  });

  it.each(['agent', ...Object.keys(makeFleet(0))].filter((key) => !unread.includes(key)))(
    'is nothing without a sensible %s',
    (key) => {
      for (const junk of [undefined, Number.NaN, { a: [] }]) {
        expect(readStatusDocument({ ...whole, [key]: junk })).toBeNull();
      }
    },
  );

  it('never throws', () => {
    fc.assert(
      fc.property(fc.jsonValue(), (value) => {
        expect(readStatusDocument(value)).toBeNull();
      }),
    );
  });
});
