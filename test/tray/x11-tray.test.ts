import { describe, expect, test } from 'vitest';
import { watchXTray } from '../../src/tray/x11-tray.ts';
import {
  findCookie,
  measureAnswer,
  measureMessage,
  parseDisplay,
  readMessage,
  readRoot,
  writeGreeting,
  writeInternAtom,
} from '../../src/tray/x11-wire.ts';

const entry = (number: string, name: string, data: string): Buffer => {
  const part = (text: string) => {
    const length = Buffer.alloc(2);
    length.writeUInt16BE(text.length);
    return Buffer.concat([length, Buffer.from(text)]);
  };
  return Buffer.concat([Buffer.from([1, 0]), ...['host', number, name, data].map(part)]);
};
const COOKIE = 'MIT-MAGIC-COOKIE-1';

describe('X11', () => {
  test('displays on this machine are understood, others are none', () => {
    expect(parseDisplay(':0')).toBe(0);
    expect(parseDisplay('unix:12.0')).toBe(12);
    for (const other of [undefined, '', 'localhost:10.0', ':0.1', ':', ':-1', ':../../x', ':0\n']) {
      expect(parseDisplay(other)).toBeNull();
    }
  });

  test('the cookie of a display is found, in files that are whole or not', () => {
    const file = Buffer.concat([
      entry('1', COOKIE, 'one'),
      entry('2', 'XDM-AUTHORIZATION-1', 'no'),
      entry('2', COOKIE, 'two'),
      entry('', COOKIE, 'any'),
    ]);
    expect(findCookie(file, 2)?.data.toString()).toBe('two');
    expect(findCookie(file, 9)?.data.toString()).toBe('any');
    expect(findCookie(file.subarray(0, 40), 2)).toBeNull();
    for (let length = 0; length < file.length; length += 1) findCookie(file.subarray(0, length), 2);
    expect(findCookie(Buffer.alloc(0), 0)).toBeNull();
  });

  test('what is written is padded, and what is read is measured first', () => {
    const greeting = writeGreeting({ name: COOKIE, data: Buffer.from('0123456789abcdef') });
    expect(greeting.length).toBe(12 + 20 + 16);
    expect(writeGreeting(null).length).toBe(12);
    expect(writeInternAtom('abcde').length).toBe(16);
    expect(measureAnswer(Buffer.alloc(7))).toBeNull();
    expect(measureMessage(Buffer.alloc(31))).toBeNull();
    expect(measureMessage(Buffer.from([1, 0, 0, 0, 2, ...Array(27).fill(0)]))).toBe(40);
    expect(readMessage(Buffer.from([0xa1, ...Array(31).fill(0)])).kind).toBe('manager');
    expect(readRoot(Buffer.from([0, 5, 11, 0, 0, 0, 0, 0]))).toBeNull();
    expect(readRoot(Buffer.from([1, ...Array(39).fill(0)]))).toBeNull();
  });

  test('without a display nothing is watched', () => {
    const watch = watchXTray({ DISPLAY: 'far.example:0' }, 1, () => {
      throw new Error('there is nothing to see');
    });
    expect(watch.sight()).toBe('no-display');
    watch.stop();
  });

  test('a server that is not there has no tray', async () => {
    await new Promise<void>((resolve) => {
      const watch = watchXTray({ DISPLAY: ':64999' }, 1, (sight) => {
        expect(sight).toBe('none');
        watch.stop();
        resolve();
      });
    });
  });
});
