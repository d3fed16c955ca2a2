import { execFileSync } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { bundlePackage } from '../../.packaging/bundling.mjs';

const root = join(import.meta.dirname, '..', '..');

test('node-notifier is built in, and loaded only by who asks for it', async () => {
  // In the project, where what is built finds the packages.
  const folder = mkdtempSync(join(root, 'node_modules', '.sandy-tray-test-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const entry = join(folder, 'entry.ts');
  writeFileSync(
    entry,
    `import { createMacNotifier } from '${root}/src/notify/mac-notifier.ts';
     import { loadNotificationCenter } from '${root}/src/notify/mac-node-notifier.ts';
     export { createMacNotifier, loadNotificationCenter };`,
  );
  await bundlePackage(entry, folder);
  const chunk = readdirSync(folder).find((name) => name.startsWith('notificationcenter-'));
  expect(readFileSync(join(folder, 'entry.js'), 'utf8')).toContain(`import("./${chunk}")`);
  // Words of the package, in nothing that is loaded with the entry.
  for (const name of listLoaded(folder, 'entry.js')) {
    expect(readFileSync(join(folder, name), 'utf8'), name).not.toContain('Mac OS X 10.8');
  }
  expect(readFileSync(join(folder, chunk ?? ''), 'utf8')).toContain('Mac OS X 10.8');
  writeFileSync(
    join(folder, 'use.mjs'),
    `const { loadNotificationCenter } = await import('./entry.js');
     console.log((await loadNotificationCenter()).options.customPath);`,
  );
  const printed = execFileSync(process.execPath, [join(folder, 'use.mjs')], { encoding: 'utf8' });
  expect(printed).toMatch(/node-notifier\/vendor\/.*\/terminal-notifier\n$/);
});

function listLoaded(folder: string, entry: string): ReadonlySet<string> {
  const names = new Set([entry]);
  for (const name of names) {
    const text = readFileSync(join(folder, name), 'utf8');
    for (const [, loaded = ''] of text.matchAll(/(?:from|import) ?"\.\/([^"]+)"/g))
      names.add(loaded);
  }
  return names;
}
