import { describe, expect, it } from 'vitest';
import { isInService, prepareScope, putInScope } from '../../src/system/own-scope.ts';

const agent = '/user.slice/user-1000.slice/user@1000.service/app.slice/sandy-tray.service';

describe('knowing that we run in a service', () => {
  it.each([
    ['a unit of the user’s manager', `0::${agent}\n`],
    ['an instance of a unit', '0::/user.slice/user@1000.service/app.slice/app@1.service\n'],
    ['systemd’s own hierarchy', `2:cpu:/\n1:name=systemd:${agent}\n`],
    ['both', `1:name=systemd:/init.scope\n0::${agent}\n`],
  ])('by %s', (_, cgroup) => {
    expect(isInService(cgroup)).toBe(true);
  });

  it.each([
    ['nothing', ''],
    ['the root', '0::/\n'],
    [
      'a scope below the user’s manager',
      '0::/user.slice/user@1000.service/app.slice/run-1.scope\n',
    ],
    ['a login', '0::/user.slice/user-1000.slice/session-2.scope\n'],
    ['a control group inside a unit', `0::${agent}/inner\n`],
    ['a hierarchy that isn’t systemd’s', '4:memory:/a.service\n1:name=other:/a.service\n0::/\n'],
  ])('not by %s', (_, cgroup) => {
    expect(isInService(cgroup)).toBe(false);
  });
});

describe('putting a command in a scope', () => {
  const command = { file: '/a b/sandy', args: ['--workspace', '--scope; $A'], environment: {} };

  it('passes file and arguments on as they are', () => {
    expect(putInScope(command, ['--user', '--scope'], {})).toEqual({
      file: 'systemd-run',
      args: ['--user', '--scope', '--', '/a b/sandy', '--workspace', '--scope; $A'],
      environment: {},
    });
  });

  it('adds how the manager is reached where it is missing, and nothing else', () => {
    const own = {
      XDG_RUNTIME_DIR: '/run/user/1',
      DBUS_SESSION_BUS_ADDRESS: 'unix:path=/run/user/1/bus',
      PATH: '/own',
    };
    const environment = { PATH: '/login', DBUS_SESSION_BUS_ADDRESS: 'unix:path=/login' };
    expect(putInScope({ ...command, environment }, [], own).environment).toEqual({
      PATH: '/login',
      XDG_RUNTIME_DIR: '/run/user/1',
      DBUS_SESSION_BUS_ADDRESS: 'unix:path=/login',
    });
    expect(putInScope({ ...command, environment }, [], {}).environment).toEqual(environment);
  });
});

it('leaves commands as they are outside a service', async () => {
  const command = { file: 'a', args: ['b'], environment: { A: '1' } };
  const wrap = await prepareScope({ PATH: '/no/such/folder' });
  expect(wrap(command)).toEqual(command);
});
