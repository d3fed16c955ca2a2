import { describe, expect, it } from 'vitest';
import { readLook } from '../../src/attach/look-reading.ts';
import {
  listed,
  modernSandy,
  muteSandy,
  olderSandy,
  WatchedFleet,
} from '../fleet/watched-fleet.ts';

describe('a look that a terminal reads', () => {
  it.each([
    ['a sandy that says that it updates', modernSandy, true],
    ['a sandy that says that it does not', olderSandy, false],
    ['a sandy that could not say', muteSandy, true],
    ['no sandy at all', null, true],
  ])('tells whether sessions may come back: %s', (_, sandy, canUpdate) => {
    const fleet = new WatchedFleet();
    fleet.send({ kind: 'sandy-found', sandy });
    fleet.look([listed('a')]);
    const view = { epoch: 'e', fleet: fleet.view, monoMs: 1, begunMs: 0, updating: false };
    const target = { key: 'a', workspace: '/ws/a' };
    expect(readLook(view, target, null)).toMatchObject({ kind: 'sighted', canUpdate });
  });
});
