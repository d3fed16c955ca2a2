import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join, relative, resolve } from 'node:path';
import { describe, expect, test } from 'vitest';

const source = resolve(import.meta.dirname, '../../src');

/** What each room may import of ours, besides itself. */
const allowed: Readonly<Record<string, readonly string[]>> = {
  fleet: [],
  system: [],
  sandy: ['fleet', 'system'],
  attach: ['fleet', 'system'],
  control: ['fleet', 'system'],
  tray: ['fleet', 'system'],
  notify: ['fleet', 'system'],
  terminal: ['fleet', 'system'],
  service: ['fleet', 'system'],
  store: ['fleet', 'system'],
  agent: ['*'],
  commands: ['*'],
};

interface Import {
  readonly from: string;
  /** The file, for our own; the package, otherwise. */
  readonly to: string;
  readonly typeOnly: boolean;
}

const files = readdirSync(source, { recursive: true, encoding: 'utf8' })
  .filter((name) => name.endsWith('.ts'))
  .map((name) => join(source, name));
const imports = files.flatMap(readImports);

function readImports(file: string): Import[] {
  const text = readFileSync(file, 'utf8');
  const pattern =
    /(?:^|\n)\s*(?:import|export)\s+(type\s+)?[^;'"]*?\bfrom\s+'([^']+)'|\bimport\(\s*'([^']+)'\s*\)|(?:^|\n)\s*import\s+'([^']+)'/g;
  return [...text.matchAll(pattern)].map((match) => {
    const target = match[2] ?? match[3] ?? match[4] ?? '';
    const to = target.startsWith('.') ? resolve(dirname(file), target) : target;
    return { from: file, to, typeOnly: match[1] !== undefined };
  });
}

function roomOf(file: string): string {
  const [room = '', ...rest] = relative(source, file).split('/');
  return rest.length === 0 ? 'main' : room;
}

const own = imports.filter(({ to }) => to.startsWith(`${source}/`));

describe('imports go one way', () => {
  test('every import of ours was understood', () => {
    const count = files
      .map((file) => readFileSync(file, 'utf8').match(/\bfrom '\.|import\('\./g)?.length ?? 0)
      .reduce((sum, n) => sum + n, 0);
    expect(imports.filter(({ to }) => to.startsWith('/')).length).toBe(count);
    expect(count).toBeGreaterThan(20);
  });

  test('every room is a known one', () => {
    const rooms = new Set(files.map(roomOf));
    rooms.delete('main');
    expect([...rooms].filter((room) => !Object.hasOwn(allowed, room))).toEqual([]);
  });

  test('rooms import only what stands below them', () => {
    const wrong = own.filter(({ from, to }) => {
      const [here, there] = [roomOf(from), roomOf(to)];
      if (here === there || here === 'main') return here === 'main' && there !== 'commands';
      const may = allowed[here] ?? [];
      return (
        there === 'main' || (!may.includes('*') && !may.includes(there)) || there === 'commands'
      );
    });
    expect(wrong.map(describeImport)).toEqual([]);
  });

  test('the fleet stands on nothing: no package, no builtin', () => {
    const foreign = imports.filter(
      ({ from, to }) => roomOf(from) === 'fleet' && !to.startsWith('/'),
    );
    expect(
      foreign.filter((entry) => !entry.typeOnly || entry.to !== 'zod').map(describeImport),
    ).toEqual([]);
  });

  test('there are no cycles', () => {
    const edges = new Map<string, string[]>();
    for (const { from, to } of own) edges.set(from, [...(edges.get(from) ?? []), to]);
    const done = new Set<string>();
    const cycles: string[] = [];
    const visit = (file: string, path: readonly string[]): void => {
      if (path.includes(file)) {
        cycles.push(
          [...path.slice(path.indexOf(file)), file].map((f) => relative(source, f)).join(' > '),
        );
        return;
      }
      if (done.has(file)) return;
      for (const next of edges.get(file) ?? []) visit(next, [...path, file]);
      done.add(file);
    };
    for (const file of files) visit(file, []);
    expect(cycles).toEqual([]);
  });
});

function describeImport({ from, to }: Import): string {
  return `${relative(source, from)} imports ${to.startsWith('/') ? relative(source, to) : to}`;
}
