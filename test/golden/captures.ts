import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Observation, PollMode } from '../../src/fleet/observation.ts';
import { parseJsonDocument } from '../../src/sandy/json-document.ts';
import { readStateDocument, type StateReading } from '../../src/sandy/state-document.ts';

const captures = join(import.meta.dirname, '../captures');
const expected = join(import.meta.dirname, 'expected');

export function readCapture(file: string): string {
  return readFileSync(join(captures, file), 'utf8');
}

/** The expected files whose names begin so, parsed, by name. */
export function readExpected(prefix: string): (readonly [string, unknown])[] {
  return readdirSync(expected)
    .filter((name) => name.startsWith(prefix))
    .map((name) => [name, JSON.parse(readFileSync(join(expected, name), 'utf8'))]);
}

/** What the program's own parser reads in sandy's stdout. */
export function readState(stdout: string): StateReading {
  const document = parseJsonDocument(stdout);
  return document === null ? { kind: 'unreadable' } : readStateDocument(document);
}

/** The observation that a poll makes of a reading. */
export function observationOf(reading: StateReading, mode: PollMode): Observation {
  switch (reading.kind) {
    case 'seen': {
      const { sandyHome, sandboxes, sessions } = reading;
      return { kind: 'sighted', mode, sandyHome, sandboxes, sessions };
    }
    case 'docker-unreachable':
      return {
        kind: 'blind',
        reason: 'docker-unreachable',
        text: 'Docker is away.',
        sandboxes: reading.sandboxes,
      };
    case 'unreadable':
      return { kind: 'blind', reason: 'unreadable', text: 'No document.', sandboxes: null };
  }
}
