import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, test, vi } from 'vitest';
import { chooseSequences } from '../../src/attach/terminal-modes.ts';
import { expectGone } from '../processes.ts';
import { makeScratchFolder, writeScript } from '../scratch-folder.ts';
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

const { saveTitle, toMain } = chooseSequences({ TERM: 'xterm-256color' });

function attach(order: Omit<DriverOrder, 'reportTo'>, variables = {}) {
  const reportTo = join(makeScratchFolder(), 'report');
  endWithTest(reportTo);
  const args = driverArgs(driver, { ...order, reportTo });
  const window = openWindow(process.execPath, args, variables);
  return {
    window,
    reports: () => readReports(reportTo),
    /** What the child wrote, once all is over. */
    shown: async () => {
      await window.ended;
      const all = window.written();
      expect(all.indexOf(saveTitle)).toBe(0);
      const end = all.indexOf(toMain + OUR_TEXT);
      expect(end).toBeGreaterThan(0);
      return all.subarray(saveTitle.length, end);
    },
    startedPid: () =>
      vi.waitFor(() => {
        const pid = readReports(reportTo).find(({ kind }) => kind === 'started')?.pid;
        expect(pid).toBeTypeOf('number');
        return pid as number;
      }),
  };
}

const attachShell = (script: string, rest: Partial<DriverOrder> = {}, variables = {}) =>
  attach({ file: 'sh', args: ['-c', script], ...rest }, variables);

/** How many bytes a process has read or written so far, whatever they were. */
function countOf(pid: number, name: 'rchar' | 'wchar'): number {
  const [, count] = readFileSync(`/proc/${pid}/io`, 'utf8').match(`${name}: (\\d+)`) ?? [];
  return Number(count);
}

/** Waits until two looks in a row show the same. */
async function settle(look: () => number): Promise<number> {
  let last = Number.NaN;
  await vi.waitFor(
    () => {
      const before = last;
      last = look();
      expect(last).toBe(before);
    },
    { interval: 300, timeout: 20_000 },
  );
  return last;
}

const counted = `${Array.from({ length: 20_000 }, (_, at) => `${at + 1}\r\n`).join('')}END`;
const count = 'seq 1 20000; printf END';

describe('the child’s output', () => {
  test('is shown to its last byte, sixty times', async () => {
    const { shown, reports } = attachShell(count, { times: 60 });
    expect((await shown()).equals(Buffer.from(counted.repeat(60)))).toBe(true);
    expect(reports().filter(({ kind }) => kind === 'exited')).toHaveLength(60);
  });

  test('is shown to its last byte by a terminal that takes it after the child’s end', async () => {
    const { window, shown, startedPid } = attachShell('stty raw; exec seq 1 1000000');
    window.pause();
    const child = await startedPid();
    await settle(() => countOf(window.pid, 'rchar'));
    const written = countOf(child, 'wchar');
    process.kill(child, 'SIGKILL');
    await expectGone(child);
    window.resume();
    const bytes = await shown();
    // It may have written a part more than what the kernel had counted.
    expect(bytes.length).toBeGreaterThanOrEqual(written);
    expect(written).toBeGreaterThan(64 * 1024);
    const all = Array.from({ length: bytes.length / 4 }, (_, at) => `${at + 1}\n`).join('');
    expect(bytes.toString()).toBe(all.slice(0, bytes.length));
  });

  test('is shown by a terminal that stops again and again', async () => {
    const { window, shown } = attachShell(count, { times: 6 });
    let going = true;
    const stutter = () => {
      window.pause();
      setImmediate(() => {
        window.resume();
        if (going) setImmediate(stutter);
      });
    };
    stutter();
    const bytes = await shown();
    going = false;
    expect(bytes.equals(Buffer.from(counted.repeat(6)))).toBe(true);
  });

  test('waits in the child for a terminal that takes nothing, not in our memory', async () => {
    const { window } = attachShell('stty raw; printf ready; exec yes');
    await window.waitFor('ready');
    window.pause();
    // What it has not read it can't keep.
    const read = await settle(() => countOf(window.pid, 'rchar'));
    expect(read).toBeLessThan(20_000_000);
    window.resume();
    await vi.waitFor(() => expect(countOf(window.pid, 'rchar')).toBeGreaterThan(read + 1_000_000));
  });
});

describe('bytes', () => {
  test('of every value pass both ways', async () => {
    const every = Buffer.from(Array.from({ length: 256 }, (_, value) => value));
    const file = join(makeScratchFolder(), 'typed');
    const { window, shown } = attachShell(
      `stty raw -echo -iexten; printf ready; head -c 256 > ${file}; cat ${file}`,
    );
    await window.waitFor('ready');
    window.type(every);
    const bytes = await shown();
    expect(readFileSync(file)).toEqual(every);
    expect(bytes.subarray('ready'.length)).toEqual(every);
  });

  test('of a clipboard write, a title and colours pass untouched', async () => {
    const painted = '\x1b]52;c;aGk=\x07\x1b]2;title\x07\x1b[38;2;1;2;3mred\x1b[0m';
    const { shown } = attach({ file: 'printf', args: ['%s', painted] });
    expect((await shown()).toString()).toBe(painted);
  });

  test('typed into a child that does not read stop nothing', async () => {
    const { window } = attachShell('stty raw -echo; printf ready; exec sleep 1000');
    await window.waitFor('ready');
    const before = countOf(window.pid, 'rchar');
    for (let sent = 4_000; sent <= 16_000; sent += 4_000) {
      window.type(Buffer.alloc(4_000, 'x'));
      await vi.waitFor(() =>
        expect(countOf(window.pid, 'rchar')).toBeGreaterThanOrEqual(before + sent),
      );
    }
    process.kill(window.pid, 'SIGTERM');
    expect(await window.ended).toEqual({ code: 143, signal: 0 });
  });
});

describe('the child', () => {
  test.for([
    ['exit 0', { kind: 'exited', code: 0 }],
    ['exit 3', { kind: 'exited', code: 3 }],
    ['kill -9 $$', { kind: 'signalled', signal: 'SIGKILL' }],
    ['kill -HUP $$', { kind: 'signalled', signal: 'SIGHUP' }],
  ] as const)('that ends by %j is told as it is', async ([script, end]) => {
    const { window, reports } = attachShell(script);
    await window.ended;
    expect(reports().slice(2, 3)).toEqual([end]);
  });

  test('has the terminal’s size, and every new one', async () => {
    const script =
      'const say = () => console.log(process.stdout.columns + " by " + process.stdout.rows + ";");' +
      'say(); process.stdout.on("resize", say); process.stdin.resume();';
    const { window } = attach({ file: process.execPath, args: ['-e', script] });
    await window.waitFor('80 by 24;');
    window.resize(100, 40);
    await window.waitFor('100 by 40;');
    window.resize(61, 17);
    await window.waitFor('61 by 17;');
  });

  test('has the terminal’s names as they are', async () => {
    const names = { TERM: 'xterm-kitty', COLORTERM: 'truecolor', TMUX: '/x,1,0' };
    const { window } = attachShell('echo "$TERM $COLORTERM $TMUX;"', {}, names);
    await window.waitFor('xterm-kitty truecolor /x,1,0;');
  });

  test('has no descriptor but its terminal', async () => {
    const { shown } = attachShell('ls -l /proc/self/fd');
    expect((await shown()).toString()).not.toMatch(/ptmx|socket|anon_inode/);
  });

  test('is not kept by a process that runs beside it: none has the pty’s master', async () => {
    const beside = writeScript(join(makeScratchFolder(), 'beside'), 'ls -l /proc/self/fd');
    const { window, reports } = attachShell('printf ready; read -r line', { alongside: beside });
    const listing = await vi.waitFor(() => {
      const told = reports().find(({ stdout }) => stdout !== undefined);
      expect(told).toMatchObject({ kind: 'exited', code: 0 });
      return String(told?.stdout);
    });
    expect(listing).toMatch(/ 2 -> /);
    expect(listing).not.toContain('ptmx');
    window.type('\r');
    await window.ended;
  });
});

describe('a child that can’t be started is an outcome', () => {
  test.for([
    ['a name that is nowhere', { file: 'no-such-program' }, { kind: 'not-found' }],
    ['a path that is nowhere', { file: '/no/such/program' }, { kind: 'not-found' }],
    ['a file that is no program', { file: '/etc/passwd' }, { kind: 'not-executable' }],
    ['a folder', { file: '/etc' }, { kind: 'not-executable' }],
  ] as const)('%s', async ([, { file }, outcome]) => {
    const { window, reports } = attach({ file, args: [] });
    await window.ended;
    expect(reports()).toMatchObject([{ kind: 'opened' }, outcome, { kind: 'done' }]);
  });
});
