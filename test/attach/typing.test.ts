import { existsSync, readdirSync } from 'node:fs';
import { describe } from 'vitest';
import {
  readTranscript,
  removeContainer,
  replaceContainer,
  scratchOf,
} from '../../fixtures/fake-sandy/fleet.mjs';
import { find } from '../agent/running-agent.ts';
import { attachesOf, type Desk, seesInside, settles, test } from './terminals.ts';

const KEY_MS = 10;
const DROPPED = 'the line that you began before is not sent';

/** A terminal in the gap between two lives. Real time: a pause between keys is a second. */
async function enterGap({ stage, ...desk }: Desk) {
  stage.scale(1);
  const fleet = await stage.addFleet(['alpha']);
  await stage.startAgent({ watched: false });
  await stage.logs('baseline');
  const alpha = find(fleet, 'alpha');
  const terminal = desk.attach([alpha.key]);
  await settles(terminal, fleet, alpha);
  removeContainer(fleet.dir, alpha.record);
  await terminal.sees('is gone');
  const comeBack = () => replaceContainer(fleet.dir, alpha.record);
  const files = () => {
    const folder = scratchOf(fleet.dir, alpha.record);
    return existsSync(folder) ? readdirSync(folder) : [];
  };
  const typed = () => readTranscript(fleet.dir, alpha.record);
  return { fleet, alpha, terminal, comeBack, files, typed };
}

describe.concurrent('what is typed while nothing is attached', () => {
  test('never arrives, nor does the rest of its line; the next line does', async ({
    desk,
    expect,
  }) => {
    const { fleet, alpha, terminal, comeBack, files, typed } = await enterGap(desk);
    const before = typed();
    await terminal.typeSlowly('echo A; touch ', KEY_MS);
    await terminal.sees('typing is not sent');
    comeBack();
    // The line goes on until the new life is there, and beyond.
    while (attachesOf(fleet, alpha).length < 2) await terminal.typeSlowly('x', KEY_MS);
    await terminal.typeSlowly('xxxxxxxxxx\r', KEY_MS);
    await terminal.typeSlowly('touch fresh\r', KEY_MS);
    await terminal.sees(DROPPED);
    await seesInside(terminal, fleet, alpha);
    await terminal.sees('touched fresh');
    expect(typed().slice(before.length)).toBe('touch fresh\r');
    expect(files()).toEqual(['fresh']);
  });

  test('is dropped whole when it is ended there, and nothing is said', async ({ desk, expect }) => {
    const { fleet, alpha, terminal, comeBack, files, typed } = await enterGap(desk);
    const before = typed();
    await terminal.typeSlowly('touch X\r', KEY_MS);
    comeBack();
    await terminal.sees('attaching again');
    await seesInside(terminal, fleet, alpha);
    terminal.type('touch fresh\r');
    await terminal.sees('touched fresh');
    expect(typed().slice(before.length)).toBe('touch fresh\r');
    expect(files()).toEqual(['fresh']);
    expect(terminal.bytes()).not.toContain(DROPPED);
  });

  test('and is left there unfinished is over after a second', async ({ desk, expect }) => {
    const { fleet, alpha, terminal, comeBack, files } = await enterGap(desk);
    terminal.type('touch ');
    await terminal.sees('typing is not sent');
    await new Promise((resolve) => setTimeout(resolve, 1_100));
    comeBack();
    await seesInside(terminal, fleet, alpha);
    terminal.type('touch fresh\r');
    await terminal.sees('touched fresh');
    expect(files()).toEqual(['fresh']);
  });
});
