import * as z from 'zod/mini';
import type { Capabilities } from '../fleet/observation.ts';
import { parseJsonDocument } from './json-document.ts';

/** What we need of `sandy --print-schema`. */
export interface SandySchema {
  readonly schemaVersion: number | null;
  /** Every flag that this sandy says it has. */
  readonly flags: readonly string[];
}

const flagSchema = z.object({ name: z.string().check(z.startsWith('--')) });
const versionSchema = z.int();

/** Reads the flags out of a schema document; null when it has no list of them. */
export function parseSchema(stdout: string): SandySchema | null {
  const document = parseJsonDocument(stdout);
  const list = document?.cli_flags;
  if (!Array.isArray(list)) return null;
  const flags = list.flatMap((entry: unknown) => {
    const flag = flagSchema.safeParse(entry);
    return flag.success ? [flag.data.name] : [];
  });
  const version = versionSchema.safeParse(document?.schema_version);
  return { schemaVersion: version.success ? version.data : null, flags };
}

/**
 * What sandy can do, by its own list of flags and nothing else. Version numbers can't tell: builds
 * between two releases have what their number doesn't say. No list, no capability: nothing is asked that
 * might launch a container, though it may be one that has all of them.
 */
export function deriveCapabilities(schema: SandySchema | null): Capabilities {
  const flags = new Set(schema?.flags);
  return {
    attach: flags.has('--attach'),
    start: flags.has('--start'),
    stop: flags.has('--stop'),
    updateSessions: flags.has('--update-sessions'),
  };
}
