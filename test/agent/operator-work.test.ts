/** What the operator says that it is at. */

import { expect, test } from 'vitest';
import { createLooks } from '../../src/agent/looks.ts';
import { createOperator, type OperatorParts } from '../../src/agent/operator.ts';
import { makeRun } from '../../src/agent/run-making.ts';
import { newModel } from '../../src/fleet/model.ts';
import { createSandy } from '../../src/sandy/client.ts';
import { openRunFolders } from '../../src/store/run-folders.ts';
import { allNotices, defaultWindows } from '../fleet/watched-fleet.ts';
import { makeScratchFolder } from '../scratch-folder.ts';

test.each([
  ['check', null],
  ['start', ['atlas']],
] as const)('it tells when a %s of %j begins, and when it is over', async (op, keys) => {
  const stateFolder = makeScratchFolder();
  const model = newModel(defaultWindows, allNotices);
  const looks = createLooks(() => {});
  const told: unknown[] = [];
  const folders = openRunFolders(stateFolder);
  const parts: OperatorParts = {
    model: () => model,
    dispatch: () => {},
    settle: async () => {},
    looks,
    timeScale: 1,
    isAttended: () => false,
    stateFolder,
    folders,
    onWrite: () => {},
    onWork: () => told.push(operator.work()),
    sandy: () => createSandy({ sandyPath: null, stateFolder }),
    wrap: async () => (command) => command,
    signal: looks.signal,
  };
  const operator = createOperator(parts);
  const asked = { op, keys, idleForMinutes: null, rebuild: false };
  const record = makeRun(asked, { origin: 'menu', onTerminal: false }, model);
  folders.create(record);
  // An agent that is stopping begins nothing: what it was given is over at once.
  looks.stop();
  operator.adopt([record]);
  const since = new Date(record.askedAt).toISOString();
  expect(told).toEqual([{ op, keys, since }]);
  await operator.await(record.id);
  expect(told).toEqual([{ op, keys, since }, null]);
});
