import { execFileSync } from 'node:child_process';
import { mkdtempSync, realpathSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createFleet, destroyFleet } from '../../fixtures/fake-sandy/fleet.mjs';

/** A full print-state document of `version` with any number of sessions, each with its proxy. */
export async function makeStateTexts(version) {
  const dir = realpathSync(mkdtempSync(join(tmpdir(), 'sandy-tray-bench-')));
  try {
    const session = { name: 'NAME', stale: true, clients: 1, updatedAt: '2026-07-17T03:00:41Z' };
    const { sandy, sessions } = await createFleet(dir, { version, sessions: [session] });
    const key = sessions[0]?.key ?? '';
    const env = { HOME: dir, TZ: 'UTC', PATH: '/usr/bin:/bin' };
    const document = JSON.parse(execFileSync(sandy, ['--print-state'], { env, encoding: 'utf8' }));
    return (/** @type {number} */ count) => multiply(document, key, count);
  } finally {
    await destroyFleet(dir);
  }
}

function multiply(document, key, count) {
  const [sandbox] = document.sandboxes;
  const copies = Array.from({ length: count }, (_, place) => {
    const name = `session-${place.toString(16).padStart(8, '0')}`;
    const rename = (value) => JSON.parse(JSON.stringify(value).replaceAll(key, name));
    return {
      sandbox: { ...rename(sandbox), workspace_path: `/home/dev/projects/${name}` },
      containers: document.running_containers.map((container, at) => ({
        ...rename(container),
        id: (place * 2 + at).toString(16).padStart(12, '0'),
        // A third is stale, as after a release that not everybody uses.
        image_stale: container.daemon && place % 3 === 0,
      })),
    };
  });
  return JSON.stringify({
    ...document,
    sandboxes: copies.map((copy) => copy.sandbox),
    running_containers: copies.flatMap((copy) => copy.containers),
  });
}
