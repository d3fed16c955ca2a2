import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  type ChildEnd,
  type Look,
  newShim,
  type SessionLook,
  type Shim,
  type ShimEffect,
  type ShimMessage,
  type ShimOptions,
  type StartBy,
  updateShim,
} from '../../src/attach/machine.ts';
import { shimWindowsFrom } from '../../src/attach/shim-windows.ts';
import { windowsFrom } from '../../src/fleet/windows.ts';

const windows = shimWindowsFrom(
  windowsFrom(
    { pollFullSeconds: 900, returnWindowSeconds: 90, watchMinutes: 15, settleSeconds: 60 },
    1,
  ),
);

const ready = (token: string, clients = 0, updatedAt: number | null = null): SessionLook => ({
  kind: 'ready',
  token,
  clients,
  updatedAt,
});
const absent = (evidence = false): SessionLook => ({ kind: 'absent', evidence });
const silent = (token: string): SessionLook => ({ kind: 'unanswered', token, evidence: false });
const off = (why: 'stopped' | 'quit' | 'ended' | 'down'): SessionLook => ({ kind: 'off', why });

/** A shim and everything that it asked for, driven by hand. */
class Terminal {
  shim: Shim;
  effects: ShimEffect[] = [];
  canUpdate = true;
  inRun = false;

  constructor(options: Partial<ShimOptions> = {}) {
    this.shim = newShim({ windows, reconnects: true, ownsWindow: false, ...options });
  }

  take(message: ShimMessage): this {
    const [shim, effects] = updateShim(this.shim, message);
    this.shim = shim;
    this.effects.push(...effects);
    return this;
  }

  look(session: SessionLook, elapsedMs = 1000): this {
    const { canUpdate, inRun } = this;
    const look: Look = { kind: 'sighted', elapsedMs, session, inRun, canUpdate };
    return this.take({ kind: 'looked', look });
  }

  blind(elapsedMs = 15_000): this {
    return this.take({ kind: 'looked', look: { kind: 'blind', elapsedMs } });
  }

  ends(code: number | 'signal', lastedMs = 0): this {
    const end: ChildEnd = code === 'signal' ? { kind: 'signalled' } : { kind: 'exited', code };
    return this.take({ kind: 'ended', end, lastedMs });
  }

  press(key: 'enter' | 'quit' | 'interrupt'): this {
    return this.take({ kind: 'pressed', key });
  }

  /** Attached to life `a`, and believed. */
  attached(): this {
    this.look(ready('a')).look(ready('a', 1));
    this.effects = [];
    return this;
  }

  get attaches() {
    return this.effects.filter((effect) => effect.kind === 'attach');
  }

  get words(): string {
    const { state } = this.shim;
    return 'why' in state ? `${state.kind}: ${state.why}` : state.kind;
  }

  get left(): number | null {
    return this.effects.find((effect) => effect.kind === 'leave')?.code ?? null;
  }
}

const attached = () => new Terminal().attached();

describe('how it begins', () => {
  test('ready: a person attaches, whoever is in', () => {
    expect(new Terminal().look(ready('a', 2)).attaches).toEqual([
      { kind: 'attach', by: 'person', updatedAt: null },
    ]);
  });
  test.each([
    ['not there', absent(), 'idle: no-session'],
    ['stopped', off('stopped'), 'idle: no-session'],
    ['in an update', absent(true), 'waiting: updating'],
    ['starting', silent('b'), 'waiting: starting'],
  ])('%s', (_, session, words) => {
    const terminal = new Terminal().look(session).look(session);
    expect(terminal.words).toBe(words);
    expect(terminal.effects).toEqual([]);
  });
  test('one look that lacks it is not enough: a restart may be known at the next', () => {
    const terminal = new Terminal().look(absent());
    expect(terminal.words).toBe('opening');
    expect(terminal.look(absent(true)).words).toBe('waiting: checking');
  });
  test('Ctrl-C leaves before anything was seen', () => {
    expect(new Terminal().press('interrupt').left).toBe(4);
  });
  test('Enter starts what is not running, then attaches and looks what it got into', () => {
    const terminal = new Terminal().look(absent()).look(absent()).press('enter');
    expect(terminal.effects).toEqual([{ kind: 'start' }]);
    expect(terminal.ends(0).attaches).toHaveLength(1);
    expect(terminal.effects.at(-1)).toEqual({ kind: 'look' });
    expect(terminal.look(ready('b', 1)).shim.baseline).toBe('b');
  });
  test('a start that fails says so and can be tried again', () => {
    const terminal = new Terminal().look(absent()).look(absent()).press('enter').ends(1);
    expect(terminal.words).toBe('idle: start-failed');
    expect(terminal.press('enter').effects.filter(({ kind }) => kind === 'start')).toHaveLength(2);
  });
});

describe('asked to start it', () => {
  test.each([
    ['not there', absent()],
    ['missing in an update', absent(true)],
    ['stopped', off('stopped')],
    ['lost', off('down')],
    ['listed without an answer', silent('b')],
  ])('%s: starts it at the first look, then attaches', (_, session) => {
    const terminal = new Terminal({ startsFirst: true }).look(session);
    expect([terminal.words, terminal.effects]).toEqual(['starting', [{ kind: 'start' }]]);
    expect(terminal.ends(0).attaches).toHaveLength(1);
  });
  test('unseen: sandy itself says what is wrong', () => {
    expect(new Terminal({ startsFirst: true }).blind().words).toBe('starting');
  });
  test('ready: attaches', () => {
    const terminal = new Terminal({ startsFirst: true }).look(ready('a', 1));
    expect(terminal.effects).toEqual([{ kind: 'attach', by: 'person', updatedAt: null }]);
  });
  test('busy: says so, and Enter asks again; what ends later is awaited as ever', () => {
    const terminal = new Terminal({ startsFirst: true }).look(absent(true)).take({ kind: 'busy' });
    expect(terminal.words).toBe('idle: busy');
    terminal.press('enter').ends(0).look(ready('b', 1)).ends(0).look(absent(true));
    expect(terminal.words).toBe('waiting: updating');
  });
});

describe('a start that goes on elsewhere', () => {
  /** Somebody asked for a start that is being made by another process. */
  const joined = (by: StartBy, canUpdate = true) => {
    const terminal = new Terminal().look(absent()).look(absent()).press('enter');
    terminal.canUpdate = canUpdate;
    terminal.take({ kind: 'joined', by });
    terminal.effects = [];
    return terminal;
  };
  test.each(['one of ours', 'sandy itself'] as const)(
    'by %s is awaited for as long as it does',
    (by) => {
      for (const canUpdate of [true, false]) {
        const terminal = joined(by, canUpdate);
        for (let s = 0; s < 1_000; s += 1) terminal.look(absent()).look(off('ended'));
        expect([terminal.words, terminal.effects]).toEqual(['waiting: starting', []]);
        terminal.look(silent('b')).take({ kind: 'start-over' }).look(ready('b'));
        expect(terminal.attaches).toEqual([{ kind: 'attach', by: 'itself', updatedAt: null }]);
      }
    },
  );
  test('by sandy itself is over when it is ready: its process lives on', () => {
    const terminal = joined('sandy itself').look(silent('b')).look(ready('b'));
    expect(terminal.attaches).toHaveLength(1);
    terminal.take({ kind: 'start-over' });
    expect(terminal.words).toBe('attaching');
  });
  test('by one of ours is left to whoever makes it: it may attach', () => {
    const terminal = joined('one of ours').look(ready('b')).look(ready('b'));
    expect([terminal.words, terminal.attaches]).toEqual(['waiting: starting', []]);
    expect(joined('one of ours').look(ready('b', 1)).words).toBe('idle: displaced');
  });
  test.each([absent(), off('ended')])('and comes to nothing is said', (session) => {
    const terminal = joined('one of ours').take({ kind: 'start-over' });
    expect(terminal.effects).toEqual([{ kind: 'look' }]);
    expect(terminal.look(session).words).toBe('idle: start-failed');
    terminal.effects = [];
    expect(terminal.press('enter').effects).toEqual([{ kind: 'start' }]);
  });
  test('can be left by Ctrl-C', () => {
    expect(joined('one of ours').press('interrupt').left).toBe(4);
  });
  test('of something else: the session is looked for; back is said, and Enter attaches', () => {
    const terminal = new Terminal().look(absent()).look(absent()).press('enter');
    terminal.effects = [];
    terminal.take({ kind: 'busy' });
    expect([terminal.words, terminal.effects]).toEqual(['idle: busy', [{ kind: 'look' }]]);
    terminal.look(ready('b'));
    expect(terminal.shim.state).toMatchObject({ kind: 'idle', backAgain: true });
    expect(terminal.press('enter').effects.slice(1)).toEqual([
      { kind: 'attach', by: 'person', updatedAt: null },
      { kind: 'look' },
    ]);
  });
});

describe('a restart', () => {
  test('re-attached when ready, not when listed, exactly once', () => {
    const terminal = attached().ends(0);
    terminal.look(absent()).look(absent(true)).look(silent('b')).look(silent('b'));
    expect(terminal.attaches).toEqual([]);
    terminal.look(ready('b', 0, 42));
    expect(terminal.attaches).toEqual([{ kind: 'attach', by: 'itself', updatedAt: 42 }]);
    terminal.look(ready('b', 1)).look(ready('b', 1));
    expect(terminal.attaches).toHaveLength(1);
    expect(terminal.words).toBe('attached');
  });
  test('the same life back after docker was away is no update', () => {
    const terminal = attached()
      .ends(0)
      .blind()
      .blind()
      .look(ready('a', 0, 42));
    expect(terminal.attaches).toEqual([{ kind: 'attach', by: 'itself', updatedAt: null }]);
  });
  test('an exit code that only says "not seen alive" waits just the same', () => {
    for (const code of [0, 4, 5, 'signal'] as const) {
      expect(attached().ends(code).look(absent(true)).words).toBe('waiting: updating');
    }
  });
  test('opened in the gap: waits, and starts nothing', () => {
    const terminal = new Terminal().look(absent(true)).look(absent(true)).look(ready('b'));
    expect(terminal.effects).toEqual([{ kind: 'attach', by: 'itself', updatedAt: null }]);
  });
});

describe('what ends it', () => {
  test('absent for 90 s without evidence is not back; with it, it goes on to 15 min', () => {
    const alone = attached().ends(0).look(absent());
    for (let s = 0; s < 89; s += 1) alone.look(absent());
    expect(alone.words).toBe('waiting: away');
    expect(alone.look(absent()).words).toBe('idle: not-back');
    expect(alone.left).toBeNull();
    expect(alone.press('quit').left).toBe(4);

    const updated = attached().ends(0).look(absent(true));
    for (let s = 0; s < 899; s += 1) updated.look(absent(true));
    expect(updated.words).toBe('waiting: updating');
    expect(updated.look(absent(true)).words).toBe('idle: not-back');
  });
  test('the same life without an answer for over 15 s: the agent inside quit', () => {
    const terminal = attached().ends(0).look(silent('a'));
    for (let s = 0; s < 15; s += 1) terminal.look(silent('a'));
    expect(terminal.words).toBe('waiting: silent');
    terminal.look(silent('a'));
    expect([terminal.words, terminal.left]).toEqual(['idle: quit', 0]);
  });
  test('but not while a run names it, nor after it was absent or unseen', () => {
    const named = attached().ends(0);
    named.inRun = true;
    const gone = attached().ends(0).look(absent());
    const unseen = attached().ends(0).blind();
    for (const terminal of [named, gone, unseen]) {
      for (let s = 0; s < 60; s += 1) terminal.look(silent('a'));
      expect(terminal.words).toBe('waiting: starting');
    }
  });
  test('never an answer for 600 s: failed', () => {
    const terminal = attached().ends(0).look(silent('b'), 0);
    for (let s = 0; s <= 600; s += 1) terminal.look(silent('b'));
    expect([terminal.words, terminal.press('quit').left]).toEqual(['idle: failed', 5]);
  });
  test.each([
    ['stopped', 'idle: stopped', 0],
    ['quit', 'idle: quit', 0],
    ['ended', 'idle: not-back', null],
    ['down', 'idle: not-back', null],
  ] as const)('the fleet knows that it %s', (why, words, code) => {
    const terminal = attached().ends(0).look(off(why));
    expect([terminal.words, terminal.left]).toEqual([words, code]);
  });
  test('blind freezes the window; 15 min of it are enough', () => {
    const terminal = attached().ends(0).look(absent()).look(absent(), 60_000);
    for (let n = 0; n < 60; n += 1) terminal.blind();
    expect(terminal.words).toBe('waiting: blind');
    expect(terminal.shim.spentMs).toBe(60_000);
    expect(terminal.blind().words).toBe('idle: unreachable');
  });
  test("the time before the first look is nobody's, blind or not", () => {
    expect(attached().ends(0).blind(3_600_000).words).toBe('waiting: blind');
    expect(attached().ends(0).look(absent(), 3_600_000).words).toBe('waiting: away');
  });
  test('a sandy without updates: one look, not ready, ended', () => {
    for (const session of [absent(), silent('b')]) {
      const terminal = attached();
      terminal.canUpdate = false;
      terminal.ends(0).look(session);
      expect([terminal.words, terminal.left]).toEqual(['idle: ended', 0]);
    }
  });
  test('without reconnecting the end is the end', () => {
    for (const [code, left] of [
      [0, 0],
      [3, 3],
      [4, 4],
      [1, 5],
      ['signal', 5],
    ] as const) {
      const terminal = new Terminal({ reconnects: false }).attached().ends(code);
      expect(terminal.left).toBe(left);
    }
  });
  test('a first attach that finds no session offers to start it', () => {
    const terminal = new Terminal().look(ready('a')).ends(4).look(absent());
    expect(terminal.words).toBe('waiting: away');
    expect(terminal.look(absent()).words).toBe('idle: no-session');
  });
});

describe('exit code 3', () => {
  test('with a client in: displaced, final; Enter takes it back', () => {
    const terminal = attached().ends(3).look(ready('a', 1));
    expect([terminal.words, terminal.left]).toEqual(['idle: displaced', null]);
    expect(terminal.attaches).toEqual([]);
    expect(terminal.press('enter').attaches).toEqual([
      { kind: 'attach', by: 'person', updatedAt: null },
    ]);
    // Meanwhile it may have restarted: the life that it gets into is the one that counts.
    terminal
      .look(ready('b', 1))
      .ends(0)
      .look(ready('b', 0, 42));
    expect(terminal.attaches.at(-1)).toEqual({ kind: 'attach', by: 'itself', updatedAt: null });
  });
  test('with nobody in, or no answer in time: detached', () => {
    expect(attached().ends(3).look(ready('a')).left).toBe(3);
    expect(attached().ends(3).take({ kind: 'unanswered' }).left).toBe(3);
    expect(attached().ends(3).blind().left).toBe(3);
  });
  test('and Ctrl-C before the look that chooses the words: detached', () => {
    for (const ownsWindow of [false, true]) {
      const terminal = new Terminal({ ownsWindow }).attached().ends(3).press('interrupt');
      expect([terminal.words, terminal.left]).toEqual(['idle: detached', 3]);
    }
    expect(attached().ends(3).press('quit').left).toBeNull();
  });
  test('an automatic attach that never got in is tried once more', () => {
    const terminal = attached().ends(0).look(absent()).look(ready('b'));
    terminal.ends(3).look(ready('b'));
    expect(terminal.attaches).toHaveLength(2);
    terminal.ends(3).look(ready('b'));
    expect(terminal.attaches).toHaveLength(2);
    expect(terminal.left).toBe(3);
  });
});

describe('trying too often', () => {
  test('three attaches of one life by itself, no fourth', () => {
    const terminal = attached();
    for (let n = 0; n < 4; n += 1)
      terminal.ends(0).look(absent()).look(ready('b')).take({ kind: 'believed' });
    expect(terminal.attaches).toHaveLength(3);
    expect(terminal.words).toBe('idle: flapping');
  });
  test('what lasted for longer than the watch is no loop; what lasted as long is one', () => {
    for (const [lastedMs, words] of [
      [windows.watchMs + 1, 'attached'],
      [windows.watchMs, 'idle: flapping'],
    ] as const) {
      // docker restarted each night: the same life each time.
      const terminal = attached();
      for (let n = 0; n < 10; n += 1)
        terminal.ends(0, lastedMs).blind().look(ready('a')).take({ kind: 'believed' });
      expect(terminal.words).toBe(words);
    }
  });
  test('and one that lasted allows three more, not for ever', () => {
    const terminal = attached().ends(0).look(ready('a')).take({ kind: 'believed' });
    terminal
      .ends(0)
      .look(ready('a'))
      .take({ kind: 'believed' })
      .ends(0, windows.watchMs + 1);
    const before = terminal.attaches.length;
    for (let n = 0; n < 4; n += 1) terminal.look(ready('a')).take({ kind: 'believed' }).ends(0);
    terminal.look(ready('a'));
    expect(terminal.attaches.length - before).toBe(3);
    expect(terminal.words).toBe('idle: flapping');
  });
  test('three in a row that never got in, in whatever lives', () => {
    const terminal = attached().ends(0);
    for (const life of ['b', 'c', 'd', 'e']) terminal.look(absent()).look(ready(life)).ends(0);
    terminal.look(ready('f'));
    expect(terminal.attaches).toHaveLength(3);
    expect(terminal.words).toBe('idle: flapping');
  });
  test('code 1 is tried again once while it is ready', () => {
    const terminal = attached().ends(1).look(ready('a')).ends(1).look(ready('a'));
    expect(terminal.attaches).toHaveLength(1);
    expect(terminal.words).toBe('idle: failed');
  });
  test('an attach that never got in leaves the window as spent as it was', () => {
    const terminal = attached().ends(0).look(absent()).look(absent(), 60_000);
    terminal.look(ready('b')).ends(0).look(absent()).look(absent(), 29_000);
    expect(terminal.words).toBe('waiting: away');
    expect(terminal.look(absent()).words).toBe('idle: not-back');
  });
});

describe('keys', () => {
  test('while waiting only Ctrl-C acts', () => {
    const terminal = attached().ends(0).look(absent());
    expect(terminal.press('enter').press('quit').left).toBeNull();
    expect(terminal.press('interrupt').left).toBe(4);
  });
  test('back after "not back": said, not attached', () => {
    const terminal = attached().ends(0).look(off('down')).look(ready('b'));
    expect(terminal.shim.state).toMatchObject({ kind: 'idle', backAgain: true });
    expect(terminal.attaches).toEqual([]);
  });
  test('a window of ours never closes over its last words', () => {
    const terminal = new Terminal({ ownsWindow: true }).attached().ends(3).look(ready('a'));
    expect([terminal.words, terminal.left]).toEqual(['idle: detached', null]);
  });
});

const anySession: fc.Arbitrary<SessionLook> = fc.oneof(
  fc.boolean().map(absent),
  fc.constantFrom('a', 'b', 'c').map(silent),
  fc.tuple(fc.constantFrom('a', 'b', 'c'), fc.nat(2)).map(([token, n]) => ready(token, n)),
  fc.constantFrom('stopped', 'quit', 'ended', 'down').map((why) => off(why as 'stopped')),
);
const anyStep = fc.oneof(
  anySession.map((session) => (t: Terminal) => t.look(session)),
  fc.constantFrom(0, 1, 3, 4, 5, 'signal' as const).map((code) => (t: Terminal) => t.ends(code)),
  fc.constant((t: Terminal) => t.blind()),
  fc.constant((t: Terminal) => t.take({ kind: 'believed' })),
  fc.constant((t: Terminal) => t.take({ kind: 'unanswered' })),
);

test('by itself it only attaches to what is ready and empty, and never more than three times a life', () => {
  fc.assert(
    fc.property(fc.array(anyStep, { maxLength: 60 }), (steps) => {
      const terminal = new Terminal();
      const perLife = new Map<string, number>();
      for (const step of steps) {
        const before = terminal.attaches.length;
        step(terminal);
        const attach = terminal.attaches[before];
        if (attach?.by !== 'itself') continue;
        expect(terminal.shim.state).toMatchObject({ kind: 'attaching', by: 'itself' });
        const life = terminal.shim.baseline ?? '';
        perLife.set(life, (perLife.get(life) ?? 0) + 1);
      }
      // Two lives that alternate begin anew each time; no host does that without restarting.
      const changes = new Set(perLife.keys()).size;
      if (changes === 1) expect(Math.max(...perLife.values())).toBeLessThanOrEqual(3);
    }),
  );
});
