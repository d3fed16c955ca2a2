import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import {
  checkPreference,
  configFileName,
  type PreferencesRead,
  preferenceKeys,
  writePreference,
} from '../store/preferences.ts';
import { cleanForeignText } from '../system/foreign-text.ts';
import { parseArguments } from './arguments.ts';
import { exitCodes, UsageError } from './command.ts';
import { setUp } from './setup.ts';
import { texts } from './texts.ts';

export async function run(args: readonly string[]): Promise<number> {
  const { values: flags, positionals } = parseArguments(args, { json: { type: 'boolean' } });
  const [verb, key, value, ...more] = positionals;
  if (more.length > 0) throw new UsageError(texts.tooManyArguments);
  const { folders, preferencesRead } = setUp();
  if (verb === undefined) return show(preferencesRead, flags.json === true);
  if (verb === 'path' && key === undefined) {
    process.stdout.write(`${join(folders.config, configFileName)}\n`);
    return exitCodes.ok;
  }
  if (verb === 'get' && key !== undefined && value === undefined) return get(preferencesRead, key);
  if (verb === 'set' && key !== undefined && value !== undefined) {
    return await set(folders.config, key, value);
  }
  throw new UsageError(texts.wrongConfigVerb(verb));
}

function show({ values }: PreferencesRead, json: boolean): number {
  if (json) {
    process.stdout.write(`${JSON.stringify(Object.fromEntries(values))}\n`);
    return exitCodes.ok;
  }
  const width = Math.max(...preferenceKeys.map((key) => key.length));
  for (const [key, value] of values) {
    process.stdout.write(`${key.padEnd(width)}  ${cleanForeignText(JSON.stringify(value))}\n`);
  }
  return exitCodes.ok;
}

function get({ values }: PreferencesRead, key: string): number {
  if (!values.has(key)) {
    const checked = checkPreference(key, null);
    throw new UsageError(checked.kind === 'refused' ? checked.text : '');
  }
  process.stdout.write(`${JSON.stringify(values.get(key))}\n`);
  return exitCodes.ok;
}

async function set(folder: string, key: string, text: string): Promise<number> {
  const value = parseValue(text);
  const checked = checkPreference(key, value);
  if (checked.kind === 'refused') throw new UsageError(checked.text);
  try {
    mkdirSync(folder, { recursive: true, mode: 0o700 });
    await writePreference(folder, key, value);
    return exitCodes.ok;
  } catch (error) {
    const code = (error as NodeJS.ErrnoException).code;
    if (code === undefined) throw error;
    process.stderr.write(`${texts.notWritten(join(folder, configFileName), code)}\n`);
    return exitCodes.failed;
  }
}

/** JSON where it is JSON; anything else is plain text, so that paths need no quotes. */
function parseValue(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}
