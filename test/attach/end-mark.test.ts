import { closeSync, openSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { makeEndMark } from '../../src/attach/end-mark.ts';
import { makeScratchFolder } from '../scratch-folder.ts';

/** A mark that is written into a file, of which the test plays what comes out of the pty. */
function writeMark() {
  const file = join(makeScratchFolder(), 'pty');
  const descriptor = openSync(file, 'w');
  onTestFinished(() => closeSync(descriptor));
  let text = '';
  let ended = () => {};
  const end = new Promise<void>((resolve) => {
    ended = resolve;
  });
  let isOver = false;
  const mark = makeEndMark({
    descriptor,
    isRead: () => true,
    onData: (bytes) => {
      text += bytes.toString();
    },
    onEnd: () => {
      mark.close();
      isOver = true;
      ended();
    },
  });
  mark.write();
  const digits = readFileSync(file, 'utf8');
  return {
    digits,
    take: (bytes: string) => mark.take(Buffer.from(bytes)),
    text: () => text,
    isOver: () => isOver,
    end,
  };
}

test('what is before the mark is passed on, the mark ends it, whatever pieces it comes in', () => {
  const pty = writeMark();
  const all = `the last words${pty.digits}`;
  for (const piece of all.match(/.{1,7}/g) ?? []) pty.take(piece);
  expect([pty.text(), pty.isOver()]).toEqual(['the last words', true]);
});

test('a mark between whose digits somebody wrote ends it after a silence, with nothing lost', async () => {
  const pty = writeMark();
  const split = `${pty.digits.slice(0, 13)}a stranger${pty.digits.slice(13)}`;
  pty.take(`the last words${split}`);
  expect(pty.isOver()).toBe(false);
  await pty.end;
  expect(pty.text()).toBe(`the last words${split}`);
});

test('nor does a stranger who never stops writing keep it open', () => {
  const pty = writeMark();
  pty.take(`${pty.digits.slice(0, 13)}-${pty.digits.slice(13)}`);
  const line = 'noise '.repeat(1_000);
  for (let lines = 0; !pty.isOver(); lines += 1) {
    if (lines > 1_000) throw new Error('it goes on for ever');
    pty.take(line);
  }
  expect(pty.text().endsWith(line)).toBe(true);
});
