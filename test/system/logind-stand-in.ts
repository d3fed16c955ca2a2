import { makeScratchFolder } from '../scratch-folder.ts';
import { connect, reach, startBus, takeName } from './bus-stand-in.ts';

const NAME = 'org.freedesktop.login1';

/** A system bus of the test's own with a logind that says when the machine sleeps. */
export async function startLogind() {
  const { variables, kill } = await startBus(makeScratchFolder());
  const bus = connect(variables);
  await reach(bus, 'connected');
  await takeName(bus, NAME);
  const say = (member: string, begins: boolean) =>
    bus.emit({
      path: '/org/freedesktop/login1',
      interface: `${NAME}.Manager`,
      member,
      signature: 'b',
      body: [begins],
    });
  return { say, kill, variables };
}
