/**
 * One-file executables, in packages: Node with the program and its files inside.
 *
 *     node .packaging/executable.mjs [TARGET…|--all]
 *
 * Without a target: for this machine. What is for macOS has to be signed there before it runs.
 */

import { execFileSync } from 'node:child_process';
import { chmodSync, copyFileSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { inject } from 'postject';
import { bundleExecutable, ROOT } from './bundling.mjs';
import { packFiles } from './packing.mjs';
import { fetchPackage } from './registry.mjs';
import { nameHost, nameMaker, targets } from './targets.mjs';

const OUT = join(ROOT, 'packages');
const CACHE = join(OUT, 'cache');
const FUSE = 'NODE_SEA_FUSE_fce680ab2cc467b6e072b8b5df1996b2';

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { all: { type: 'boolean' } },
});
const host = nameHost();
const wanted = values.all ? Object.keys(targets) : positionals.length > 0 ? positionals : [host];
const unknown = wanted.find((name) => targets[name] === undefined);
if (unknown !== undefined || host === undefined) {
  throw new Error(
    `There is no target "${unknown}". There are: ${Object.keys(targets).join(', ')}.`,
  );
}
for (const name of wanted) await makeExecutable(name);

async function makeExecutable(name) {
  const target = targets[name];
  const work = join(OUT, 'work', name);
  rmSync(work, { recursive: true, force: true });
  mkdirSync(work, { recursive: true });
  const main = join(work, 'main.cjs');
  await bundleExecutable(main, target.node.version);

  const maker = findNode(nameMaker(host, name));
  const base = findNode(target.node);
  const blob = join(work, 'main.blob');
  const settings = {
    main,
    output: blob,
    assets: packFiles(target, work, CACHE),
    disableExperimentalSEAWarning: true,
    useSnapshot: false,
    // Compiled code is for the very Node that compiled it.
    useCodeCache: maker === base,
    // What NODE_OPTIONS says is meant for another program.
    execArgvExtension: 'none',
  };
  const config = join(work, 'sea.json');
  writeFileSync(config, JSON.stringify(settings, null, 2));
  execFileSync(maker, ['--experimental-sea-config', config], { stdio: 'inherit' });

  const isMac = target.platform === 'darwin';
  const out = join(OUT, `sandy-tray-${name}`);
  rmSync(out, { force: true });
  copyFileSync(base, out);
  chmodSync(out, 0o755);
  // It would not fit any more, and the tool that writes into it can't keep it.
  if (isMac && process.platform === 'darwin') {
    execFileSync('codesign', ['--remove-signature', out], { stdio: 'inherit' });
  }
  await inject(out, 'NODE_SEA_BLOB', readFileSync(blob), {
    sentinelFuse: FUSE,
    ...(isMac ? { machoSegmentName: 'NODE_SEA' } : {}),
  });
  rmSync(work, { recursive: true, force: true });
  process.stdout.write(`${out}\n`);
}

function findNode({ name, version, integrity }) {
  return join(fetchPackage(name, version, integrity, CACHE), 'bin', 'node');
}
