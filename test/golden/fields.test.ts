import { expect, test } from 'vitest';
import { documentFields, sandboxEntry, sessionEntry } from '../../src/sandy/contract.ts';
import { readCapture, readExpected, readState } from './captures.ts';

/**
 * What the captures prove of the parser. For each field: the same documents with that field taken out,
 * or with another value in it, must read differently. A parser that forgets a field reads both alike,
 * and so fails here; and as `looks.test.ts` pins what the originals read as, one that never knew the
 * field fails there. (Tried by hand: without any one line of `documentFields`, `sandboxEntry`,
 * `sessionEntry` or the check of `daemon`, this file or `looks.test.ts` fails.)
 */

type Doc = Record<string, unknown>;
type Change = (doc: Doc) => void;

const documents = readExpected('looks-')
  .flatMap(([, files]) => Object.entries(files as Record<string, { readable: boolean }>))
  .filter(([, { readable }]) => readable)
  .map(([file]) => readCapture(file));

const entriesOf = (doc: Doc, list: string) => (doc[list] ?? []) as Doc[];

function deleteIn(list: string | null, field: string): Change {
  return (doc) => {
    for (const entry of list === null ? [doc] : entriesOf(doc, list)) delete entry[field];
  };
}

function setIn(list: string | null, field: string, value: unknown): Change {
  return (doc) => {
    for (const entry of list === null ? [doc] : entriesOf(doc, list)) entry[field] = value;
  };
}

/** How many captures read differently after the change. */
function countChanged(change: Change, first: Change = () => {}): number {
  return documents.filter((stdout) => {
    const before = JSON.parse(stdout) as Doc;
    first(before);
    const after = structuredClone(before);
    change(after);
    const read = (doc: Doc) => {
      const reading = readState(JSON.stringify(doc));
      // A loss is only a line in the log; what counts is what was read.
      return JSON.stringify({ ...reading, losses: null });
    };
    return read(before) !== read(after);
  }).length;
}

const containers = 'running_containers';
const withoutSandbox = deleteIn(containers, 'sandbox');

/** Each field with a change that it alone can show, and what has to be out of its way. */
const changes: Readonly<Record<string, readonly [Change, Change?]>> = {
  schema_version: [deleteIn(null, 'schema_version')],
  sandy_home: [deleteIn(null, 'sandy_home')],
  // Sandy says it twice: with the list still there, only this field tells that docker is away.
  docker_reachable: [setIn(null, 'docker_reachable', false)],
  sandboxes: [deleteIn(null, 'sandboxes')],
  running_containers: [deleteIn(null, containers)],
  'sandboxes[].name': [deleteIn('sandboxes', 'name')],
  'sandboxes[].workspace_path': [deleteIn('sandboxes', 'workspace_path')],
  'sandboxes[].workspace_exists': [deleteIn('sandboxes', 'workspace_exists')],
  'sandboxes[].lock_held': [deleteIn('sandboxes', 'lock_held')],
  'sandboxes[].lock_holder_pid': [deleteIn('sandboxes', 'lock_holder_pid')],
  'sandboxes[].lock_holder_alive': [deleteIn('sandboxes', 'lock_holder_alive')],
  'running_containers[].daemon': [deleteIn(containers, 'daemon')],
  'running_containers[].sandbox': [setIn(containers, 'sandbox', 'another-00000000')],
  // The key's second source, used only where the first is missing.
  'running_containers[].name': [deleteIn(containers, 'name'), withoutSandbox],
  'running_containers[].id': [deleteIn(containers, 'id')],
  'running_containers[].started_at': [deleteIn(containers, 'started_at')],
  'running_containers[].attached_clients': [deleteIn(containers, 'attached_clients')],
  'running_containers[].updated_at': [deleteIn(containers, 'updated_at')],
  'running_containers[].image_stale': [deleteIn(containers, 'image_stale')],
};

test.each(Object.entries(changes))('%s counts', (_, [change, first]) => {
  expect(countChanged(change, first)).toBeGreaterThan(0);
});

test('no field that the parser reads is missing above', () => {
  const read = [
    ...Object.keys(documentFields),
    ...[sandboxEntry, sessionEntry].flatMap(({ list, fields }) =>
      Object.keys(fields).map((name) => `${list}[].${name}`),
    ),
    'running_containers[].daemon',
    'sandboxes',
    'running_containers',
  ];
  expect(Object.keys(changes).sort()).toEqual(read.sort());
});

test('a field that nobody reads changes nothing', () => {
  expect(countChanged(deleteIn(containers, 'image'))).toBe(0);
  expect(countChanged(deleteIn(null, 'installed_images'))).toBe(0);
});

test('what differs between versions is in the captures', () => {
  const having = (path: RegExp) => documents.filter((stdout) => path.test(stdout)).length;
  for (const field of ['workspace_exists', 'updated_at', 'image_stale', 'attached_clients']) {
    expect(having(new RegExp(`"${field}"`)), field).toBeGreaterThan(0);
    expect(having(new RegExp(`"${field}"`)), field).toBeLessThan(documents.length);
  }
});
