/** Text in the three languages of service files. What one of them can't hold is refused before. */

/** C0 and C1 control characters and what is no character: no service file holds all of them. */
const UNWRITABLE = /[\u0000-\u001f\u007f-\u009f\ufffe\uffff]|\p{Surrogate}/u;

/** Whether a text can stand in every kind of service file. */
export function isWritable(text: string): boolean {
  return !UNWRITABLE.test(text);
}

/**
 * Whether systemd runs a program of this path: it unquotes the path, and then refuses one with quotes or
 * backslashes in it; a dollar sign would be read as a variable in the name that the program is given.
 */
export function isRunnableBySystemd(path: string): boolean {
  return !/["'\\$]/.test(path);
}

/** Whether a desktop runs a program of this path: to `env` one with an equals sign is a variable. */
export function isRunnableByDesktop(path: string): boolean {
  return !path.includes('=');
}

/** One word or assignment of a unit file (systemd.syntax(7)), in which no specifier is expanded. */
export function quoteForUnit(text: string): string {
  return `"${text.replace(/["\\]/g, '\\$&').replaceAll('%', '%%')}"`;
}

/** An argument of `ExecStart=` (systemd.service(5)), where `$` would also begin a variable. */
export function quoteForExecStart(text: string): string {
  return quoteForUnit(text).replaceAll('$', '$$$$');
}

/** An argument of `Exec=` in a desktop entry: quoted as an argument, and that again as a string. */
export function quoteForDesktop(text: string): string {
  const argument = `"${text.replace(/["`$\\]/g, '\\$&').replaceAll('%', '%%')}"`;
  return argument.replaceAll('\\', '\\\\');
}

/** The content of an XML element. */
export function escapeForXml(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
}
