import { describe, expect, test } from 'vitest';
import { type Deed, type DeedParts, doClicked } from '../../src/agent/deeds.ts';
import type { AskAnswer, Operator } from '../../src/agent/operator.ts';
import { nothing } from '../../src/agent/summing-up.ts';
import type { Message } from '../../src/fleet/message.ts';
import { newModel } from '../../src/fleet/model.ts';
import type { RunOutcome } from '../../src/store/run-record.ts';
import type { OpenOutcome } from '../../src/terminal/opening.ts';
import type { Errand } from '../../src/terminal/tickets.ts';
import { allNotices, defaultWindows } from '../fleet/watched-fleet.ts';

const running: AskAnswer = { kind: 'running', joined: false, id: 'run-9', logPath: '/log' };
const windowOpened: OpenOutcome = { kind: 'opened', terminal: 'kitty', failed: [] };
const noWindow: OpenOutcome = { kind: 'not-opened', hasDisplay: true, failed: [] };

interface World {
  readonly answer?: AskAnswer;
  readonly outcome?: RunOutcome | null;
  readonly opening?: OpenOutcome;
}

/** Clicks; gives what was told to whoever clicked, to the fleet and to a window. */
async function click(
  action: Deed,
  { answer = running, outcome = null, opening = windowOpened }: World = {},
) {
  const told: (readonly [kind: string, text: string])[] = [];
  const messages: Message[] = [];
  const errands: Errand[] = [];
  const operator: Operator = {
    adopt: () => {},
    ask: async () => answer,
    await: async () => outcome,
    cancel: async () => ({ kind: 'nothing', text: '' }),
    work: () => null,
    findOthers: async () => null,
    ourPids: () => new Set(),
    stop: async () => {},
  };
  const parts: DeedParts = {
    model: () => newModel(defaultWindows, allNotices),
    dispatch: (message) => messages.push(message),
    operator,
    openWindow: async (errand) => {
      errands.push(errand);
      return opening;
    },
    setPreference: async () => {},
    tell: (text, kind = 'refused') => told.push([kind, text]),
    quit: () => {},
  };
  await doClicked(parts, { action, activationToken: null });
  const seen = messages.flatMap((message) => (message.kind === 'run-seen' ? [message.id] : []));
  return { told, seen, errands, kinds: messages.map(({ kind }) => kind) };
}

describe('what a run printed', () => {
  const action = { kind: 'show-run-log', id: 'run-2' } as const;

  test('is shown of that run, whose summary has then been looked at', async () => {
    const { errands, seen } = await click(action);
    expect(errands).toEqual([{ kind: 'read-run', id: 'run-2' }]);
    expect(seen).toEqual(['run-2']);
  });

  test('was not looked at where no window opened', async () => {
    const { seen, told } = await click(action, { opening: noWindow });
    expect(seen).toEqual([]);
    expect(told).toMatchObject([
      ['refused', expect.stringContaining('No terminal window could be opened')],
    ]);
  });
});

test.each([[[]], [['run-1']], [['run-1', 'run-2']]])(
  'whoever chooses a session from a banner has read of the runs %j, and of no other',
  async (runs) => {
    const { seen, errands } = await click({ kind: 'choose', runs });
    expect(seen).toEqual(runs);
    expect(errands).toEqual([{ kind: 'choose', first: [] }]);
  },
);

describe('a check for updates', () => {
  const check = { kind: 'check' } as const;
  const sum = (parts: Partial<RunOutcome>): RunOutcome => ({ ...nothing, kind: 'ok', ...parts });
  const keys = (count: number) => Array.from({ length: count }, (_, at) => `key-${at}`);

  test.each<[string, RunOutcome, string, string]>([
    ['nothing', sum({}), 'checked', 'no session needs a restart'],
    ['one', sum({ candidates: ['atlas'] }), 'checked', '1 session would be restarted: atlas'],
    [
      'some',
      sum({ candidates: keys(4) }),
      'checked',
      '4 sessions would be restarted: key-0, key-1, key-2, key-3',
    ],
    [
      'many',
      sum({ candidates: keys(7) }),
      'checked',
      '7 sessions would be restarted: key-0, key-1, key-2, key-3 and 3 more',
    ],
    [
      'a name from outside',
      sum({ candidates: ['a\u001b[31m\nb'] }),
      'checked',
      '1 session would be restarted: a↵b',
    ],
    [
      'a failure',
      sum({ kind: 'failed', text: 'sandy ended with code 1.' }),
      'refused',
      'The check failed: sandy ended with code 1. See what it says: sandy-tray update --all --dry-run',
    ],
    ['its end', sum({ kind: 'cancelled' }), 'done', 'The check for updates was cancelled.'],
  ])('that comes to %s says so', async (_what, outcome, kind, text) => {
    const { told, kinds } = await click(check, { outcome });
    expect(told).toEqual([[kind, text]]);
    expect(kinds).toEqual(['refresh-asked']);
  });

  test('that the next agent goes on with says nothing', async () => {
    expect(await click(check)).toMatchObject({ told: [], kinds: [] });
  });
});

test.each<[AskAnswer, (readonly [string, string])[]]>([
  [running, []],
  [{ kind: 'done', text: 'atlas is running.' }, [['done', 'atlas is running.']]],
  [{ kind: 'busy', text: 'Busy.' }, [['refused', 'Busy.']]],
  [{ kind: 'refused', why: 'conflict', text: 'No.' }, [['refused', 'No.']]],
])('a start that is answered with %j never does nothing visible', async (answer, expected) => {
  expect((await click({ kind: 'start', key: 'atlas' }, { answer })).told).toEqual(expected);
});
