import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { createNotifySend } from '../../src/notify/notify-send.ts';
import { expectGone, readPid } from '../processes.ts';
import { makeScratchFolder, writeScript } from '../scratch-folder.ts';
import { notice } from './notices.ts';

/** A PATH with a `notify-send` that does what its script says; it keeps its arguments, each with a NUL. */
function startAll(script = '', parts: { readonly icon?: string } = {}) {
  const folder = makeScratchFolder();
  const kept = join(folder, 'arguments');
  const install = () =>
    writeScript(join(folder, 'notify-send'), `printf '%s\\0' "$@" >> '${kept}'\n${script}`);
  const variables = { PATH: `${folder}:/usr/bin:/bin`, DISPLAY: ':7' };
  const notifier = createNotifySend({ variables, chooseIcon: () => parts.icon ?? null });
  const readArguments = () => readFileSync(kept, 'utf8').split('\0').slice(0, -1);
  return { folder, kept, install, variables, notifier, readArguments };
}

test('says what there is to say, and nothing of it is an option or markup', async () => {
  const { install, notifier, readArguments } = startAll('', { icon: '/icons/a b.png' });
  install();
  const parts = {
    title: '--help \\n $(touch X) `id`',
    body: '--wait C:\\new\\table <a href="x">&\n"$HOME" \0\u202e',
    urgency: 'critical',
  } as const;
  expect(await notifier.show(notice('a', parts))).toEqual({
    kind: 'shown',
    server: 'notify-send',
    clickable: false,
  });
  expect(readArguments()).toEqual([
    '--app-name=sandy-tray',
    '--urgency=critical',
    '--category=x-sandy-tray.late',
    '--expire-time=0',
    '--icon=/icons/a b.png',
    '--',
    '--help \\n $(touch X) `id`',
    '--wait C:\\\\new\\\\table &lt;a href="x"&gt;&amp;\n"$HOME" \ufffd',
  ]);
});

test('tells a low one to leave nothing behind', async () => {
  const { install, notifier, readArguments } = startAll();
  install();
  await notifier.show(notice('a', { urgency: 'low', title: '', body: 'b' }));
  expect(readArguments()).toEqual([
    '--app-name=sandy-tray',
    '--urgency=low',
    '--category=x-sandy-tray.late',
    '--hint=int:transient:1',
    '--',
    'sandy-tray',
    'b',
  ]);
});

test('is used from when it is installed, and fails in plain words', async () => {
  const { install, notifier } = startAll();
  const path = { variables: { PATH: makeScratchFolder(), DISPLAY: ':7' } };
  expect(await createNotifySend(path).show(notice('a'))).toEqual({
    kind: 'not-shown',
    reason: 'There is no notify-send on the PATH',
  });
  install();
  expect(await notifier.show(notice('a'))).toMatchObject({ kind: 'shown' });
  const failing = startAll('echo "no\\033[31m server" >&2; exit 1');
  failing.install();
  expect(await failing.notifier.show(notice('a'))).toEqual({
    kind: 'not-shown',
    reason: 'notify-send failed: no server',
  });
});

test('is not asked where there is no display', async () => {
  const { install, variables, kept } = startAll();
  install();
  const notifier = createNotifySend({ variables: { PATH: variables.PATH, WAYLAND_DISPLAY: '' } });
  expect(await notifier.show(notice('a'))).toMatchObject({
    kind: 'not-shown',
    reason: expect.stringMatching(/no display/),
  });
  expect(existsSync(kept)).toBe(false);
});

test('is not waited for without an end', async () => {
  const { folder, install, notifier } = startAll('echo $$ > "$(dirname "$0")/pid"; exec sleep 60');
  install();
  expect(await notifier.show(notice('a'))).toEqual({
    kind: 'not-shown',
    reason: expect.stringMatching(/5 s/),
    isLate: true,
  });
  await expectGone(await readPid(join(folder, 'pid')));
});

test('ends with its notifier', async () => {
  const { folder, install, notifier } = startAll('echo $$ > "$(dirname "$0")/pid"; exec sleep 60');
  install();
  const shown = notifier.show(notice('a'));
  const pid = await readPid(join(folder, 'pid'));
  await notifier.withdraw('a');
  await notifier.close();
  const over = { kind: 'not-shown', reason: 'Notifications are not shown any more' };
  expect(await shown).toEqual(over);
  await expectGone(pid);
  expect(await notifier.show(notice('a'))).toEqual(over);
});
