import { watch } from 'node:fs';
import { basename, dirname } from 'node:path';

/** Calls `onChange` when this file is written or replaced; a folder that can't be watched gives nothing. */
export function watchFile(path: string, onChange: () => void): () => void {
  try {
    const name = basename(path);
    const watcher = watch(dirname(path), { persistent: false }, (_event, changed) => {
      if (changed === null || changed === name) onChange();
    });
    watcher.on('error', () => watcher.close());
    return () => watcher.close();
  } catch {
    return () => {};
  }
}
