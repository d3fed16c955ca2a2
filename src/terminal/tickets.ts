/**
 * Tickets: how a window that another program opens for us learns which session it is for, although
 * nothing but a few letters may cross into that program. A ticket is a file for this user alone; the
 * word that crosses names it. Whoever renames the file has taken the ticket, and only one process can.
 */

import { randomBytes } from 'node:crypto';
import {
  existsSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  unlinkSync,
} from 'node:fs';
import { isAbsolute, join } from 'node:path';
import * as z from 'zod/mini';
import {
  errorCodeOf,
  ignoreFileError,
  type WriteOutcome,
  writeFileAtomicallyNow,
} from '../system/files.ts';

/** What a window is for. */
export type Errand =
  | {
      readonly kind: 'attach';
      /** Null: a workspace in which no session was ever seen. */
      readonly key: string | null;
      readonly workspace: string;
      /** The person asked for it to be started there, where it does not run. */
      readonly startsFirst?: boolean | undefined;
    }
  /** The person chooses the session in the window; those of `first` are listed before the others. */
  | { readonly kind: 'choose'; readonly first: readonly string[] }
  /** Something to read. */
  | { readonly kind: 'read'; readonly page: 'log' | 'doctor' }
  /** What the run with this id printed, or prints. */
  | { readonly kind: 'read-run'; readonly id: string };

export interface TicketContent {
  readonly errand: Errand;
  /** What the window's process must be run with, whatever its terminal hands it. */
  readonly variables: Readonly<Record<string, string>>;
  /** Wall clock, ms. */
  readonly createdAt: number;
  /** Wall clock, ms: not good from then on. */
  readonly expiresAt: number;
}

/** How long a ticket is good, before the time scale. */
export const TICKET_LIFE_MS = 60_000;

const FOLDER = 'tickets';
const WORD = /^([0-9a-f]{32})-([A-Za-z0-9_-]+)$/;

/** Variables that lead to our folders and our sandy: a terminal may hand on those of its first window. */
const CARRIED = /^(SANDY_TRAY_[A-Z_]+|XDG_CONFIG_HOME|XDG_STATE_HOME)$/;

/** Those of an environment that a ticket carries. */
export function pickCarried(
  environment: Readonly<Record<string, string | undefined>>,
): Record<string, string> {
  return Object.fromEntries(
    Object.entries(environment).filter(
      (entry): entry is [string, string] => entry[1] !== undefined && CARRIED.test(entry[0]),
    ),
  );
}

/** Makes an environment, such as `process.env`, the one that a ticket carries; other variables stay. */
export function adoptCarried(
  environment: Record<string, string | undefined>,
  { variables }: Pick<TicketContent, 'variables'>,
): void {
  for (const name of Object.keys(environment)) if (CARRIED.test(name)) delete environment[name];
  for (const [name, value] of Object.entries(pickCarried(variables))) environment[name] = value;
}

/** A ticket that was written and is to be taken by a window. */
export interface IssuedTicket {
  /** What crosses into the terminal: letters, digits, `-` and `_`. */
  readonly word: string;
  /** In the folder of the tickets, with this ending; goes when the ticket is old. */
  readonly nameFile: (ending: string) => string;
  readonly isTaken: () => boolean;
  /** From now on nobody can take it, unless somebody has. */
  readonly withdraw: () => 'withdrawn' | 'taken';
}

export type Issuing =
  | { readonly kind: 'issued'; readonly ticket: IssuedTicket }
  | (WriteOutcome & { readonly kind: 'not-written' });

/** Writes a ticket, and removes what tickets older than `lifeMs` left behind. */
export function issueTicket(
  stateFolder: string,
  content: Omit<TicketContent, 'createdAt' | 'expiresAt'>,
  { nowMs, lifeMs }: { readonly nowMs: number; readonly lifeMs: number },
): Issuing {
  const folder = join(stateFolder, FOLDER);
  removeLeftovers(folder, nowMs - lifeMs);
  const id = randomBytes(16).toString('hex');
  const nameFile = (ending: string) => join(folder, `${id}.${ending}`);
  const full: TicketContent = { ...content, createdAt: nowMs, expiresAt: nowMs + lifeMs };
  try {
    mkdirSync(folder, { recursive: true, mode: 0o700 });
  } catch (error) {
    return { kind: 'not-written', errorCode: errorCodeOf(error) };
  }
  const written = writeFileAtomicallyNow(nameFile('ticket'), JSON.stringify(full));
  if (written.kind === 'not-written') return written;
  const isTaken = () => existsSync(nameFile('taken'));
  return {
    kind: 'issued',
    ticket: {
      // The folder is in it: the variables that lead there may be those of another window.
      word: `${id}-${Buffer.from(stateFolder).toString('base64url')}`,
      nameFile,
      isTaken,
      withdraw: () => {
        rmSync(nameFile('ticket'), { force: true });
        return isTaken() ? 'taken' : 'withdrawn';
      },
    },
  };
}

/** What a window got for the word that it was started with. */
export type Taking =
  | { readonly kind: 'taken'; readonly content: TicketContent }
  /** No word of ours, used before, withdrawn, or removed. */
  | { readonly kind: 'unknown' }
  | { readonly kind: 'expired' };

const contentSchema: z.ZodMiniType<TicketContent> = z.object({
  errand: z.discriminatedUnion('kind', [
    z.object({
      kind: z.literal('attach'),
      key: z.nullable(z.string()),
      workspace: z.string(),
      startsFirst: z.optional(z.boolean()),
    }),
    z.object({ kind: z.literal('choose'), first: z.readonly(z.array(z.string())) }),
    z.object({ kind: z.literal('read'), page: z.enum(['log', 'doctor']) }),
    z.object({ kind: z.literal('read-run'), id: z.string() }),
  ]),
  variables: z.record(z.string(), z.string()),
  createdAt: z.number(),
  expiresAt: z.number(),
});

/** Takes the ticket that a word names: of all who try, one gets it. */
export function takeTicket(word: string, nowMs: number): Taking {
  const [, id, place = ''] = WORD.exec(word) ?? [];
  const stateFolder = Buffer.from(place, 'base64url').toString();
  if (id === undefined || !isAbsolute(stateFolder) || stateFolder.includes('\0')) {
    return { kind: 'unknown' };
  }
  const folder = join(stateFolder, FOLDER);
  const taken = join(folder, `${id}.taken`);
  try {
    renameSync(join(folder, `${id}.ticket`), taken);
  } catch (error) {
    ignoreFileError(error);
    return { kind: 'unknown' };
  }
  const content = readContent(taken);
  if (content === null) return { kind: 'unknown' };
  // A clock that was set back by as much says nothing either.
  const { createdAt, expiresAt } = content;
  const isGood = Math.abs(nowMs - createdAt) < expiresAt - createdAt;
  return isGood ? { kind: 'taken', content } : { kind: 'expired' };
}

function readContent(path: string): TicketContent | null {
  try {
    // It says which sandy to run: another user's word for it is none.
    if (lstatSync(path).uid !== process.getuid?.()) return null;
    const parsed = contentSchema.safeParse(JSON.parse(readFileSync(path, 'utf8')));
    return parsed.success ? parsed.data : null;
  } catch {
    // Written in one step by us, so only by another's hand is it no JSON, or gone.
    return null;
  }
}

/** Tickets, taken ones, and what terminals printed, of openers that are gone. What can't be removed stays. */
function removeLeftovers(folder: string, beforeMs: number): void {
  let names: string[];
  try {
    names = readdirSync(folder);
  } catch (error) {
    ignoreFileError(error);
    return;
  }
  for (const name of names) {
    try {
      const path = join(folder, name);
      if (statSync(path).mtimeMs < beforeMs) unlinkSync(path);
    } catch (error) {
      // Another opener was faster.
      ignoreFileError(error);
    }
  }
}
