import { expect, test } from 'vitest';
import { watchSleep } from '../../src/system/sleep-watch.ts';
import { callBus, connect, eventually, reach } from './bus-stand-in.ts';
import { startLogind } from './logind-stand-in.ts';

test('calls back after each sleep, and for nothing else that logind says', async () => {
  const { say, variables } = await startLogind();
  const bus = connect(variables);
  const heard: string[] = [];
  watchSleep(bus, () => heard.push('awake'));
  await reach(bus, 'connected');
  // Once this is answered, all that was asked of the bus before is.
  await callBus(bus, 'GetId');
  say('PrepareForSleep', true);
  say('PrepareForShutdown', false);
  say('PrepareForSleep', false);
  await eventually(() => expect(heard).toEqual(['awake']));
});

test('a bus that dies is not tried again', async () => {
  const { kill, variables } = await startLogind();
  const bus = connect(variables);
  watchSleep(bus, () => {});
  await reach(bus, 'connected');
  await kill();
  await reach(bus, 'closed');
});
