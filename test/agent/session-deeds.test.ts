import { expect, test } from 'vitest';
import { type DeedParts, doClicked } from '../../src/agent/deeds.ts';
import type { Model } from '../../src/fleet/model.ts';
import type { Row } from '../../src/fleet/session.ts';
import type { Errand } from '../../src/terminal/tickets.ts';

const key = 'atlas-3dfda686';
const workspace = '/w/atlas';

/** What a window is opened for, and what is said, when this is clicked. */
async function click(kind: 'open' | 'start-in-terminal', opens = true) {
  const errands: Errand[] = [];
  const told: string[] = [];
  const rows = new Map([[key, { key, workspace } as Row]]);
  const parts: Pick<DeedParts, 'model' | 'openWindow' | 'tell'> = {
    model: () => ({ rows }) as unknown as Model,
    async openWindow(errand) {
      errands.push(errand);
      return opens
        ? { kind: 'opened', terminal: 'xterm', failed: [] }
        : { kind: 'not-opened', hasDisplay: true, failed: [] };
    },
    tell: (text) => told.push(text),
  };
  await doClicked(parts as DeedParts, { action: { kind, key }, activationToken: null });
  return { errands, told };
}

test('a click on a session opens a window that attaches; a start is another errand', async () => {
  const attach = { kind: 'attach', key, workspace };
  expect(await click('open')).toEqual({ errands: [attach], told: [] });
  expect(await click('start-in-terminal')).toEqual({
    errands: [{ ...attach, startsFirst: true }],
    told: [],
  });
});

test('where no window can be opened, the command to paste does the same', async () => {
  expect((await click('open', false)).told[0]).toMatch(/: sandy-tray attach atlas-3dfda686$/);
  expect((await click('start-in-terminal', false)).told[0]).toMatch(
    /: sandy-tray start atlas-3dfda686$/,
  );
});
