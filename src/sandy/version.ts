/** What `sandy --version` printed: `X.Y.Z`, maybe `-dev` or `-rcN`, maybe a commit's hash. */
export interface SandyVersion {
  /** The whole of it. Two builds with the same numbers are different versions. */
  readonly full: string;
  readonly numbers: VersionNumbers;
  /** A `-dev` or `-rc` build comes before the release with its numbers. */
  readonly prerelease: boolean;
}

export type VersionNumbers = readonly [major: number, minor: number, patch: number];

/** The first sandy that has `--print-schema` and `--print-state`. An older one takes them for its agent's. */
export const FIRST_WITH_STATE: VersionNumbers = [0, 12, 0];

/** The first sandy whose `--print-state` has a light mode. */
export const FIRST_WITH_LIGHT: VersionNumbers = [1, 0, 0];

const VERSION_LINE = /^sandy v?((\d{1,6})\.(\d{1,6})\.(\d{1,6})(-(?:dev|rc)[^\s-]*)?\S*)\s*$/m;

/** Finds the version in what `sandy --version` printed; null when the program isn't sandy. */
export function parseVersion(stdout: string): SandyVersion | null {
  const [, full, major, minor, patch, suffix] = VERSION_LINE.exec(stdout) ?? [];
  if (full === undefined) return null;
  return {
    full,
    numbers: [Number(major), Number(minor), Number(patch)],
    prerelease: suffix !== undefined,
  };
}

/** Whether `version` is `wanted` or newer. */
export function isAtLeast(version: SandyVersion, wanted: VersionNumbers): boolean {
  for (const [place, number] of version.numbers.entries()) {
    const other = wanted[place] ?? 0;
    if (number !== other) return number > other;
  }
  return !version.prerelease;
}
