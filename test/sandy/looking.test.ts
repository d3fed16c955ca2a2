import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { explainBlindDocker, lookAtSandy } from '../../src/sandy/looking.ts';
import { expectGone, readPid } from '../processes.ts';
import { makeScratchFolder, writeScript } from '../scratch-folder.ts';
import { answerLike, makeClient, makeStandIn } from './stand-in.ts';

/** A client of a 1.7.0 whose print-state does this. */
function makeFailing(state: string) {
  const standIn = makeStandIn(answerLike('1.7.0', { state }));
  return { standIn, sandy: makeClient(standIn) };
}

/** A client whose print-state prints this text. */
function makePrinting(text: string) {
  const { standIn, sandy } = makeFailing('cat "$HOME/text"');
  const print = (other: string) => writeFileSync(join(standIn.home, 'text'), other);
  print(text);
  return { sandy, print };
}

const empty = {
  schema_version: 1,
  sandy_home: '/s',
  sandboxes: [],
  docker_reachable: true,
  running_containers: [],
};
const session = {
  id: 'ba5bb4c1511c',
  name: 'sandy-zork',
  started_at: 'then',
  sandbox: 'zork',
  daemon: true,
  attached_clients: 1,
  updated_at: null,
};

afterEach(() => {
  vi.useRealTimers();
});

describe('a look that sees', () => {
  it('brings the fleet, in the mode that was asked for', async () => {
    const standIn = makeStandIn(answerLike('1.7.0'));
    const { observation, durationMs, warnings } = await lookAtSandy(makeClient(standIn), 'full');
    expect(observation).toMatchObject({
      kind: 'sighted',
      mode: 'full',
      sandyHome: '/home/dev/.sandy',
    });
    if (observation.kind === 'blind') throw new Error(observation.text);
    expect(observation.sessions.map((seen) => seen.imageStale)).toContain(true);
    expect(observation.sandboxes).toHaveLength(11);
    expect(durationMs).toBeGreaterThan(0);
    expect(warnings).toEqual([]);
  });

  it('runs print-state with TZ=UTC, no stdin, in the home folder', async () => {
    const { standIn, sandy } = makeFailing(
      '{ echo "$TZ"; pwd; read -r x; echo $?; } > "$HOME/seen"',
    );
    await lookAtSandy(sandy, 'light');
    expect(readFileSync(join(standIn.home, 'seen'), 'utf8')).toBe(`UTC\n${standIn.home}\n1\n`);
  });

  it('reads raw control characters and hostile names as they are', async () => {
    const name = '$(touch x)`id` "q" -rf ünï \u202e😀';
    const workspace = '/ws/a\nb\u001b[31m\u0007';
    const sandbox = {
      name,
      workspace_path: 'HERE',
      lock_held: false,
      lock_holder_pid: null,
      lock_holder_alive: null,
    };
    const text = JSON.stringify({
      ...empty,
      sandboxes: [sandbox],
      running_containers: [{ ...session, sandbox: name }],
    }).replace('HERE', workspace);
    const { observation, warnings } = await lookAtSandy(makePrinting(text).sandy, 'light');
    expect(observation).toMatchObject({
      kind: 'sighted',
      sandboxes: [{ key: name, workspace }],
      sessions: [{ key: name }],
    });
    expect(warnings).toEqual([]);
  });

  it('tells each loss once, and a newer schema once', async () => {
    const broken = { ...session, attached_clients: 'many\u202e' };
    const document = { ...empty, schema_version: 5, running_containers: [broken, broken] };
    const { sandy, print } = makePrinting(JSON.stringify(document));
    const first = await lookAtSandy(sandy, 'light');
    expect(first.observation).toMatchObject({
      kind: 'sighted',
      sessions: [{ attachedClients: null }, {}],
    });
    expect(first.warnings.map((warning) => warning.id)).toEqual([
      'running_containers[].attached_clients: expected integer or null',
      'schema_version 5',
    ]);
    expect((await lookAtSandy(sandy, 'light')).warnings).toEqual([]);
    print(JSON.stringify({ ...document, schema_version: 6 }));
    const third = await lookAtSandy(sandy, 'light');
    expect(third.warnings.map((warning) => warning.id)).toEqual(['schema_version 6']);
  });

  it.each([1, 2, 3, 4])('knows schema version %i', async (schema_version) => {
    const { sandy } = makePrinting(JSON.stringify({ ...empty, schema_version }));
    expect((await lookAtSandy(sandy, 'light')).warnings).toEqual([]);
  });
});

describe('a look that sees nothing', () => {
  it.each([
    [
      'exit code',
      'echo noise >&2; echo "line 137: HOME: \u001b[31munbound" >&2; exit 3',
      'sandy-failed',
      'sandy --print-state light ended with code 3: "line 137: HOME: unbound". ',
    ],
    ['exit code without words', 'exit 1', 'sandy-failed', 'ended with code 1. '],
    [
      'exit code with a whole document',
      `echo '${JSON.stringify(empty)}'; exit 1`,
      'sandy-failed',
      'ended with code 1. ',
    ],
    ['signal', 'kill -TERM $$', 'sandy-failed', 'was killed (SIGTERM). '],
    ['nothing', '', 'unreadable', 'printed something that is not its state. '],
    ['junk', 'echo junk', 'unreadable', 'printed something that is not its state. '],
    [
      'half a document',
      `printf '%s' '${JSON.stringify(empty).slice(0, -20)}'`,
      'unreadable',
      'not its state',
    ],
    ['another document', 'echo "{}"', 'unreadable', 'not its state'],
    [
      'a document without its lists',
      'echo \'{"schema_version":1,"docker_reachable":true}\'',
      'unreadable',
      'not its state',
    ],
    [
      'too deep a document',
      'head -c 1000000 /dev/zero | tr "\\\\0" "["',
      'unreadable',
      'not its state',
    ],
    ['bytes that are no text', 'printf "\\\\377\\\\376{\\\\000"', 'unreadable', 'not its state'],
    [
      '100 MB',
      'echo $$ > "$HOME/pid"; head -c 100000000 /dev/zero',
      'too-large',
      'printed more than 16 MiB and was stopped. ',
    ],
    [
      '100 MB of errors',
      'head -c 100000000 /dev/zero >&2',
      'too-large',
      'printed more than 16 MiB and was stopped. ',
    ],
  ])('%s', async (_name, state, reason, words) => {
    const { sandy } = makeFailing(state.replaceAll('\\\\', '\\'));
    const { observation, warnings } = await lookAtSandy(sandy, 'light');
    expect(observation).toMatchObject({ kind: 'blind', reason, sandboxes: null });
    if (observation.kind === 'sighted') throw new Error('unreachable');
    expect(observation.text).toContain(words);
    expect(observation.text).toMatch(/^sandy --print-state light [^\n]+\. [A-Z][^\n]+\.$/);
    expect(warnings).toEqual([]);
  });

  it.each([
    { docker_reachable: false, running_containers: null },
    { docker_reachable: true, running_containers: null },
  ])('docker away: %j, with the sandboxes', async (away) => {
    const sandbox = {
      name: 'zork',
      lock_held: true,
      lock_holder_pid: '7',
      lock_holder_alive: true,
    };
    const { sandy } = makePrinting(JSON.stringify({ ...empty, ...away, sandboxes: [sandbox] }));
    expect((await lookAtSandy(sandy, 'light')).observation).toEqual({
      kind: 'blind',
      reason: 'docker-unreachable',
      text: 'Docker does not answer. Start it, or see what docker ps says in a terminal.',
      sandboxes: [
        {
          key: 'zork',
          workspace: null,
          workspaceExists: null,
          lock: { kind: 'held', pid: 7, alive: true },
        },
      ],
    });
  });

  it('says when it is our PATH that has no docker', async () => {
    const folder = makeScratchFolder();
    expect(await explainBlindDocker([folder])).toContain('docker was not found in PATH');
    writeScript(join(folder, 'docker'), '');
    expect(await explainBlindDocker([folder])).toContain('Docker does not answer');
  });

  it('a hung sandy is killed with all it started, and the next look is given more time', async () => {
    const hang = 'sleep 1000 & echo $! > "$HOME/pid.new"; mv "$HOME/pid.new" "$HOME/pid"; wait';
    const { standIn, sandy } = makeFailing(hang);
    const pid = join(standIn.home, 'pid');
    const lookAndHang = async () => {
      writeFileSync(pid, '');
      vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
      const look = lookAtSandy(sandy, 'light');
      await vi.waitFor(() => expect(readFileSync(pid, 'utf8')).not.toBe(''), {
        interval: 1,
        timeout: 10_000,
      });
      await vi.advanceTimersByTimeAsync(60_000);
      const { observation } = await look;
      vi.useRealTimers();
      await expectGone(await readPid(pid));
      return observation;
    };
    expect(await lookAndHang()).toMatchObject({
      kind: 'blind',
      reason: 'timed-out',
      text: expect.stringContaining('did not answer within 20 s. '),
    });
    expect(await lookAndHang()).toMatchObject({ text: expect.stringContaining('within 50 s. ') });
    standIn.replace(answerLike('1.7.0'));
    expect((await lookAtSandy(sandy, 'light')).observation.kind).toBe('sighted');
    standIn.replace(answerLike('1.7.0', { state: hang }));
    expect(await lookAndHang()).toMatchObject({ text: expect.stringMatching(/within 2[12] s\. /) });
  });

  it('an aborted look ends at once, with all it started', async () => {
    const { standIn, sandy } = makeFailing('sleep 1000 & echo $! > "$HOME/pid"; wait');
    const controller = new AbortController();
    const look = lookAtSandy(sandy, 'light', controller.signal);
    const grandchild = await readPid(join(standIn.home, 'pid'));
    controller.abort();
    expect((await look).observation.kind).toBe('blind');
    await expectGone(grandchild);
    const late = await lookAtSandy(sandy, 'light', controller.signal);
    expect(late).toMatchObject({ observation: { kind: 'blind' } });
    expect(standIn.readAsked().filter((line) => line.startsWith('--print-state'))).toHaveLength(1);
  });

  it('an aborted look does not wait for a preparation, which goes on for others', async () => {
    const version =
      'echo $$ > "$HOME/pid"; until test -e "$HOME/go"; do sleep 0.02; done; echo sandy 1.7.0';
    const standIn = makeStandIn(answerLike('1.7.0', { version }));
    const sandy = makeClient(standIn);
    const controller = new AbortController();
    const aborted = lookAtSandy(sandy, 'light', controller.signal);
    const patient = lookAtSandy(sandy, 'light');
    await readPid(join(standIn.home, 'pid'));
    controller.abort();
    expect(await aborted).toMatchObject({ observation: { kind: 'blind' }, durationMs: 0 });
    writeFileSync(join(standIn.home, 'go'), '');
    expect((await patient).observation.kind).toBe('sighted');
  });
});
