export function nameCommit(folder: string): string | null;
