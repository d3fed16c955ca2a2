/**
 * The flags of the sandy last asked, kept because `--print-schema` takes seconds. Whatever is wrong
 * with the file, sandy is asked again and the file written anew: nothing in it is worth keeping.
 */

import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import * as z from 'zod/mini';
import { writeFileAtomically } from '../system/files.ts';
import type { SandySchema } from './capabilities.ts';
import { type FileIdentity, isSameFile } from './finding.ts';

const FILE_NAME = 'sandy-schema.json';
const FORMAT = 1;

const cacheSchema = z.object({
  format: z.literal(FORMAT),
  version: z.string(),
  file: z.object({
    realPath: z.string(),
    device: z.number(),
    inode: z.number(),
    modifiedAt: z.number(),
    bytes: z.number(),
  }),
  schema: z.object({ schemaVersion: z.nullable(z.int()), flags: z.array(z.string()) }),
});

/** Which sandy a cached schema is about: its full version, and the very file that printed it. */
export interface CacheKey {
  readonly version: string;
  readonly file: FileIdentity;
}

/** The kept schema of exactly this sandy, or null. */
export async function readCachedSchema(
  stateFolder: string,
  key: CacheKey,
): Promise<SandySchema | null> {
  const cached = cacheSchema.safeParse(await readJson(join(stateFolder, FILE_NAME)));
  if (!cached.success) return null;
  const { version, file, schema } = cached.data;
  return version === key.version && isSameFile(file, key.file) ? schema : null;
}

/** Keeps a schema in place of any other. A disk that takes nothing only costs time at the next start. */
export async function writeCachedSchema(
  stateFolder: string,
  key: CacheKey,
  schema: SandySchema,
): Promise<void> {
  const cache: z.infer<typeof cacheSchema> = {
    format: FORMAT,
    version: key.version,
    file: key.file,
    schema: { schemaVersion: schema.schemaVersion, flags: [...schema.flags] },
  };
  await writeFileAtomically(join(stateFolder, FILE_NAME), `${JSON.stringify(cache)}\n`);
}

async function readJson(path: string): Promise<unknown> {
  try {
    return JSON.parse(await readFile(path, 'utf8'));
  } catch {
    return null;
  }
}
