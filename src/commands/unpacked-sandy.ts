import { createRequire as makeRequire } from 'node:module';

const SANDY = 'fixtures/fake-sandy/sandy';

/**
 * Plays the make-believe sandy where an executable was called as Node would be to run it, by the path of its
 * script: there need be no Node on the machine. Only our own unpacked file is run so. False: it was not.
 */
export async function playUnpackedSandy([script = '']: readonly string[]): Promise<boolean> {
  if (!script.endsWith(`/${SANDY}`)) return false;
  const { isUnpackedResource } = await import('../system/resources.ts');
  if (!isUnpackedResource(script, SANDY)) return false;
  // As Node sets it for a script.
  process.argv.splice(1, 1);
  makeRequire(script)(script);
  return true;
}
