/** What a person is told of a tray that can't be shown. */

import { cleanForeignText } from '../system/foreign-text.ts';
import type { HelperReason } from './helper-process.ts';
import { helperReasons } from './texts.ts';

const DETAIL_CHARACTERS = 200;

/** One sentence on what is wrong and one on what to do. */
export function describeReason({ kind, detail }: HelperReason): string {
  return helperReasons[kind](cleanForeignText(detail, DETAIL_CHARACTERS).trim());
}
