import { cleanForeignText } from './foreign-text.ts';

/** One word of a shell's command line, whatever is in it. */
export function quoteForShell(word: string): string {
  return /^[A-Za-z0-9_./:@%+=,-]+$/.test(word) ? word : `'${word.replaceAll("'", `'\\''`)}'`;
}

/**
 * Text from outside as an operand of a command that a person may paste: never an option, and cut only where
 * no key or path is so long.
 */
export function quoteOperand(text: string): string {
  const shown = cleanForeignText(text, 1_000);
  return `${shown.startsWith('-') ? '-- ' : ''}${quoteForShell(shown)}`;
}
