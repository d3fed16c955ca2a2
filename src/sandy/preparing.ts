import { stat } from 'node:fs/promises';
import type { SandyInfo } from '../fleet/observation.ts';
import { type ChildOutcome, runChild } from '../system/spawning.ts';
import { deriveCapabilities, parseSchema, type SandySchema } from './capabilities.ts';
import {
  findHome,
  type ReadySandy,
  type Sandy,
  type SandyMemory,
  type SandyReadiness,
  warnOnce,
} from './client.ts';
import {
  ASKING_VARIABLE,
  composeEnvironment,
  dropOwnVariables,
  type Environment,
  listUsualFolders,
  needsLoginShell,
  splitPath,
} from './environment.ts';
import { type FileIdentity, findSandy, hasProgram, identifyFile, isSameFile } from './finding.ts';
import { askLoginShell } from './login-shell.ts';
import { readCachedSchema, writeCachedSchema } from './schema-cache.ts';
import { texts } from './texts.ts';
import { describeTrouble, type SandyTrouble } from './trouble.ts';
import { FIRST_WITH_LIGHT, FIRST_WITH_STATE, isAtLeast, parseVersion } from './version.ts';

const VERSION_LIMIT_MS = 10_000;
/** It takes 1 to 3 s on an idle machine. */
const SCHEMA_LIMIT_MS = 30_000;
const VERSION_MAX_BYTES = 64 * 1024;
const SCHEMA_MAX_BYTES = 4 * 1024 * 1024;

/**
 * Finds sandy and learns what it can do; cheap when nothing has changed since the last call. What
 * failed for reasons that may pass (the login shell, the schema) is tried again with `retry`.
 *
 * sandy takes a flag that it doesn't know for its agent's and launches a container. So the order is:
 * `--version`, which every sandy has; then, only if that names a version that has it,
 * `--print-schema`; and what that doesn't list is never asked.
 */
export function prepareSandy(
  sandy: Sandy,
  { retry = false }: { readonly retry?: boolean } = {},
): Promise<SandyReadiness> {
  const { memory } = sandy;
  memory.preparing ??= prepare(sandy, retry).finally(() => {
    memory.preparing = null;
  });
  return memory.preparing;
}

/** The same for what this sandy is to be asked to do: one that could not say what it can do is asked once more. */
export async function prepareToAct(sandy: Sandy): Promise<SandyReadiness> {
  const ready = await prepareSandy(sandy);
  const isMute = ready.kind === 'ready' && !ready.info.schemaRead;
  return isMute ? prepareSandy(sandy, { retry: true }) : ready;
}

/**
 * Takes over what another process of ours has learnt of a sandy, so that it need not be asked again. It
 * holds for the file as it is now; where that is not the sandy that would be found here, it is unused.
 */
export async function adoptSandy(sandy: Sandy, info: SandyInfo): Promise<void> {
  const file = await identifyFile(info.path);
  const version = parseVersion(`sandy ${info.version}`);
  if (file === null || version === null) return;
  const hasLightMode = isAtLeast(version, FIRST_WITH_LIGHT);
  sandy.memory.known = { file, info, hasLightMode };
}

async function prepare(sandy: Sandy, retry: boolean): Promise<SandyReadiness> {
  const { options, memory } = sandy;
  const cwd = await chooseFolder(findHome(sandy));
  if (memory.environment === null || (retry && memory.environment.loginShellFailed)) {
    memory.environment = await makeEnvironment(sandy, cwd);
  }
  const environment = memory.environment.value;
  const finding = await findSandy({
    setting: options.sandyPath,
    variable: options.environment.SANDY_TRAY_SANDY,
    folders: splitPath(environment.PATH),
  });
  if (finding.kind === 'not-found') return describeTrouble(finding);
  const file = await identifyFile(finding.path);
  if (file === null) return describeTrouble({ kind: 'vanished', path: finding.path });

  const place: Place = { path: finding.path, environment, cwd };
  const { known } = memory;
  if (
    known === null ||
    known.info.path !== finding.path ||
    !isSameFile(known.file, file) ||
    (retry && !known.info.schemaRead)
  ) {
    const probe = await probeSandy(sandy, place, file);
    if (probe.kind === 'trouble') {
      memory.known = null;
      return describeTrouble(probe.trouble);
    }
    memory.known = probe.known;
    return makeReady(probe.known, place);
  }
  return makeReady(known, place);
}

interface Place {
  readonly path: string;
  readonly environment: Environment;
  readonly cwd: string;
}

type Known = NonNullable<SandyMemory['known']>;

function makeReady({ info, hasLightMode }: Known, { environment, cwd }: Place): ReadySandy {
  return { kind: 'ready', info, hasLightMode, environment, cwd };
}

type Probe =
  | { readonly kind: 'known'; readonly known: Known }
  | { readonly kind: 'trouble'; readonly trouble: SandyTrouble };

async function probeSandy(sandy: Sandy, place: Place, file: FileIdentity): Promise<Probe> {
  const { path } = place;
  const answer = await askSandy(place, '--version', VERSION_LIMIT_MS, VERSION_MAX_BYTES);
  if (answer.kind !== 'exited' || answer.code !== 0) {
    return {
      kind: 'trouble',
      trouble: { kind: 'command-failed', command: 'sandy --version', outcome: answer },
    };
  }
  const version = parseVersion(answer.stdout);
  if (version === null) {
    return { kind: 'trouble', trouble: { kind: 'not-sandy', path, printed: answer.stdout } };
  }
  if (!isAtLeast(version, FIRST_WITH_STATE)) {
    return { kind: 'trouble', trouble: { kind: 'too-old', path, version: version.full } };
  }
  const schema = await learnSchema(sandy, place, { version: version.full, file });
  if (schema === null) {
    warnOnce(sandy, { id: `print-schema ${version.full}`, text: texts.schemaUnreadable });
  }
  const info: SandyInfo = {
    path,
    version: version.full,
    schemaVersion: schema?.schemaVersion ?? null,
    schemaRead: schema !== null,
    capabilities: deriveCapabilities(schema),
  };
  const hasLightMode = isAtLeast(version, FIRST_WITH_LIGHT);
  return { kind: 'known', known: { file, info, hasLightMode } };
}

async function learnSchema(
  sandy: Sandy,
  place: Place,
  key: { readonly version: string; readonly file: FileIdentity },
): Promise<SandySchema | null> {
  const { stateFolder } = sandy.options;
  const cached = stateFolder === null ? null : await readCachedSchema(stateFolder, key);
  if (cached !== null) return cached;
  const answer = await askSandy(place, '--print-schema', SCHEMA_LIMIT_MS, SCHEMA_MAX_BYTES);
  const schema = answer.kind === 'exited' && answer.code === 0 ? parseSchema(answer.stdout) : null;
  if (schema !== null && stateFolder !== null) await writeCachedSchema(stateFolder, key, schema);
  return schema;
}

function askSandy(
  { path, environment, cwd }: Place,
  question: '--version' | '--print-schema',
  limitMs: number,
  maxOutputBytes: number,
): Promise<ChildOutcome> {
  return runChild({
    file: path,
    args: [question],
    environment,
    cwd,
    limitMs,
    maxOutputBytes,
    killing: 'child',
  });
}

async function makeEnvironment(
  sandy: Sandy,
  cwd: string,
): Promise<NonNullable<SandyMemory['environment']>> {
  const { options } = sandy;
  const own = dropOwnVariables(options.environment);
  const home = findHome(sandy);
  const folders = [...splitPath(own.PATH), ...listUsualFolders(home)];
  const finding = await findSandy({
    setting: options.sandyPath,
    variable: own.SANDY_TRAY_SANDY,
    folders,
  });
  const ask = needsLoginShell({
    onTerminal: options.onTerminal,
    programsFound: finding.kind === 'found' && (await hasProgram('docker', folders)),
    insideLoginShell: own[ASKING_VARIABLE] !== undefined,
  });
  const login = ask ? await askLoginShell(own, cwd) : null;
  const loginShellFailed = ask && login === null;
  if (loginShellFailed) warnOnce(sandy, { id: 'login-shell', text: texts.loginShellFailed });
  return { value: composeEnvironment(own, login, home), loginShellFailed };
}

async function chooseFolder(home: string): Promise<string> {
  const found = await stat(home).catch(() => null);
  return found?.isDirectory() === true ? home : '/';
}
