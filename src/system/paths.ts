import { isAbsolute, join } from 'node:path';

/** Where the program keeps its things. On macOS, and under `SANDY_TRAY_DIR`, several are the same. */
export interface Folders {
  /** Preferences. */
  readonly config: string;
  /** Socket, lock files, ledger, run folders, caches. */
  readonly state: string;
  readonly logs: string;
}

/** The folders, or why they can't be named. */
export type FoldersOutcome =
  | { readonly kind: 'found'; readonly folders: Folders }
  | { readonly kind: 'wrong-own-folder'; readonly value: string }
  | { readonly kind: 'wrong-home'; readonly value: string | null };

export interface FoldersQuestion {
  readonly environment: Readonly<Record<string, string | undefined>>;
  /** The user's home folder, or null when nobody knows it. */
  readonly home: string | null;
  readonly platform: NodeJS.Platform;
}

const NAME = 'sandy-tray';

/**
 * Names the program's folders; creates nothing. `SANDY_TRAY_DIR` puts everything into one folder and
 * must be absolute: a relative one would be another folder for each caller. An XDG variable that is
 * empty or relative counts as not set, as the XDG base directory specification says.
 */
export function nameFolders({ environment, home, platform }: FoldersQuestion): FoldersOutcome {
  const own = environment.SANDY_TRAY_DIR;
  if (own !== undefined) {
    if (!isAbsolute(own)) return { kind: 'wrong-own-folder', value: own };
    return { kind: 'found', folders: { config: own, state: own, logs: own } };
  }
  if (platform === 'darwin') {
    if (home === null || !isAbsolute(home)) return { kind: 'wrong-home', value: home };
    const support = join(home, 'Library', 'Application Support', NAME);
    const logs = join(home, 'Library', 'Logs', NAME);
    return { kind: 'found', folders: { config: support, state: support, logs } };
  }
  const configBase = nameXdgBase(environment.XDG_CONFIG_HOME, home, ['.config']);
  const stateBase = nameXdgBase(environment.XDG_STATE_HOME, home, ['.local', 'state']);
  if (configBase === null || stateBase === null) return { kind: 'wrong-home', value: home };
  const state = join(stateBase, NAME);
  return { kind: 'found', folders: { config: join(configBase, NAME), state, logs: state } };
}

/** The folder for what the program unpacks, or why it can't be named. */
export type DataFolderOutcome =
  | { readonly kind: 'found'; readonly folder: string }
  | Exclude<FoldersOutcome, { readonly kind: 'found' }>;

/**
 * Names that folder by the same rules. It is not one of the caches, which a system may empty while somebody
 * runs from them.
 */
export function nameDataFolder(question: FoldersQuestion): DataFolderOutcome {
  const { environment, home, platform } = question;
  if (environment.SANDY_TRAY_DIR !== undefined || platform === 'darwin') {
    const outcome = nameFolders(question);
    return outcome.kind === 'found' ? { kind: 'found', folder: outcome.folders.state } : outcome;
  }
  const base = nameXdgBase(environment.XDG_DATA_HOME, home, ['.local', 'share']);
  if (base === null) return { kind: 'wrong-home', value: home };
  return { kind: 'found', folder: join(base, NAME) };
}

function nameXdgBase(
  value: string | undefined,
  home: string | null,
  usual: readonly string[],
): string | null {
  if (value !== undefined && isAbsolute(value)) return value;
  return home !== null && isAbsolute(home) ? join(home, ...usual) : null;
}
