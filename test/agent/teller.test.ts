import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { createTeller } from '../../src/agent/teller.ts';
import type { FleetEvent } from '../../src/fleet/events.ts';
import type { Effect } from '../../src/fleet/message.ts';
import type { Notice } from '../../src/notify/notifier.ts';
import { openEventLog } from '../../src/store/event-log.ts';
import { openLedger } from '../../src/store/ledger.ts';
import { makeScratchFolder } from '../scratch-folder.ts';

const now = Date.UTC(2026, 5, 1);

const ended = (key: string): FleetEvent => ({
  at: now,
  kind: 'ended',
  key,
  incident: `${key}:1`,
  noticeKind: 'ended',
  text: `${key} ended.`,
});

const tell = (event: FleetEvent, held = false): Effect => ({
  kind: 'tell',
  event,
  notice: true,
  held,
});

const digest = (...events: readonly FleetEvent[]): Effect => ({
  kind: 'digest',
  incident: `digest:${now}`,
  events,
});

/** One life of an agent in a folder; its banners come to nothing while `hangs`. */
function live(folder: string, hangs = false) {
  const shown: Notice[] = [];
  const ledger = openLedger(folder, now);
  const teller = createTeller({
    log: openEventLog(folder),
    ledger,
    show(notice) {
      shown.push(notice);
      return hangs ? new Promise(() => {}) : Promise.resolve();
    },
    setting: { formatTime: () => '12:00', isStartable: () => true },
    onWrite: (_, outcome) => expect(outcome).toEqual({ kind: 'written' }),
  });
  return { teller, ledger, bodies: () => shown.map(({ body }) => body) };
}

const stepsIn = (folder: string, ...ids: readonly string[]) => {
  const ledger = openLedger(folder, now);
  return ids.map((id) => ledger.stepOf(id));
};

describe('what a digest tells', () => {
  test('is meant to be shown all at once', () => {
    const folder = makeScratchFolder();
    const { teller, bodies } = live(folder, true);
    teller.tell([tell(ended('a'), true), tell(ended('b'), true), digest(ended('a'), ended('b'))]);
    expect(bodies()).toEqual(['12:00 a ended.\n12:00 b ended.']);
    expect(stepsIn(folder, 'ended:a:1', 'ended:b:1')).toEqual(['intent', 'intent']);
  });

  test('is told by no other after a kill, but what came since is', () => {
    const folder = makeScratchFolder();
    live(folder, true).teller.tell([digest(ended('a'), ended('b'))]);
    const second = live(folder);
    second.teller.tell([digest(ended('a'), ended('b'), ended('c'))]);
    expect(second.bodies()).toEqual(['c ended.']);
  });

  test('is told also after a ledger was lost, unless it may have been told before', () => {
    const folder = makeScratchFolder();
    live(folder).teller.tell([tell(ended('a'))]);
    writeFileSync(join(folder, 'ledger.json'), 'junk');
    const second = live(folder);
    const events = [ended('a'), ended('b'), ended('c')];
    second.teller.tell([...events.map((event) => tell(event, true)), digest(...events)]);
    expect(second.bodies()).toEqual(['12:00 b ended.\n12:00 c ended.']);
  });

  test('is told where it was held before the ledger was lost', () => {
    const folder = makeScratchFolder();
    live(folder).teller.tell([tell(ended('a'), true)]);
    writeFileSync(join(folder, 'ledger.json'), 'junk');
    const second = live(folder);
    second.teller.tell([digest(ended('a'))]);
    expect(second.bodies()).toEqual(['a ended.']);
  });
});

describe('a desktop that hangs', () => {
  test('keeps nothing from being told, and what it got is not marked later', async () => {
    const folder = makeScratchFolder();
    const { teller, bodies } = live(folder, true);
    teller.tell([tell(ended('a'))]);
    teller.tell([tell(ended('b'))]);
    expect(bodies()).toEqual(['a ended.', 'b ended.']);
    await teller.close();
    expect(stepsIn(folder, 'ended:a:1', 'ended:b:1')).toEqual(['intent', 'intent']);
  });

  test('one that does not has its banners marked', async () => {
    const folder = makeScratchFolder();
    const { teller } = live(folder);
    teller.tell([tell(ended('a'))]);
    await teller.close();
    expect(stepsIn(folder, 'ended:a:1')).toEqual(['shown']);
  });
});
