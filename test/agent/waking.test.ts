import { expect } from 'vitest';
import { eventually } from '../system/bus-stand-in.ts';
import { startLogind } from '../system/logind-stand-in.ts';
import { callsOf } from './asking.ts';
import { test } from './running-agent.ts';

test('an agent looks at once when logind says that the machine woke', async ({ stage }) => {
  const { say, variables } = await startLogind();
  stage.scale(1);
  const fleet = await stage.addFleet(['alpha']);
  const fullLooks = () => callsOf(fleet, '--print-state').filter(({ argv }) => argv.length === 1);
  const agent = await stage.startAgent({
    variables: { DBUS_SYSTEM_BUS_ADDRESS: variables.DBUS_SESSION_BUS_ADDRESS ?? '' },
  });
  await stage.logs('baseline');
  expect(fullLooks()).toHaveLength(1);
  // Said again until the agent listens; of itself it would look in 15 min.
  await eventually(() => {
    say('PrepareForSleep', false);
    expect(fullLooks().length).toBeGreaterThan(1);
  });
  await agent.stop();
});
