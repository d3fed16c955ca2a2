import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { deriveCapabilities, parseSchema } from '../../src/sandy/capabilities.ts';
import { parseJsonDocument } from '../../src/sandy/json-document.ts';
import { readStateDocument } from '../../src/sandy/state-document.ts';

const captures = join(import.meta.dirname, '../captures');
const versions = readdirSync(captures).filter((name) => /^\d/.test(name));

function capture(version: string, name: string): string {
  return readFileSync(join(captures, version, name), 'utf8');
}

function read(version: string, name: string) {
  const document = parseJsonDocument(capture(version, name));
  if (document === null) throw new Error(`${version}/${name} is no document`);
  return readStateDocument(document);
}

describe('what the real sandy printed', () => {
  it.each(versions)('%s: every state is read without a loss', (version) => {
    const names = readdirSync(join(captures, version)).filter((name) =>
      /^print-state.*\.json$/.test(name),
    );
    expect(names.length).toBeGreaterThan(5);
    for (const name of names) {
      const blind = /unreachable|nodocker/.test(name);
      expect(read(version, name)).toMatchObject({
        kind: blind ? 'docker-unreachable' : 'seen',
        schemaVersion: 1,
        losses: [],
      });
    }
  });

  it.each([
    ['0.12.0', false, false],
    ['1.0.0', false, false],
    ['1.0.1', false, false],
    ['1.1.0', true, false],
    ['1.2.0', true, true],
    ['1.2.1', true, true],
    ['1.4.0', true, true],
    ['1.6.0', true, true],
    ['1.7.0', true, true],
    ['1.8.0-dev', true, true],
  ])('%s: has daemon commands: %s, updates: %s', (version, daemon, updateSessions) => {
    const schema = parseSchema(capture(version, 'print-schema.json'));
    expect(schema?.schemaVersion).toBe(1);
    expect(deriveCapabilities(schema)).toEqual({
      attach: daemon,
      start: daemon,
      stop: daemon,
      updateSessions,
    });
  });

  it.each(['0.12.0', '1.0.0', '1.0.1'])('%s: has no sessions', (version) => {
    expect(read(version, 'print-state-full.fleet.json')).toMatchObject({ sessions: [] });
  });

  it('1.7.0: the fleet is what it was', () => {
    const reading = read('1.7.0', 'print-state-full.fleet.json');
    if (reading.kind !== 'seen') throw new Error(reading.kind);
    expect(
      reading.sessions.map(({ key, attachedClients, imageStale }) => [
        key,
        attachedClients,
        imageStale,
      ]),
    ).toEqual([
      ['epsilon-be4f08eb', null, false],
      ['beta-67ca4fd3', 1, false],
      ['gamma-bd10b68e', null, null],
      ['alpha-b549a200', 0, true],
      ['delta-363efdf3', 2, true],
    ]);
    const byKey = new Map(reading.sandboxes.map((sandbox) => [sandbox.key, sandbox]));
    expect(byKey.get('legacy-0badf00d')?.workspace).toBeNull();
    expect(byKey.get('weird-266b329a')?.workspace).toBe('/home/dev/ws/we ird\\');
    expect(byKey.get('epsilon-be4f08eb')?.lock).toEqual({ kind: 'unknown' });
    expect(byKey.get('iota-789d9c57')?.lock).toEqual({ kind: 'held', pid: 999999, alive: false });
    expect(byKey.get('gamma-bd10b68e')?.lock).toEqual({ kind: 'free' });
  });

  it('1.8.0-dev: says which workspaces exist', () => {
    const reading = read('1.8.0-dev', 'print-state-light.fleet.json');
    if (reading.kind !== 'seen') throw new Error(reading.kind);
    const known = reading.sandboxes.map((sandbox) => sandbox.workspaceExists);
    expect(known).toContain(true);
    expect(known).toContain(false);
    expect(known).toContain(null);
  });
});

describe('a list of flags', () => {
  it.each(['', 'junk', '{}', '{"cli_flags":null}', '{"cli_flags":{}}'])('is not in %j', (text) => {
    expect(parseSchema(text)).toBeNull();
  });

  it('is read around entries that are none', () => {
    const cli_flags = [null, 7, '--stop', { name: 7 }, { name: 'start' }, { name: '--attach' }];
    const text = `noise\n${JSON.stringify({ schema_version: 'x', cli_flags })}`;
    expect(parseSchema(text)).toEqual({ schemaVersion: null, flags: ['--attach'] });
  });

  it('that is missing means that nothing can be done', () => {
    expect(Object.values(deriveCapabilities(null))).toEqual([false, false, false, false]);
  });

  it.each(['attach', 'start', 'stop', 'update-sessions'])('gives --%s alone', (name) => {
    const can = deriveCapabilities({ schemaVersion: 1, flags: [`--${name}`, `--${name}-all`] });
    const property = name === 'update-sessions' ? 'updateSessions' : name;
    expect(Object.entries(can).filter(([, yes]) => yes)).toEqual([[property, true]]);
  });
});
