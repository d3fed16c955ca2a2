import { createHash } from 'node:crypto';
import { readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { ROOT } from './bundling.mjs';
import { fetchPackage } from './registry.mjs';

/** Folders that are packed, and files; all keep their places. */
const FOLDERS = ['assets/icons', 'fixtures/fake-sandy', 'systemd', 'launchd'];
/** What shows banners on macOS. */
const MAC_NOTIFIER = 'node_modules/node-notifier';
const FILES = [
  'package.json',
  'assets/mac-tray.js',
  // From it the addon is found.
  'node_modules/node-pty/package.json',
  'node_modules/node-pty/index.js',
];

/**
 * What an executable carries: the list of its files as an asset of its own, and the files.
 * @returns assets by name: paths of files
 */
export function packFiles({ platform, arch, systray }, work, cache) {
  const sources = [
    ...FOLDERS.flatMap(listFiles),
    ...FILES,
    ...(systray === null
      ? []
      : ['node_modules/systray2/package.json', `node_modules/systray2/traybin/${systray}`]),
    ...(platform === 'darwin'
      ? [`${MAC_NOTIFIER}/package.json`, ...listFiles(`${MAC_NOTIFIER}/vendor/mac.noindex`)]
      : []),
  ].map((path) => [path, join(ROOT, path)]);
  for (const [path, source] of listPtyFiles(platform, arch, cache)) sources.push([path, source]);

  const files = sources
    .map(([path, source]) => {
      const bytes = readFileSync(source);
      const sha256 = createHash('sha256').update(bytes).digest('hex');
      const mode = (statSync(source).mode & 0o100) === 0 ? 0o600 : 0o700;
      return { path, sha256, size: bytes.length, mode };
    })
    .sort((one, other) => (one.path < other.path ? -1 : 1));
  const { version } = readJson('package.json');
  const digest = createHash('sha256').update(JSON.stringify(files)).digest('hex');
  const list = join(work, 'pack.json');
  writeFileSync(list, JSON.stringify({ name: `${version}-${digest.slice(0, 12)}`, files }));
  return { 'pack.json': list, ...Object.fromEntries(sources) };
}

/** The addon for the target, at the version and of the bytes that package-lock.json says. */
function listPtyFiles(platform, arch, cache) {
  const name = `@lydell/node-pty-${platform}-${arch}`;
  const { version, integrity } = readJson('package-lock.json').packages[`node_modules/${name}`];
  const folder = fetchPackage(name, version, integrity, cache);
  return readdirSync(folder)
    .filter((file) => ['package.json', 'pty.node', 'spawn-helper'].includes(file))
    .map((file) => [`node_modules/${name}/${file}`, join(folder, file)]);
}

function listFiles(folder) {
  const entries = readdirSync(join(ROOT, folder), { withFileTypes: true });
  return entries.flatMap((entry) => {
    const path = `${folder}/${entry.name}`;
    return entry.isDirectory() ? listFiles(path) : [path];
  });
}

function readJson(path) {
  return JSON.parse(readFileSync(join(ROOT, path), 'utf8'));
}
