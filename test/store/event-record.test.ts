import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  formatRecord,
  nameHappening,
  parseRecords,
  recordOf,
} from '../../src/store/event-record.ts';
import { arbitraryEvent } from './arbitraries.ts';

describe('a record of the log', () => {
  it('is the object that `log --json` promises', () => {
    const record = recordOf(
      {
        at: Date.UTC(2026, 0, 2, 3, 4, 5, 6),
        kind: 'late',
        key: 'zork-1',
        incident: 'late:zork-1:abc',
        noticeKind: 'late',
        text: 'zork-1 did not come back.',
      },
      true,
    );
    expect(formatRecord(record)).toBe(
      '{"at":"2026-01-02T03:04:05.006Z","kind":"late","key":"zork-1","incident":"late:zork-1:abc","notice":true,"text":"zork-1 did not come back."}\n',
    );
  });

  it('has no field for anything else that an event may carry', () => {
    fc.assert(
      fc.property(arbitraryEvent, fc.boolean(), (event, notice) => {
        const marked = { ...event, workspace: '/marked/path', output: 'marked output' };
        const line = formatRecord(recordOf(marked, notice));
        expect(line).not.toContain('/marked/path');
        expect(line).not.toContain('marked output');
        expect(Object.keys(JSON.parse(line))).toEqual([
          'at',
          'kind',
          'key',
          'incident',
          'notice',
          'text',
        ]);
      }),
    );
  });

  it('is one line whatever it holds, and is read as it was written', () => {
    fc.assert(
      fc.property(fc.array(fc.tuple(arbitraryEvent, fc.boolean())), (told) => {
        const records = told.map(([event, notice]) => recordOf(event, notice));
        const text = records.map(formatRecord).join('');
        expect(text.split('\n')).toHaveLength(records.length + 1);
        expect(parseRecords(text)).toEqual({ records, unreadable: 0 });
      }),
    );
  });

  it('is no record before its line end is there, wherever it is cut', () => {
    fc.assert(
      fc.property(arbitraryEvent, fc.nat(), (event, at) => {
        const whole = formatRecord(recordOf(event, true));
        const cut = Buffer.from(whole).subarray(0, at % Buffer.byteLength(whole));
        const { records } = parseRecords(`${whole}${cut.toString()}`);
        expect(records).toHaveLength(1);
      }),
    );
  });
});

describe('reading lines', () => {
  it('counts what is no record and keeps the rest, unknown kinds and fields included', () => {
    const future =
      '{"at":"2030-01-01T00:00:00.000Z","kind":"teleported","key":null,"incident":null,"notice":false,"text":"x","depth":3}';
    const lines = ['', 'junk', '[]', 'null', '{"at":1}', '\0\0\0', future, '{"__proto__":1}'];
    const { records, unreadable } = parseRecords(`${lines.join('\n')}\n`);
    expect(unreadable).toBe(7);
    expect(records).toEqual([JSON.parse(future)]);
  });
});

describe('naming a happening', () => {
  it('tells the happenings of one incident apart, and has no name for what has no incident', () => {
    expect(nameHappening({ kind: 'late', incident: 'late:k:1' })).toBe('late:late:k:1');
    expect(nameHappening({ kind: 'back', incident: 'late:k:1' })).toBe('back:late:k:1');
    expect(nameHappening({ kind: 'blind', incident: null })).toBeNull();
  });
});
