/** No icon is a normal state: the agent watches and serves all the same. */

import { describe } from 'vitest';
import { describeCure } from '../../src/tray/cures.ts';
import { type AgentOptions, test, until } from './running-agent.ts';

const noBus = describeCure('no-bus') ?? '';

interface Way {
  readonly name: string;
  readonly options: AgentOptions;
  readonly settings: Readonly<Record<string, unknown>>;
  readonly tray: string;
  /** All that the agent prints about it. */
  readonly said: string;
}

const ways: readonly Way[] = [
  { name: 'run --no-tray', options: {}, settings: {}, tray: 'off', said: '' },
  {
    name: 'the preference "off"',
    options: { tray: true },
    settings: { tray: 'off' },
    tray: 'off',
    said: '',
  },
  {
    name: 'no bus',
    options: { tray: true },
    settings: {},
    tray: 'no-bus',
    said: `${noBus}\n`,
  },
  {
    name: 'a bus that is not there',
    options: { tray: true, variables: { DBUS_SESSION_BUS_ADDRESS: 'unix:path=/nowhere/bus' } },
    settings: {},
    tray: 'no-bus',
    said: `${noBus}\n`,
  },
  {
    name: 'an address that is none',
    options: { tray: true, variables: { DBUS_SESSION_BUS_ADDRESS: '\u0001;unix:' } },
    settings: {},
    tray: 'no-bus',
    said: `${noBus}\n`,
  },
];

describe.concurrent('an agent without an icon', () => {
  test.for(ways)(
    '$name: watches, says so at most once, and ends well',
    async (way, { stage, expect }) => {
      // So fast that the bus is looked for many times.
      stage.scale(100);
      stage.configure({ pollFullSeconds: 60, ...way.settings });
      await stage.addFleet(['alpha']);
      const agent = await stage.startAgent(way.options);
      await agent.sees(({ agent: health }) => health?.tray === way.tray, way.tray);
      await agent.looksAgain(3);
      await until(
        () => agent.stderr() === way.said,
        () => `"${way.said}": ${agent.stderr()}`,
      );
      expect(agent.newest().agent?.tray).toBe(way.tray);
      expect(agent.newest().badge).toEqual({ state: 'stale', count: 1 });
      const { stdout } = await stage.program.run(['status']);
      expect(stdout.includes(noBus)).toBe(way.tray === 'no-bus');
      const doctor = await stage.program.run(['doctor', '--json']);
      const checks: readonly { name: string }[] = JSON.parse(doctor.stdout).checks;
      expect(checks.filter(({ name }) => name === 'tray')).toEqual(
        way.tray === 'no-bus' ? [{ name: 'tray', level: 'warn', fact: noBus, remedy: null }] : [],
      );
      agent.signal('SIGTERM');
      expect(await agent.ended).toEqual({ code: 0, signal: null });
      expect(agent.stderr()).toBe(way.said);
    },
  );
});
