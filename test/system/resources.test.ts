import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import {
  importResource,
  isPacked,
  isUnpackedResource,
  makeResourceRequire,
  pruneResources,
  resourcePath,
} from '../../src/system/resources.ts';

const root = join(import.meta.dirname, '..', '..');

describe("the program's files, in a checkout", () => {
  test('are where they lie', () => {
    expect(resourcePath('assets', 'mac-tray.js')).toBe(join(root, 'assets', 'mac-tray.js'));
    expect(existsSync(resourcePath('fixtures', 'fake-sandy', 'sandy'))).toBe(true);
  });

  test('packages are found and scripts imported from there', async () => {
    const manifest = makeResourceRequire().resolve('systray2/package.json');
    expect(JSON.parse(readFileSync(manifest, 'utf8')).name).toBe('systray2');
    const script = await importResource('fixtures', 'fake-sandy', 'fleet.mjs');
    expect(script).toHaveProperty('createFleet');
  });

  test('nothing is unpacked, so that nothing is taken for it and nothing removed', () => {
    expect(isPacked()).toBe(false);
    const sandy = resourcePath('fixtures', 'fake-sandy', 'sandy');
    expect(isUnpackedResource(sandy, 'fixtures/fake-sandy/sandy')).toBe(false);
    expect(pruneResources()).toBeUndefined();
  });
});
