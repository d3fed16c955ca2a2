import type { ChildProcess } from 'node:child_process';
import { createInterface } from 'node:readline';
import type { AgentConnection } from '../control/conversation.ts';
import type { StatusDocument } from '../control/status-document.ts';
import { contactAgent } from './agent-connection.ts';
import { createDemoFleet, type DemoFleet } from './demo-fleet.ts';
import type { DemoScreen } from './demo-screen.ts';
import { texts } from './texts.ts';

export type DemoEnd = 'played' | 'interrupted' | 'stuck' | 'agent-ended';

/** Long before the minute that a demo may take. */
const STORY_LIMIT_MS = 50_000;

/** Aborted when this process is asked to end. */
export function listenForInterrupt(): AbortSignal {
  const interrupted = new AbortController();
  // Every one of them, however often: what the demo started has to be ended first.
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP', 'SIGPIPE'] as const) {
    process.on(signal, () => interrupted.abort());
  }
  return interrupted.signal;
}

/** Plays the whole product on a fleet of its own, and leaves nothing behind. */
export async function playDemo(interrupted: AbortSignal, screen: DemoScreen): Promise<DemoEnd> {
  screen.say(texts.demoBegins);
  const fleet = await createDemoFleet();
  const limit = AbortSignal.timeout(STORY_LIMIT_MS);
  try {
    const agent = fleet.runOurs(['run', '--no-tray']);
    const story = tellStory(fleet, agent, screen).then(() => 'played' as const);
    return await Promise.race([
      story,
      whenEnded(agent),
      whenAborted(interrupted, 'interrupted' as const),
      whenAborted(limit, 'stuck' as const),
    ]);
  } finally {
    screen.close();
    await fleet.destroy();
  }
}

async function tellStory(fleet: DemoFleet, agent: ChildProcess, screen: DemoScreen): Promise<void> {
  const lines = createInterface({ input: agent.stdout ?? process.stdin });
  // Its first line says that it watches; each one after that is a notice.
  await new Promise((resolve) => lines.once('line', resolve));
  const summedUp = new Promise<void>((resolve) => {
    lines.on('line', (line) => {
      screen.notify(line);
      if (line.includes(texts.demoSum)) resolve();
    });
  });
  const contact = await contactAgent(fleet.stateFolder, 'watch');
  if (contact.kind === 'alone')
    throw new Error(`The demo's agent does not answer: ${contact.text}`);
  const seen = watchStatus(contact.connection, contact.status, screen);

  await seen((status) => status.sessions.length === 5);
  screen.say(texts.demoFleet);
  screen.say(texts.demoStop);
  await fleet.runSandy(['--stop', '--workspace', fleet.workspaceOf('zork')]);
  await seen((status) => stateOf(status, 'zork') === 'ended');
  screen.say(texts.demoUpdate);
  const updated = fleet.runSandy(['--update-sessions', '--yes']);
  await seen((status) => status.failures.some(({ key }) => key.startsWith('orion')));
  await seen((status) => isReady(status, 'kiln'));
  await updated;
  await summedUp;
  let isAsTold = false;
  await seen(({ lastRun }) => {
    isAsTold = lastRun?.restarted.length === 3 && lastRun.failed.length === 1;
    return lastRun !== null;
  });
  screen.say(isAsTold ? texts.demoEnds : texts.demoEndsOtherwise);
  contact.connection.close();
}

type SeenIn = (condition: (status: StatusDocument) => boolean) => Promise<void>;

/** Draws each snapshot; the function resolves at the first one that meets its condition. */
function watchStatus(
  connection: AgentConnection,
  first: StatusDocument,
  screen: DemoScreen,
): SeenIn {
  let newest = first;
  let waiting: (() => void) | null = null;
  const take = (status: StatusDocument) => {
    newest = status;
    screen.show(status);
    waiting?.();
  };
  take(first);
  void (async () => {
    for await (const { status } of connection.snapshots) take(status);
  })();
  return (condition) =>
    new Promise((resolve) => {
      waiting = () => {
        if (!condition(newest)) return;
        waiting = null;
        resolve();
      };
      waiting();
    });
}

function stateOf(status: StatusDocument, name: string): string {
  return status.sessions.find(({ key }) => key.startsWith(`${name}-`))?.state ?? 'gone';
}

function isReady(status: StatusDocument, name: string): boolean {
  return ['running', 'detached'].includes(stateOf(status, name));
}

function whenEnded(agent: ChildProcess): Promise<'agent-ended'> {
  return new Promise((resolve) => {
    agent.once('exit', () => resolve('agent-ended'));
    agent.once('error', () => resolve('agent-ended'));
  });
}

function whenAborted<T>(signal: AbortSignal, value: T): Promise<T> {
  return new Promise((resolve) => {
    if (signal.aborted) resolve(value);
    else signal.addEventListener('abort', () => resolve(value), { once: true });
  });
}
