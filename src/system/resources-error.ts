/** An executable could not unpack its files. The message says why and what to do. */
export class ResourcesError extends Error {}
