import { createHash } from 'node:crypto';
import type { Pack } from '../../src/system/pack.ts';

const contents: Readonly<Record<string, { readonly bytes: Buffer; readonly mode: number }>> = {
  'assets/icon.png': { bytes: Buffer.alloc(3_000, 'icon'), mode: 0o600 },
  'node_modules/addon/addon.node': { bytes: Buffer.alloc(500_000, 'addon'), mode: 0o700 },
  'package.json': { bytes: Buffer.from('{}\n'), mode: 0o600 },
};

/** What an executable might carry. */
export function samplePack(version = '1.2.3'): Pack {
  const files = Object.entries(contents).map(([path, { bytes, mode }]) => ({
    path,
    sha256: createHash('sha256').update(bytes).digest('hex'),
    size: bytes.length,
    mode,
  }));
  return {
    name: `${version}-0123456789ab`,
    files,
    read: (path) => contents[path]?.bytes ?? Buffer.alloc(0),
  };
}
