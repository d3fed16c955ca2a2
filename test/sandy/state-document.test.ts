import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { readStateDocument } from '../../src/sandy/state-document.ts';
import type { JsonObject } from '../../src/system/json-object.ts';

const sandbox = {
  name: 'zork-3dfda686',
  path: '/home/dev/.sandy/sandboxes/zork-3dfda686',
  workspace_path: '/ws/zork',
  workspace_exists: true,
  lock_held: true,
  lock_holder_pid: '926',
  lock_holder_alive: true,
};
const container = {
  id: 'ba5bb4c1511c',
  name: 'sandy-zork-3dfda686',
  image: 'sandy-claude-code',
  started_at: '2026-11-29 15:02:41 +0000 UTC',
  sandbox: 'zork-3dfda686',
  daemon: true,
  attached_clients: 1,
  updated_at: '2026-11-29T15:02:38Z',
  image_stale: true,
};
const sandboxSight = {
  key: 'zork-3dfda686',
  workspace: '/ws/zork',
  workspaceExists: true,
  lock: { kind: 'held', pid: 926, alive: true },
};
const sessionSight = {
  key: 'zork-3dfda686',
  incarnation: {
    id: 'ba5bb4c1511c',
    startedAt: '2026-11-29 15:02:41 +0000 UTC',
    updatedAt: '2026-11-29T15:02:38Z',
  },
  attachedClients: 1,
  imageStale: true,
};

function write(more: Record<string, unknown> = {}): JsonObject {
  return {
    schema_version: 1,
    sandy_home: '/home/dev/.sandy',
    sandboxes: [sandbox],
    docker_reachable: true,
    running_containers: [container],
    ...more,
  };
}

function readSeen(document: JsonObject) {
  const reading = readStateDocument(document);
  if (reading.kind !== 'seen') throw new Error(`not seen: ${reading.kind}`);
  return { ...reading, lossIds: reading.losses.map((loss) => loss.id) };
}

/** The same object without one of its fields. */
function without(given: Record<string, unknown>, name: string): Record<string, unknown> {
  return Object.fromEntries(Object.entries(given).filter(([key]) => key !== name));
}

describe('a whole document', () => {
  it('is read field by field', () => {
    expect(readStateDocument(write())).toEqual({
      kind: 'seen',
      schemaVersion: 1,
      sandyHome: '/home/dev/.sandy',
      sandboxes: [sandboxSight],
      sessions: [sessionSight],
      losses: [],
    });
  });

  it('is the same with fields that nobody knows', () => {
    const more = { a: { b: 1 }, constructor: 1, toString: null };
    const wild = write({
      ...more,
      schema_version: 99,
      sandboxes: [{ ...sandbox, ...more }],
      running_containers: [{ ...container, ...more }],
    });
    expect(readStateDocument(wild)).toEqual({ ...readStateDocument(write()), schemaVersion: 99 });
  });

  it('keeps the order of the sessions and leaves out what is none', () => {
    const running_containers = [
      { ...container, sandbox: 'b' },
      { ...container, sandbox: 'proxy', daemon: false },
      { ...container, sandbox: 'a' },
      without({ ...container, sandbox: 'before-1.1' }, 'daemon'),
      { ...container, sandbox: 'c' },
    ];
    const { sessions, lossIds } = readSeen(write({ running_containers }));
    expect(sessions.map((session) => session.key)).toEqual(['b', 'a', 'c']);
    expect(lossIds).toEqual([]);
  });
});

describe('one field at a time', () => {
  // What each field's value makes of the sandbox's sight, everything else being as above.
  it.each<[string, unknown, object]>([
    ['name', 'other', { key: 'other' }],
    ['name', '__proto__', { key: '__proto__' }],
    ['name', '$(x)\n\u202e', { key: '$(x)\n\u202e' }],
    ['workspace_path', '/b c/ü', { workspace: '/b c/ü' }],
    ['workspace_path', '', { workspace: null }],
    ['workspace_path', null, { workspace: null }],
    ['workspace_exists', false, { workspaceExists: false }],
    ['workspace_exists', null, { workspaceExists: null }],
    ['lock_held', false, { lock: { kind: 'free' } }],
    ['lock_holder_pid', '7', { lock: { kind: 'held', pid: 7, alive: true } }],
    ['lock_holder_pid', 8, { lock: { kind: 'held', pid: 8, alive: true } }],
    ['lock_holder_pid', '', { lock: { kind: 'unknown' } }],
    ['lock_holder_pid', 'garbage', { lock: { kind: 'unknown' } }],
    ['lock_holder_pid', '0', { lock: { kind: 'unknown' } }],
    ['lock_holder_pid', '-1', { lock: { kind: 'unknown' } }],
    ['lock_holder_pid', '9'.repeat(20), { lock: { kind: 'unknown' } }],
    ['lock_holder_pid', null, { lock: { kind: 'unknown' } }],
    ['lock_holder_alive', false, { lock: { kind: 'held', pid: 926, alive: false } }],
    ['lock_holder_alive', null, { lock: { kind: 'unknown' } }],
  ])('sandbox %s %j', (name, value, change) => {
    const { sandboxes, lossIds } = readSeen(write({ sandboxes: [{ ...sandbox, [name]: value }] }));
    expect(sandboxes).toEqual([{ ...sandboxSight, ...change }]);
    expect(lossIds).toEqual([]);
  });

  const { incarnation } = sessionSight;
  it.each<[string, unknown, object]>([
    ['sandbox', 'other', { key: 'other' }],
    ['sandbox', '__proto__', { key: '__proto__' }],
    ['id', 'new', { incarnation: { ...incarnation, id: 'new' } }],
    ['started_at', 'then', { incarnation: { ...incarnation, startedAt: 'then' } }],
    ['updated_at', 'now', { incarnation: { ...incarnation, updatedAt: 'now' } }],
    ['updated_at', null, { incarnation: { ...incarnation, updatedAt: null } }],
    ['attached_clients', 0, { attachedClients: 0 }],
    ['attached_clients', 3, { attachedClients: 3 }],
    ['attached_clients', null, { attachedClients: null }],
    ['image_stale', false, { imageStale: false }],
    ['image_stale', null, { imageStale: null }],
  ])('session %s %j', (name, value, change) => {
    const running_containers = [{ ...container, [name]: value }];
    const { sessions, lossIds } = readSeen(write({ running_containers }));
    expect(sessions).toEqual([{ ...sessionSight, ...change }]);
    expect(lossIds).toEqual([]);
  });

  it.each([
    ['sandboxes', 'workspace_path', { workspace: null }],
    ['sandboxes', 'workspace_exists', { workspaceExists: null }],
  ])('%s may lack %s', (_list, name, change) => {
    const { sandboxes, lossIds } = readSeen(write({ sandboxes: [without(sandbox, name)] }));
    expect(sandboxes).toEqual([{ ...sandboxSight, ...change }]);
    expect(lossIds).toEqual([]);
  });

  it.each([
    ['updated_at', { incarnation: { ...incarnation, updatedAt: null } }],
    ['image_stale', { imageStale: null }],
  ])('running_containers may lack %s', (name, change) => {
    const running_containers = [without(container, name)];
    const { sessions, lossIds } = readSeen(write({ running_containers }));
    expect(sessions).toEqual([{ ...sessionSight, ...change }]);
    expect(lossIds).toEqual([]);
  });
});

describe('a wrong field costs that field', () => {
  const unknown = { lock: { kind: 'unknown' } };
  it.each<[string, unknown, string, object]>([
    ['workspace_path', 7, 'an absolute path or empty text', { workspace: null }],
    ['workspace_path', 'relative', 'an absolute path or empty text', { workspace: null }],
    ['workspace_exists', 'yes', 'true, false or null', { workspaceExists: null }],
    ['lock_held', 'yes', 'true or false', unknown],
    ['lock_held', null, 'true or false', unknown],
    ['lock_held', undefined, 'true or false', unknown],
    ['lock_holder_pid', {}, 'text or null', unknown],
    ['lock_holder_alive', 1, 'true, false or null', unknown],
  ])('sandbox %s %j', (name, value, expected, change) => {
    const { sandboxes, sessions, lossIds } = readSeen(
      write({ sandboxes: [{ ...sandbox, [name]: value }, sandbox] }),
    );
    expect(sandboxes).toEqual([{ ...sandboxSight, ...change }, sandboxSight]);
    expect(sessions).toEqual([sessionSight]);
    expect(lossIds).toEqual([`sandboxes[].${name}: expected ${expected}`]);
  });

  const { incarnation } = sessionSight;
  it.each<[string, unknown, string, object]>([
    ['id', 7, 'text', { incarnation: { ...incarnation, id: null } }],
    ['id', '', 'text', { incarnation: { ...incarnation, id: null } }],
    ['id', undefined, 'text', { incarnation: { ...incarnation, id: null } }],
    ['started_at', null, 'text', { incarnation: { ...incarnation, startedAt: null } }],
    ['updated_at', 7, 'text or null', { incarnation: { ...incarnation, updatedAt: null } }],
    ['updated_at', '', 'text or null', { incarnation: { ...incarnation, updatedAt: null } }],
    ['attached_clients', '1', 'integer or null', { attachedClients: null }],
    ['attached_clients', 1.5, 'integer or null', { attachedClients: null }],
    ['attached_clients', -1, 'integer or null', { attachedClients: null }],
    ['attached_clients', Number.POSITIVE_INFINITY, 'integer or null', { attachedClients: null }],
    ['attached_clients', undefined, 'integer or null', { attachedClients: null }],
    ['image_stale', 'true', 'true, false or null', { imageStale: null }],
    // The key is found in the container's name then, so that the session does not seem gone.
    ['sandbox', 7, 'text', {}],
    ['sandbox', '', 'text', {}],
    ['name', null, 'text', {}],
  ])('session %s %j', (name, value, expected, change) => {
    const { sandboxes, sessions, lossIds } = readSeen(
      write({ running_containers: [{ ...container, [name]: value }, container] }),
    );
    expect(sessions).toEqual([{ ...sessionSight, ...change }, sessionSight]);
    expect(sandboxes).toEqual([sandboxSight]);
    expect(lossIds).toEqual([`running_containers[].${name}: expected ${expected}`]);
  });

  it.each([
    ['schema_version', '1', 'integer', { schemaVersion: null }],
    ['schema_version', undefined, 'integer', { schemaVersion: null }],
    ['sandy_home', 7, 'text', { sandyHome: null }],
    ['docker_reachable', 'yes', 'true or false', {}],
    ['docker_reachable', undefined, 'true or false', {}],
  ])('document %s %j', (name, value, expected, change) => {
    expect(readSeen(write({ [name]: value }))).toMatchObject({
      sandboxes: [sandboxSight],
      sessions: [sessionSight],
      lossIds: [`${name}: expected ${expected}`],
      ...change,
    });
  });
});

describe('a wrong entry costs that entry', () => {
  it.each([null, 7, 'text', []])('%j in both lists', (entry) => {
    const { sandboxes, sessions, lossIds } = readSeen(
      write({ sandboxes: [entry, sandbox], running_containers: [entry, container] }),
    );
    expect(sandboxes).toEqual([sandboxSight]);
    expect(sessions).toEqual([sessionSight]);
    expect(lossIds).toEqual([
      'sandboxes[]: expected object',
      'running_containers[]: expected object',
    ]);
  });

  it.each(['yes', 1, null])('daemon %j is no session', (daemon) => {
    const { sessions, lossIds } = readSeen(
      write({ running_containers: [{ ...container, daemon }, container] }),
    );
    expect(sessions).toEqual([sessionSight]);
    expect(lossIds).toEqual(['running_containers[].daemon: expected true or false']);
  });

  it('an entry without a key is none, and tells each loss once', () => {
    const nameless = { ...container, sandbox: null, name: 'stranger' };
    const { sandboxes, sessions, lossIds } = readSeen(
      write({
        sandboxes: [without(sandbox, 'name'), { ...sandbox, name: '' }],
        running_containers: [nameless, nameless],
      }),
    );
    expect(sandboxes).toEqual([]);
    expect(sessions).toEqual([]);
    expect(lossIds).toEqual([
      'sandboxes[].name: expected text',
      'running_containers[].sandbox: expected text',
    ]);
  });
});

describe('what was not seen at all', () => {
  it.each([
    ['docker says no', { docker_reachable: false }],
    ['docker says no and there is no list', { docker_reachable: false, running_containers: null }],
    ['there is no list', { running_containers: null }],
    ['the list is missing', { docker_reachable: false, running_containers: undefined }],
  ])('docker-unreachable when %s, with the sandboxes', (_name, change) => {
    expect(readStateDocument(write(change))).toEqual({
      kind: 'docker-unreachable',
      schemaVersion: 1,
      sandboxes: [sandboxSight],
      losses: [],
    });
  });

  it.each([
    ['no sandboxes', { sandboxes: undefined }],
    ['sandboxes null', { sandboxes: null }],
    ['sandboxes an object', { sandboxes: {} }],
    ['no containers', { running_containers: undefined }],
    ['containers a text', { running_containers: 'none' }],
  ])('unreadable with %s', (_name, change) => {
    expect(readStateDocument(write(change))).toEqual({ kind: 'unreadable' });
  });

  it('never throws and never invents, whatever the document', () => {
    const wild = fc.dictionary(
      fc.constantFrom(...Object.keys(write()), ...Object.keys(sandbox), '__proto__'),
      fc.jsonValue(),
    );
    const entry = (right: object) =>
      fc.oneof(
        fc.jsonValue(),
        wild.map((more) => ({ ...right, ...more })),
      );
    fc.assert(
      fc.property(
        wild,
        fc.array(entry(sandbox)),
        fc.array(entry(container)),
        (more, sandboxes, running_containers) => {
          const reading = readStateDocument({ sandboxes, running_containers, ...more });
          if (reading.kind === 'seen') {
            expect(reading.sessions.length).toBeLessThanOrEqual(running_containers.length);
            for (const { key } of reading.sessions) expect(key).not.toBe('');
          }
        },
      ),
    );
    expect(Object.keys(Object.prototype)).toEqual([]);
  });
});
