import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { parseJsonDocument } from '../../src/sandy/json-document.ts';

describe('finding the document', () => {
  it.each([
    ['alone', '{"schema_version":1}\n'],
    ['behind noise', 'Welcome!\n{"schema_version":1}\n'],
    ['before noise', '{"schema_version":1}\ntrap: } bad {\n'],
    ['between noise with braces', '{ not json\n{}\n{"schema_version":1} trailing }\n{"a":\n'],
    ['behind another object', '{"level":"info"}\n{"schema_version":1}\n'],
    ['indented', '  {"schema_version":1}'],
    ['behind a byte order mark', '\ufeff\n{"schema_version":1}'],
  ])('%s', (_name, text) => {
    expect(parseJsonDocument(text)).toEqual({ schema_version: 1 });
  });

  it('takes an object without a schema version when there is no other', () => {
    expect(parseJsonDocument('noise\n{"a":1}\n{"b":2}')).toEqual({ a: 1 });
  });

  it.each(['', 'junk', '[]', 'null', '1', '"{}"', '{', '{"schema_version":1', '{"a":"}'])(
    'there is none in %j',
    (text) => {
      expect(parseJsonDocument(text)).toBeNull();
    },
  );

  it('is null when it is nested too deeply, or is deep and cut', () => {
    const depth = 500_000;
    expect(() => parseJsonDocument(`${'{"a":'.repeat(depth)}1${'}'.repeat(depth)}`)).not.toThrow();
    expect(parseJsonDocument('{"a":['.repeat(depth))).toBeNull();
    expect(parseJsonDocument('{\n'.repeat(depth))).toBeNull();
  });

  it('escapes what sandy prints raw inside strings', () => {
    const path = '/ws/a\nb\tc\u001b[31m\u0007\u0000d';
    const raw = `{"schema_version":1,"path":"${path}"}`;
    expect(parseJsonDocument(raw)).toEqual({ schema_version: 1, path });
  });

  it('takes a backslash that begins no escape for itself', () => {
    expect(parseJsonDocument('{"schema_version":1,"path":"/we\\ ird\\q\\u12"}')).toEqual({
      schema_version: 1,
      path: '/we\\ ird\\q\\u12',
    });
    expect(parseJsonDocument('{"schema_version":1,"path":"a\\\nb"}')).toMatchObject({
      path: 'a\\\nb',
    });
  });

  it('brings any string back whose quotes and backslashes alone were escaped', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), fc.string({ unit: 'binary' }), (key, value) => {
        const print = (text: string) => `"${text.replace(/[\\"]/g, '\\$&')}"`;
        const document = parseJsonDocument(
          `noise\n{"schema_version":1,${print(`k${key}`)}:${print(value)}}`,
        );
        expect(document).toEqual({ schema_version: 1, [`k${key}`]: value });
      }),
    );
  });

  it('never throws', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary', maxLength: 200 }), (text) => {
        parseJsonDocument(text);
        parseJsonDocument(`{${text}`);
      }),
    );
  });
});
