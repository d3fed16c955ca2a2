export const TERMINAL: { readonly entry: string; readonly folder: string };
export function nameCommit(folder: string): string | null;
export function bundlePackage(entry: string, folder: string): Promise<void>;
