import { readdir, readFile } from 'node:fs/promises';
import { cleanForeignText } from '../system/foreign-text.ts';
import { isPacked, resourcePath } from '../system/resources.ts';
import { runChild } from '../system/spawning.ts';
import { chooseTrays } from '../tray/choosing.ts';
import type { Preparation } from '../tray/helper-process.ts';
import { prepareMacScript } from '../tray/mac-menu-bar.ts';
import { describeReason } from '../tray/reasons.ts';
import { findSystrayBinary, installSystrayBinary } from '../tray/systray-binary.ts';
import { playDemo } from './demo-story.ts';
import { advice, type Check, command, fail, ok, warn } from './doctor-check.ts';
import { selftestTexts } from './selftest-texts.ts';
import { texts } from './texts.ts';
import { fullVersion } from './version.ts';

const PNG_BEGINS = Buffer.from('\x89PNG\r\n\x1a\n', 'latin1');
/** The program's files that are no pictures, of each kind one. */
const TEXTS = [
  'assets/mac-tray.js',
  'fixtures/fake-sandy/sandy',
  'systemd/sandy-tray.service',
  'launchd/dev.sandy.tray.plist',
];
/** Longer than it takes to find that it has no display. */
const HELPER_LIMIT_MS = 3_000;

const INSTALL_AGAIN = advice(selftestTexts.installAgain);
const TRY_AGAIN = command(selftestTexts.tryAgain);

/** What this is. */
export function checkBuild(): Check {
  const { platform, arch, versions } = process;
  const made = isPacked() ? selftestTexts.executable : selftestTexts.package;
  const fact = `sandy-tray ${fullVersion}, ${made}, Node ${versions.node}, ${platform}-${arch}`;
  return ok('build', fact);
}

/** Whether the program's own files are there and can be read. Throws `ResourcesError`. */
export async function checkFiles(): Promise<Check> {
  const folder = resourcePath();
  try {
    const names = (await readdir(resourcePath('assets', 'icons'))).filter(isPng);
    for (const name of names) {
      const bytes = await readFile(resourcePath('assets', 'icons', name));
      if (!bytes.subarray(0, PNG_BEGINS.length).equals(PNG_BEGINS)) {
        return fail('files', selftestTexts.noPicture(name), INSTALL_AGAIN);
      }
    }
    const read = await Promise.all(TEXTS.map((path) => readFile(resourcePath(path))));
    if (names.length === 0 || read.some((bytes) => bytes.length === 0)) {
      return fail('files', selftestTexts.filesMissing(folder), INSTALL_AGAIN);
    }
    return ok('files', selftestTexts.filesRead(folder, names.length + TEXTS.length));
  } catch (error) {
    return fail('files', cleanForeignText((error as Error).message), INSTALL_AGAIN);
  }
}

function isPng(name: string): boolean {
  return name.endsWith('.png');
}

/** Whether the program that draws the icon, where one is needed, can be started. */
export async function checkHelper(folder: string): Promise<Check> {
  const { platform, arch } = process;
  const kind = chooseTrays({ choice: 'auto', platform, arch }).find(
    (each) => each !== 'status-notifier',
  );
  if (kind === undefined) return ok('helper', selftestTexts.helperNotNeeded);
  const prepared = kind === 'jxa' ? await prepareMacScript(process.env) : await install(folder);
  if (prepared.kind === 'refused') {
    const sentence = describeReason(prepared.reason);
    return prepared.reason.kind === 'no-desktop'
      ? warn('helper', sentence, null)
      : fail('helper', sentence, INSTALL_AGAIN);
  }
  // It gets no display: how it says so shows that it runs, and nothing is drawn.
  const outcome = await runChild({
    ...prepared.command,
    cwd: '/',
    limitMs: HELPER_LIMIT_MS,
    maxOutputBytes: 1024 * 1024,
    killing: 'child',
  });
  switch (outcome.kind) {
    case 'exited':
    case 'signalled':
    case 'timed-out': {
      const library = /loading shared libraries: ([^\s:]+)/.exec(outcome.stderrTail)?.[1];
      if (library === undefined) return ok('helper', selftestTexts.helperStarted);
      return warn('helper', describeReason({ kind: 'missing-library', detail: library }), null);
    }
    default:
      return fail(
        'helper',
        describeReason({ kind: 'not-started', detail: outcome.kind }),
        INSTALL_AGAIN,
      );
  }
}

async function install(folder: string): Promise<Preparation> {
  const { platform } = process;
  const outcome = await installSystrayBinary(findSystrayBinary(platform), platform, folder);
  if (outcome.kind === 'refused') return outcome;
  return { kind: 'prepared', command: { file: outcome.path, args: [], environment: {} } };
}

/** Plays the demo unseen, with a PATH that has nothing on it, least of all a Node. */
export async function checkDemo(interrupted: AbortSignal): Promise<Check> {
  process.env.PATH = '/nonexistent';
  const unseen = { say() {}, notify() {}, show() {}, close() {} };
  const end = await playDemo(interrupted, unseen);
  switch (end) {
    case 'played':
      return ok('demo', selftestTexts.demoPlayed);
    case 'interrupted':
      return fail('demo', selftestTexts.demoInterrupted, TRY_AGAIN);
    case 'stuck':
      return fail('demo', texts.demoStuck, TRY_AGAIN);
    case 'agent-ended':
      return fail('demo', selftestTexts.demoAgentEnded, INSTALL_AGAIN);
  }
}
