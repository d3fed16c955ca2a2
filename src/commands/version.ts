import packageJson from '../../package.json' with { type: 'json' };

/** The version of this build. */
export const version: string = packageJson.version;

/** Written in by the build: the commit, where it was made from one. */
declare const SANDY_TRAY_COMMIT: string | null | undefined;

/** The version and, where it is known, the commit that this was built from. */
export const fullVersion: string =
  typeof SANDY_TRAY_COMMIT === 'string' ? `${version} (${SANDY_TRAY_COMMIT})` : version;
