/** Real terminal windows on an X server of their own. */

import { execFileSync } from 'node:child_process';
import { mkdirSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, vi } from 'vitest';
import {
  type Fleet,
  readCalls,
  readEvents,
  type Session,
} from '../../fixtures/fake-sandy/fleet.mjs';
import { until } from '../agent/running-agent.ts';
import { expectGone } from '../processes.ts';
import { type Desktop, requireTools, test } from './desktop.ts';

vi.setConfig({ testTimeout: 180_000 });

interface Terminal {
  readonly name: string;
  readonly windowClass: string;
  /** The second window is the first one's process's as well. */
  readonly isServer: boolean;
  readonly close: (desktop: Desktop, window: string) => void;
}

const terminals: readonly Terminal[] = [
  {
    name: 'xterm',
    windowClass: 'XTerm',
    isServer: false,
    close: (desktop, window) => desktop.kill(window),
  },
  {
    name: 'xfce4-terminal',
    windowClass: 'Xfce4-terminal',
    isServer: true,
    close: (desktop, window) => desktop.press(window, 'ctrl+shift+q'),
  },
  {
    name: 'kitty',
    windowClass: 'kitty',
    isServer: false,
    close: (desktop, window) => desktop.kill(window),
  },
];

/** Without a double quote and a backslash: sandy itself loses such a path when it reads it back. */
const NASTY = `-e it's $(touch X) \`touch X\` ; touch X # %u 😀`;

beforeAll(() =>
  requireTools(['Xvfb', 'dbus-daemon', 'xdotool', ...terminals.map(({ name }) => name)]),
);

const attachesOf = (fleet: Fleet) =>
  readCalls(fleet.dir).filter(({ argv }) => argv[0] === '--attach');

async function isAttached(fleet: Fleet, { record, key }: Session): Promise<number> {
  const event = await until(
    () =>
      readEvents(fleet.dir).find(
        (event) => event.why === 'client-attached' && event.record === record,
      ),
    () => `${key} to be attached`,
  );
  return event?.at ?? 0;
}

function parentOf(pid: number): number {
  return Number(execFileSync('ps', ['-o', 'ppid=', '-p', String(pid)], { encoding: 'utf8' }));
}

describe('open', () => {
  test.for(terminals)(
    'in $name: two windows on two sessions, whatever their paths are',
    async ({ name, windowClass, isServer, close }, { desktop, expect }) => {
      const { stage, variables } = desktop;
      const { folder } = stage.program;
      const workspaces = [join(folder, NASTY), join(folder, `-x ${NASTY}`)];
      for (const workspace of workspaces) mkdirSync(workspace);
      const fleet = await stage.addFleet(workspaces.map((workspace) => ({ workspace })));
      stage.configure({ terminal: name });
      const shown: string[] = [];
      for (const [index, session] of fleet.sessions.entries()) {
        const begunAt = Date.now();
        const asked = index === 0 ? session.key : session.workspace;
        const ran = await stage.program.run(['open', '--', asked], variables);
        expect(ran).toMatchObject({ code: 0, stderr: '' });
        expect(ran.stdout).toMatch(new RegExp(`^-.+ is open in ${name}\\.\\n$`));
        const attachedAt = await isAttached(fleet, session);
        console.info(`${name} ${index + 1}: attached after ${attachedAt - begunAt} ms`);
        const { workspace } = session;
        expect(attachesOf(fleet).at(-1)).toMatchObject({
          argv: ['--attach', '--workspace', workspace],
          tty: true,
          exitedAt: null,
        });
        const window = await until(
          () => desktop.windowsOf(windowClass).find((id) => !shown.includes(id)),
          () => `window ${index + 1}`,
        );
        shown.push(window ?? '');
      }
      const [first, second, ...more] = attachesOf(fleet);
      expect(more).toEqual([]);
      const owners = [first, second].map((call) => parentOf(call?.ppid ?? 0));
      expect(owners[0] === owners[1]).toBe(isServer);

      close(desktop, shown[1] ?? '');
      await expectGone(second?.pid ?? 0);
      await expectGone(second?.ppid ?? 0);
      expect(attachesOf(fleet)[0]?.exitedAt).toBe(null);
      close(desktop, shown[0] ?? '');
      await expectGone(first?.pid ?? 0);
      const files = readdirSync(folder, { recursive: true, encoding: 'utf8' });
      expect(files.filter((file) => file.split('/').at(-1) === 'X')).toEqual([]);
    },
  );
});
