import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, test as plain, vi } from 'vitest';
import { chooseSequences } from '../../src/attach/terminal-modes.ts';
import { expectGone } from '../processes.ts';
import { PROGRAM, test } from '../program.ts';
import { makeScratchFolder } from '../scratch-folder.ts';
import { type DriverOrder, OUR_TEXT } from './attached-order.ts';
import {
  buildDriver,
  type Driver,
  driverArgs,
  endWithTest,
  openWindow,
  readReports,
} from './window.ts';

let driver: Driver;
beforeAll(async () => {
  driver = await buildDriver();
  return driver.remove;
});

const { saveTitle, toMain, restoreTitle } = chooseSequences({ TERM: 'xterm-256color' });

/** Every mode changed, on the alternate screen, in the middle of a clipboard write. */
const dirt =
  '\x1b[?1049h\x1b[?1000h\x1b[?1003h\x1b[?1006h\x1b[?2004h\x1b[?1004h\x1b[?25l\x1b[>4;2m\x1b=\x1b[?1h' +
  '\x1b[?7l\x1b[4h\x1b(0\x1b[5;9r\x1b[?6h\x1b[31;1mdirty\x1b]52;c;aGVsb';

/** A child that makes a mess of it and then does what `then` says. */
const messy = (then: string): Pick<DriverOrder, 'file' | 'args'> => ({
  file: process.execPath,
  args: ['-e', `process.stdout.write(${JSON.stringify(dirt)}, () => { ${then} });`],
});

/**
 * A driver in a terminal with settings of its own; `after` is a command of the shell once it has ended.
 * The window's code is the driver's.
 */
function openDriver(order: Omit<DriverOrder, 'reportTo'>, after = ':') {
  const folder = makeScratchFolder();
  const [reportTo, before, later] = ['report', 'before', 'later'].map((name) => join(folder, name));
  endWithTest(reportTo ?? '');
  const window = openWindow('sh', [
    '-c',
    `stty erase ^H -ixon intr ^X; stty -g > ${before}; "$@"; code=$?; stty -g > ${later}; ${after}; exit $code`,
    'sh',
    process.execPath,
    ...driverArgs(driver, { ...order, reportTo: reportTo ?? '' }),
  ]);
  const reports = () => readReports(reportTo ?? '');
  const findPid = (kind: string) => () => {
    const pid = reports().find((told) => told.kind === kind)?.pid;
    expect(pid).toBeTypeOf('number');
    return pid as number;
  };
  return {
    window,
    reports,
    own: () => readFileSync(before ?? '', 'utf8').trim(),
    left: () => readFileSync(later ?? '', 'utf8').trim(),
    driverPid: () => vi.waitFor(findPid('opened')),
    childPid: () => vi.waitFor(findPid('started')),
  };
}

const lasting = messy('setInterval(() => {}, 1000)');

describe('the terminal is right', () => {
  plain('before any text of ours, when a child is killed in the middle of a mess', async () => {
    const { window, own, left, reports } = openDriver(
      messy("process.kill(process.pid, 'SIGKILL')"),
    );
    expect(await window.ended).toEqual({ code: 0, signal: 0 });
    expect(window.written().toString()).toBe(
      `${saveTitle}${dirt}${toMain}${OUR_TEXT}\r\n${toMain}${restoreTitle}`,
    );
    expect(reports()).toContainEqual({ kind: 'signalled', signal: 'SIGKILL' });
    expect(left()).toBe(own());
  });

  plain.for([
    ['SIGTERM', 143],
    ['SIGHUP', 129],
    ['SIGINT', 130],
    ['SIGQUIT', 131],
  ] as const)('after %s, and the child is gone', async ([signal, code]) => {
    const { window, own, left, driverPid, childPid } = openDriver(lasting);
    await window.waitFor('dirty');
    expect(window.settings()).not.toBe(own());
    const child = await childPid();
    process.kill(await driverPid(), signal);
    expect(await window.ended).toEqual({ code, signal: 0 });
    expect(window.written().toString().endsWith(`${toMain}${restoreTitle}`)).toBe(true);
    expect(left()).toBe(own());
    await expectGone(child);
  });

  plain('after a bug, whose text can be read, and the child is gone', async () => {
    const { window, own, left, driverPid, childPid } = openDriver(lasting);
    await window.waitFor('dirty');
    const child = await childPid();
    process.kill(await driverPid(), 'SIGUSR2');
    expect(await window.ended).toEqual({ code: 1, signal: 0 });
    const [, words] = window.written().toString().split(`${toMain}${restoreTitle}`);
    expect(words).toContain('Error: a bug\r\n');
    expect(left()).toBe(own());
    await expectGone(child);
  });

  plain('even where it takes nothing: a signal ends us all the same', async () => {
    const { window, own, left, driverPid, childPid } = openDriver({ file: 'yes', args: [] });
    const child = await childPid();
    await window.waitFor('y\r\ny\r\n');
    window.pause();
    process.kill(await driverPid(), 'SIGTERM');
    await expectGone(child);
    await expectGone(window.pid);
    expect(left()).toBe(own());
    window.resume();
  });
});

plain('a terminal that its shell took while we were stopped is raw again', async () => {
  const { window, own, driverPid } = openDriver(lasting);
  await window.waitFor('dirty');
  const raw = window.settings();
  const pid = await driverPid();
  process.kill(pid, 'SIGSTOP');
  window.set(own());
  expect(window.settings()).toBe(own());
  process.kill(pid, 'SIGCONT');
  await vi.waitFor(() => expect(window.settings()).toBe(raw));
});

describe('a window that is closed', () => {
  plain('ends us, and the child', async () => {
    const { window, driverPid, childPid } = openDriver(lasting);
    await window.waitFor('dirty');
    const pids = [await driverPid(), await childPid()];
    window.close();
    await Promise.all(pids.map(expectGone));
  });

  plain('is an outcome to whoever hears no signal', async () => {
    const { window, driverPid, childPid, reports } = openDriver({ ...lasting, deaf: true });
    await window.waitFor('dirty');
    const pids = [await driverPid(), await childPid()];
    window.close();
    await Promise.all(pids.map(expectGone));
    expect(reports().slice(-2)).toEqual([{ kind: 'terminal-gone' }, { kind: 'done' }]);
  });
});

describe('reset', () => {
  plain('mends what a killed process left', async () => {
    const reset = `"${process.execPath}" "${PROGRAM}" reset; echo "reset: $?"; read -r line; echo "line: $line"`;
    const { window, driverPid, childPid } = openDriver(lasting, reset);
    await window.waitFor('dirty');
    const child = await childPid();
    process.kill(await driverPid(), 'SIGKILL');
    await window.waitFor('reset: 0\r\n');
    await expectGone(child);
    const [, mended] = window.written().toString().split(dirt);
    // The shell says that its child was killed; then it is all ours.
    expect(mended).toContain(`${toMain}${restoreTitle}reset: 0\r\n`);
    // What is typed is shown again, and the line ends as a line does.
    window.type('typed\r');
    await window.waitFor('typed\r\nline: typed');
    expect((await window.ended).code).toBe(137);
  });

  test('needs a terminal', async ({ program, expect }) => {
    const { code, stdout, stderr } = await program.run(['reset']);
    expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
    expect(stderr).toMatch(/^Standard input and output are no terminal\. [^\n]+\nUsage: [^\n]+\n$/);
  });
});
