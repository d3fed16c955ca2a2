import { expect, test } from 'vitest';
import { createFirstShown } from '../../src/notify/first-shown.ts';
import type { Notifier, ShowOutcome } from '../../src/notify/notifier.ts';
import { notice } from './notices.ts';

const refuse = (reason: string): ShowOutcome => ({ kind: 'not-shown', reason });
const late: ShowOutcome = { kind: 'not-shown', reason: 'late', isLate: true };
const shownBy = (server: string): ShowOutcome => ({ kind: 'shown', server, clickable: true });

/** A notifier that answers as it is told, and remembers what it was told. */
function makeNotifier(name: string, answer: ShowOutcome = shownBy(name)) {
  const told: string[] = [];
  const visible = new Set<string>();
  let outcome = answer;
  let release: (() => void) | null = null;
  let gate: Promise<void> = Promise.resolve();
  const notifier: Notifier = {
    async show({ key, body }) {
      told.push(`show ${key}: ${body}`);
      await gate;
      if (outcome.kind === 'shown') visible.add(key);
      return outcome;
    },
    async withdraw(key) {
      if (visible.delete(key)) told.push(`withdraw ${key}`);
    },
    async close() {
      told.push('close');
    },
  };
  return {
    ...notifier,
    told,
    visible,
    answer: (next: ShowOutcome) => {
      outcome = next;
    },
    hold: () => {
      gate = new Promise((settle) => {
        release = settle;
      });
    },
    release: () => release?.(),
  };
}

test('the first that takes it shows it', async () => {
  const [a, b, c] = [makeNotifier('a', refuse('no bus')), makeNotifier('b'), makeNotifier('c')];
  const chain = createFirstShown([a, b, c]);
  expect(await chain.show(notice('k', { body: '1' }))).toEqual(shownBy('b'));
  expect([a.told, b.told, c.told]).toEqual([['show k: 1'], ['show k: 1'], []]);
});

test('where none takes it, the best one says why', async () => {
  const chain = createFirstShown([
    makeNotifier('a', refuse('no bus')),
    makeNotifier('b', refuse('no tool')),
  ]);
  expect(await chain.show(notice('k'))).toEqual(refuse('no bus'));
  expect(await createFirstShown([]).show(notice('k'))).toMatchObject({ kind: 'not-shown' });
});

test('nothing else is tried after one that may show it yet', async () => {
  const [a, b] = [makeNotifier('a', late), makeNotifier('b')];
  const chain = createFirstShown([a, b]);
  expect(await chain.show(notice('k'))).toEqual(late);
  expect(b.told).toEqual([]);
});

test('a key has one banner, and it is withdrawn from whoever shows it', async () => {
  const [a, b] = [makeNotifier('a', refuse('no bus')), makeNotifier('b')];
  const chain = createFirstShown([a, b]);
  await chain.show(notice('k', { body: '1' }));
  a.answer(shownBy('a'));
  expect(await chain.show(notice('k', { body: '2' }))).toEqual(shownBy('a'));
  expect(b.told).toEqual(['show k: 1', 'withdraw k']);
  await chain.show(notice('k', { body: '3' }));
  await chain.withdraw('k');
  expect(a.told).toEqual(['show k: 1', 'show k: 2', 'show k: 3', 'withdraw k']);
  expect(b.told).toEqual(['show k: 1', 'withdraw k']);
});

test('what is withdrawn while it is being shown is not seen afterwards', async () => {
  const [a, b] = [makeNotifier('a', refuse('no bus')), makeNotifier('b')];
  a.hold();
  const chain = createFirstShown([a, b]);
  const shown = chain.show(notice('k', { body: '1' }));
  const later = chain.show(notice('k', { body: '2' }));
  const withdrawn = chain.withdraw('k');
  a.release();
  expect(await shown).toEqual(shownBy('b'));
  expect(await later).toMatchObject({ kind: 'not-shown' });
  await withdrawn;
  expect(b.told).toEqual(['show k: 1', 'withdraw k']);
});

test('nothing is tried once it is closed', async () => {
  const [a, b] = [makeNotifier('a', refuse('no bus')), makeNotifier('b')];
  a.hold();
  const chain = createFirstShown([a, b]);
  const shown = chain.show(notice('k', { body: '1' }));
  await chain.close();
  a.release();
  expect(await shown).toMatchObject({ kind: 'not-shown' });
  expect(await chain.show(notice('k'))).toMatchObject({ kind: 'not-shown' });
  expect([a.told, b.told]).toEqual([['show k: 1', 'close'], ['close']]);
});
