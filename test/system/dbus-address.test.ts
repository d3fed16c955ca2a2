import { describe, expect, test } from 'vitest';
import { listBusSockets, listSystemBusSockets } from '../../src/system/dbus-address.ts';

describe('the sockets of the session bus', () => {
  test.each([
    ['none', {}, []],
    ['a path', { DBUS_SESSION_BUS_ADDRESS: 'unix:path=/run/user/7/bus' }, ['/run/user/7/bus']],
    [
      'a path with an id and with bytes that are written out',
      { DBUS_SESSION_BUS_ADDRESS: 'unix:path=/tmp/a%20b%2cc,guid=0123' },
      ['/tmp/a b,c'],
    ],
    [
      'an abstract one, and the one of the user',
      {
        DBUS_SESSION_BUS_ADDRESS: 'unix:abstract=/tmp/dbus-x,guid=1',
        XDG_RUNTIME_DIR: '/run/user/7',
      },
      ['\0/tmp/dbus-x', '/run/user/7/bus'],
    ],
    [
      'several, each once',
      {
        DBUS_SESSION_BUS_ADDRESS: 'tcp:host=a,port=1;unix:guid=2,path=/a;unix:runtime=yes',
        XDG_RUNTIME_DIR: '/run/user/7',
      },
      ['/a', '/run/user/7/bus'],
    ],
    ['only that of the user', { XDG_RUNTIME_DIR: '/run/user/7' }, ['/run/user/7/bus']],
    ['a folder that is not absolute', { XDG_RUNTIME_DIR: 'here' }, []],
    [
      'addresses that mean nothing',
      {
        DBUS_SESSION_BUS_ADDRESS:
          'unix:path=%zz;unix:;unix:path=;unix:path=%00a;=;autolaunch:;disabled:',
      },
      [],
    ],
  ])('%s', (_name, variables, sockets) => {
    expect(listBusSockets(variables)).toEqual(sockets);
  });
});

test.each([
  ['named by nobody', {}, ['/run/dbus/system_bus_socket']],
  ['named', { DBUS_SYSTEM_BUS_ADDRESS: 'unix:path=/a;unix:abstract=b' }, ['/a', '\0b']],
  ['named with nothing', { DBUS_SYSTEM_BUS_ADDRESS: '' }, ['/run/dbus/system_bus_socket']],
])('the sockets of a system bus that is %s', (_name, variables, sockets) => {
  expect(listSystemBusSockets(variables)).toEqual(sockets);
});
