import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  composeEnvironment,
  dropOwnVariables,
  listUsualFolders,
  needsLoginShell,
  parseLoginAnswer,
  splitPath,
} from '../../src/sandy/environment.ts';

const home = '/home/dev';

describe('our own variables', () => {
  it.each([
    'NODE_OPTIONS',
    'NODE_EXTRA_CA_CERTS',
    'NODE_CHANNEL_FD',
    'npm_config_registry',
    'npm_lifecycle_event',
    'INIT_CWD',
    'INVOCATION_ID',
    'JOURNAL_STREAM',
    'NOTIFY_SOCKET',
    'LISTEN_FDS',
    'WATCHDOG_USEC',
    'SYSTEMD_EXEC_PID',
    'MANAGERPID',
    'XPC_SERVICE_NAME',
    'DESKTOP_STARTUP_ID',
    'XDG_ACTIVATION_TOKEN',
    'MEMORY_PRESSURE_WATCH',
    'ELECTRON_RUN_AS_NODE',
  ])('%s is not handed on', (name) => {
    expect(dropOwnVariables({ [name]: 'x' })).toEqual({});
  });

  it.each([
    'DOCKER_HOST',
    'DOCKER_CONTEXT',
    'SANDY_HOME',
    'SANDY_TRAY_TIME_SCALE',
    'ANTHROPIC_API_KEY',
    'CLAUDE_CODE_OAUTH_TOKEN',
    'GH_TOKEN',
    'SSH_AUTH_SOCK',
    'HTTPS_PROXY',
    'https_proxy',
    'XDG_RUNTIME_DIR',
    'DBUS_SESSION_BUS_ADDRESS',
    'LANG',
    'HOME',
    'NVM_DIR',
    '__proto__',
  ])('%s is', (name) => {
    const given = Object.fromEntries([[name, 'x']]);
    expect(Object.entries(dropOwnVariables(given))).toEqual([[name, 'x']]);
  });

  it('leaves out what is not set', () => {
    expect(dropOwnVariables({ A: undefined, B: '' })).toEqual({ B: '' });
  });
});

describe('composing the environment', () => {
  it('merges PATH: the shell’s, ours, the usual folders, the system’s; each once', () => {
    const own = { PATH: '/own:/usr/bin:/shared' };
    const login = { PATH: '/shell:/shared:/opt/homebrew/bin' };
    expect(splitPath(composeEnvironment(own, login, home).PATH)).toEqual([
      '/shell',
      '/shared',
      '/opt/homebrew/bin',
      '/own',
      '/usr/bin',
      '/home/dev/.local/bin',
      '/home/dev/bin',
      '/usr/local/bin',
      '/home/dev/.orbstack/bin',
      '/home/dev/.docker/bin',
      '/home/dev/.rd/bin',
      '/opt/local/bin',
      '/Applications/Docker.app/Contents/Resources/bin',
      '/bin',
      '/usr/sbin',
      '/sbin',
    ]);
  });

  it('has a whole PATH without any', () => {
    expect(splitPath(composeEnvironment({}, null, home).PATH)).toEqual([
      ...listUsualFolders(home),
      '/usr/bin',
      '/bin',
      '/usr/sbin',
      '/sbin',
    ]);
  });

  it('takes the login shell’s word, except for what was set here on purpose', () => {
    const own = { A: 'own', GONE: 'own', SANDY_HOME: '/own', DOCKER_HOST: 'own', TERM: 'xterm' };
    const login = {
      A: 'login',
      NEW: 'login',
      SANDY_HOME: '/login',
      DOCKER_HOST: 'login',
      DOCKER_CONTEXT: 'login',
      TERM: 'dumb',
      SHLVL: '2',
      PWD: '/',
      OLDPWD: '/',
      _: '/usr/bin/env',
      SANDY_TRAY_ASKING_LOGIN_SHELL: '1',
      NODE_EXTRA_CA_CERTS: '/profile.pem',
    };
    const { PATH: _, ...rest } = composeEnvironment(own, login, home);
    expect(rest).toEqual({
      A: 'login',
      NEW: 'login',
      SANDY_HOME: '/own',
      DOCKER_HOST: 'own',
      DOCKER_CONTEXT: 'login',
      TERM: 'xterm',
      HOME: '/home/dev',
      NODE_EXTRA_CA_CERTS: '/profile.pem',
    });
  });

  it('is our own without a login shell, and says where home is', () => {
    const { PATH: _, ...rest } = composeEnvironment({ A: '1', PWD: '/x' }, null, home);
    expect(rest).toEqual({ A: '1', HOME: '/home/dev' });
    expect(composeEnvironment({ HOME: '/h' }, null, home).HOME).toBe('/h');
    expect(composeEnvironment({ HOME: '/h' }, { HOME: '/l' }, home).HOME).toBe('/l');
  });

  it('passes on that a login shell is being asked', () => {
    const own = { SANDY_TRAY_ASKING_LOGIN_SHELL: '1' };
    expect(composeEnvironment(own, null, home)).toMatchObject(own);
  });

  it('keeps relative folders out of PATH', () => {
    expect(splitPath('/a::.:bin:~/bin:/b')).toEqual(['/a', '/b']);
    expect(splitPath(undefined)).toEqual([]);
  });
});

describe('a login shell’s answer', () => {
  const mark = '0123456789abcdef';
  const print = (environment: Record<string, string>) =>
    `<${mark}${Object.entries(environment)
      .map(([name, value]) => `${name}=${value}|${mark}`)
      .join('')}>${mark}`;

  it('is read whatever is around it', () => {
    const environment = { PATH: '/a', MULTI: 'a\nb=c|d<>', EMPTY: '' };
    expect(parseLoginAnswer(`motd\n<x>\n${print(environment)}\nbye`, mark)).toEqual(environment);
  });

  it('is none when it is cut, empty, or no environment', () => {
    const whole = print({ PATH: '/a' });
    for (let length = 0; length < whole.length; length += 1) {
      expect(parseLoginAnswer(whole.slice(0, length), mark)).toBeNull();
    }
    expect(parseLoginAnswer(print({}), mark)).toBeNull();
    expect(parseLoginAnswer(print({ A: '1' }), mark)).toBeNull();
  });

  it('brings back any variables', () => {
    const name = fc.string({ minLength: 1 }).filter((text) => !text.includes('='));
    fc.assert(
      fc.property(fc.dictionary(name, fc.string(), { noNullPrototype: true }), (some) => {
        const environment = { ...some, PATH: '/a' };
        expect(parseLoginAnswer(print(environment), mark)).toEqual(environment);
      }),
    );
  });
});

describe('whether the login shell is asked', () => {
  it.each([
    [true, true, false, false],
    [true, false, false, true],
    [false, true, false, true],
    [false, false, false, true],
    [false, false, true, false],
    [true, false, true, false],
  ])(
    'terminal %s, programs found %s, inside one %s: %s',
    (onTerminal, programsFound, insideLoginShell, asked) => {
      expect(needsLoginShell({ onTerminal, programsFound, insideLoginShell })).toBe(asked);
    },
  );
});
