import { readFileSync } from 'node:fs';
import { errorCodeOf } from '../system/files.ts';
import { parseJsonObject } from '../system/json-object.ts';

/** A JSON file of ours as it was found. Every one has a `format` number, which rises when it must. */
export type JsonFileRead =
  | { readonly kind: 'missing' }
  | { readonly kind: 'read'; readonly object: Readonly<Record<string, unknown>> }
  | ({ readonly kind: 'unusable' } & Unusable);

/** Why a file can't be used as it is. */
export type Unusable =
  | { readonly why: 'unreadable'; readonly errorCode: string }
  | { readonly why: 'broken' }
  /** A newer version of this program wrote it. */
  | { readonly why: 'newer' };

/** Reads a file that must hold an object of this format. Moves nothing. */
export function readJsonFile(path: string, format: number): JsonFileRead {
  let text: string;
  try {
    text = readFileSync(path, 'utf8');
  } catch (error) {
    const errorCode = errorCodeOf(error);
    if (errorCode === 'ENOENT') return { kind: 'missing' };
    return { kind: 'unusable', why: 'unreadable', errorCode };
  }
  return parseJsonFile(text, format);
}

/** The same from its text. */
function parseJsonFile(text: string, format: number): JsonFileRead {
  const object = parseJsonObject(text);
  if (object === null || typeof object.format !== 'number') {
    return { kind: 'unusable', why: 'broken' };
  }
  if (object.format > format) return { kind: 'unusable', why: 'newer' };
  return object.format === format ? { kind: 'read', object } : { kind: 'unusable', why: 'broken' };
}
