import { readFileSync } from 'node:fs';
import { join } from 'node:path';

/** The service files that the package ships, in the folders at its top. */
export type TemplateName =
  | 'systemd/sandy-tray.service'
  | 'systemd/sandy-tray-update.service'
  | 'systemd/sandy-tray-update.timer'
  | 'systemd/sandy-tray.desktop'
  | 'launchd/dev.sandy.tray.plist'
  | 'launchd/dev.sandy.tray.update.plist';

/** Gives the text of a template. */
export type TemplateReader = (name: TemplateName) => string;

/** Reads templates from the package's folder. One that is missing is a broken package, and throws. */
export function readTemplatesFrom(packageRoot: string): TemplateReader {
  return (name) => readFileSync(join(packageRoot, name), 'utf8');
}

/**
 * Puts values in the places of `@NAME@`. A place without a value, or a value without a place, is a bug and
 * throws. What a value holds is never read as a place.
 */
export function fillTemplate(text: string, values: Readonly<Record<string, string>>): string {
  const unused = new Set(Object.keys(values));
  const filled = text.replace(/@([A-Z_]+)@/g, (_, name: string) => {
    const value = values[name];
    if (value === undefined) throw new Error(`a template names ${name}, which has no value`);
    unused.delete(name);
    return value;
  });
  if (unused.size > 0) throw new Error(`a template has no place for ${[...unused].join(', ')}`);
  return filled;
}
