import type { FoldersOutcome } from './paths.ts';
import type { UnpackOutcome } from './unpacking.ts';

/** Why there is no folder with the program's files. */
export type NoResources =
  | Exclude<UnpackOutcome, { readonly kind: 'unpacked' }>
  | Exclude<FoldersOutcome, { readonly kind: 'found' }>;

/** An executable could not unpack its files. The message says why and what to do. */
export class ResourcesError extends Error {}
