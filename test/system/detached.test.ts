import { spawn } from 'node:child_process';
import { once } from 'node:events';
import {
  existsSync,
  openSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it, onTestFinished, vi } from 'vitest';
import { type DetachedRequest, startDetached, waitForEnd } from '../../src/system/detached.ts';
import { withholdDescriptor } from '../../src/system/leaked-descriptors.ts';
import { identifyProcess, isAlive } from '../../src/system/process-identity.ts';
import { type Bundle, bundleScript, startScript } from '../node-script.ts';
import { makeScratchFolder, writeScript } from '../scratch-folder.ts';

const environment = { PATH: '/usr/bin:/bin' };

function request(changes: Partial<DetachedRequest> = {}): DetachedRequest {
  const folder = makeScratchFolder();
  const outputPath = join(folder, 'output.log');
  return { file: 'sh', args: [], environment, cwd: folder, outputPath, ...changes };
}

async function start(changes: Partial<DetachedRequest>) {
  const asked = request(changes);
  const outcome = await startDetached(asked);
  if (outcome.kind !== 'started') throw new Error(outcome.kind);
  onTestFinished(() => {
    killIfThere(outcome.process.pid);
  });
  return { ...asked, ...outcome };
}

function killIfThere(pid: number): void {
  try {
    process.kill(pid, 'SIGKILL');
  } catch {
    // It has ended already.
  }
}

function listDescriptors(pid: number): [number, string][] {
  return readdirSync(`/proc/${pid}/fd`)
    .map((name): [number, string] => [Number(name), readlinkSync(`/proc/${pid}/fd/${name}`)])
    .sort(([one], [other]) => one - other);
}

describe('starting a detached command', () => {
  it('runs it with this environment and folder, and appends all that it prints', async () => {
    const asked = request({
      args: [
        '-c',
        'echo "$0"; echo "$A|$(env | cut -d= -f1 | grep -c ANOTHER)"; pwd; echo b >&2',
        'a; b',
      ],
      environment: { ...environment, A: '1 2' },
    });
    writeFileSync(asked.outputPath, 'before\n');
    vi.stubEnv('ANOTHER', '1');
    const outcome = await startDetached(asked);
    vi.unstubAllEnvs();
    if (outcome.kind !== 'started') throw new Error(outcome.kind);
    expect(await outcome.ended).toEqual({ code: 0, signal: null });
    expect(readFileSync(asked.outputPath, 'utf8')).toBe(`before\na; b\n1 2|0\n${asked.cwd}\nb\n`);
  });

  it('makes the output for this user only, and appends to it whoever else shortens it', async () => {
    const gate = join(makeScratchFolder(), 'gate');
    const { outputPath, ended } = await start({
      args: ['-c', `echo long line; mkfifo ${gate}; read -r _ < ${gate}; echo end`],
    });
    await vi.waitFor(() => expect(existsSync(gate)).toBe(true), { timeout: 20_000 });
    expect(statSync(outputPath).mode & 0o777).toBe(0o600);
    writeFileSync(outputPath, '');
    writeFileSync(gate, 'go\n');
    await ended;
    expect(readFileSync(outputPath, 'utf8')).toBe('end\n');
  });

  it('leads a process session of its own', async () => {
    const { process: identity } = await start({ file: 'sleep', args: ['1000'] });
    const ps = spawn('ps', ['-o', 'pgid=', '-o', 'sess=', '-p', String(identity.pid)]);
    const [line] = await once(ps.stdout.setEncoding('utf8'), 'data');
    // The session's number is what macOS does not print.
    const [group, session] = String(line).trim().split(/\s+/).map(Number);
    expect(group).toBe(identity.pid);
    if (process.platform === 'linux') expect(session).toBe(identity.pid);
    expect(await identifyProcess(identity.pid)).toEqual(identity);
  });

  it.runIf(process.platform === 'linux')('has nothing of ours in its hands', async () => {
    // Node's own are never passed on: what counts is that a stand-in takes the place of this one.
    const leaked = openSync('/dev/zero', 'r');
    onTestFinished(withholdDescriptor(leaked));
    const { outputPath, process: identity } = await start({ file: 'sleep', args: ['1000'] });
    // Whoever runs the tests may have left something to every process below.
    const plain = spawn('sleep', ['1000'], { stdio: 'ignore' });
    onTestFinished(() => {
      plain.kill('SIGKILL');
    });
    const everybody = listDescriptors(plain.pid ?? 0);
    expect(
      listDescriptors(identity.pid).filter(
        ([number, target]) => !everybody.some((one) => one[0] === number && one[1] === target),
      ),
    ).toEqual([
      [1, outputPath],
      [2, outputPath],
      [leaked, '/dev/null'],
    ]);
    expect(everybody[0]).toEqual([0, '/dev/null']);
  });

  it('names one that has ended at once', async () => {
    for (let round = 0; round < 20; round += 1) {
      const { process: identity, ended } = await start({ file: 'true' });
      expect(await ended).toEqual({ code: 0, signal: null });
      expect(await isAlive(identity)).toBe(false);
    }
  });

  it('tells the exit code and the signal', async () => {
    expect(await (await start({ args: ['-c', 'exit 3'] })).ended).toEqual({
      code: 3,
      signal: null,
    });
    const killed = await start({ args: ['-c', 'kill -9 $$'] });
    expect(await killed.ended).toEqual({ code: null, signal: 'SIGKILL' });
  });

  it.each<[string, Partial<DetachedRequest>, string]>([
    ['no such file', { file: 'no-such-file' }, 'ENOENT'],
    ['no such folder', { cwd: '/no/such/folder' }, 'ENOENT'],
    ['nowhere to print', { outputPath: '/no/such/folder/output.log' }, 'ENOENT'],
    ['NUL in an argument', { args: ['a\0b'] }, 'EINVAL'],
    ['NUL in a folder', { cwd: '/tmp\0' }, 'EINVAL'],
    ['NUL in a variable', { environment: { ...environment, A: '\0' } }, 'EINVAL'],
    ['too much of it', { args: ['x'.repeat(10_000_000)] }, 'E2BIG'],
  ])('says why it could not start: %s', async (_, changes, errorCode) => {
    expect(await startDetached(request(changes))).toEqual({ kind: 'not-started', errorCode });
  });

  it('can’t run what is not executable', async () => {
    const file = join(makeScratchFolder(), 'text');
    writeFileSync(file, '');
    expect(await startDetached(request({ file }))).toEqual({
      kind: 'not-started',
      errorCode: 'EACCES',
    });
  });

  it('keeps its number when something execs it', async () => {
    const started = await start({
      args: ['-c', 'exec sleep 1000'],
      wrap: ({ file, args, ...rest }) => ({ ...rest, file: 'env', args: ['A=1', file, ...args] }),
    });
    expect(await isAlive(started.process)).toBe(true);
  });
});

describe('outliving who started it', () => {
  let starter: Bundle;
  beforeAll(async () => {
    starter = await bundleScript(join(import.meta.dirname, 'detached-starter.ts'));
    return starter.remove;
  });
  afterAll(() => starter.remove());

  it.each([
    ['it is killed', (pid: number) => process.kill(pid, 'SIGKILL')],
    ['its process group is ended', (pid: number) => process.kill(-pid, 'SIGTERM')],
    ['its process group is hung up', (pid: number) => process.kill(-pid, 'SIGHUP')],
  ])('goes on when %s, and the next one adopts it', async (_, end) => {
    const asked = request();
    const script = writeScript(
      join(asked.cwd, 'command'),
      `echo begun; mkfifo gate; read -r _ < gate; echo done`,
    );
    // In a group of its own: nobody else is to be signalled with it.
    const owner = spawn(process.execPath, [starter.file], {
      stdio: ['pipe', 'pipe', 'inherit'],
      detached: true,
    });
    onTestFinished(() => {
      owner.kill('SIGKILL');
    });
    owner.stdin.write(`${JSON.stringify({ ...asked, file: script })}\n`);
    const [line] = await once(owner.stdout.setEncoding('utf8'), 'data');
    const outcome = JSON.parse(line);
    expect(outcome).toMatchObject({ kind: 'started' });
    onTestFinished(() => killIfThere(outcome.process.pid));
    await vi.waitFor(() => expect(existsSync(join(asked.cwd, 'gate'))).toBe(true), {
      timeout: 20_000,
    });
    const gone = once(owner, 'exit');
    end(owner.pid ?? 0);
    await gone;

    expect(await isAlive(outcome.process)).toBe(true);
    const ended = waitForEnd(outcome.process, { everyMs: 5 });
    writeFileSync(join(asked.cwd, 'gate'), 'go\n');
    expect(await ended).toBe('ended');
    expect(readFileSync(asked.outputPath, 'utf8')).toBe('begun\ndone\n');
  });

  it('keeps nobody from ending', async () => {
    const asked = request({ file: 'sleep', args: ['1000'] });
    const owner = startScript(starter.file, []);
    owner.tell(JSON.stringify(asked));
    const outcome = (await owner.hear()) as { process: { pid: number; birth: string } };
    onTestFinished(() => killIfThere(outcome.process.pid));
    owner.child.stdin?.end();
    expect(await owner.ended).toBe(0);
    expect(await isAlive(outcome.process)).toBe(true);
  });
});

describe('waiting for the end of a process', () => {
  it('does not wait for another process under its number', async () => {
    const { process: identity } = await start({ file: 'sleep', args: ['1000'] });
    const other = { ...identity, birth: `${identity.birth}0` };
    expect(await waitForEnd(other, { everyMs: 1_000_000 })).toBe('ended');
  });

  it('ends at once when the caller gives up', async () => {
    const { process: identity } = await start({ file: 'sleep', args: ['1000'] });
    const giveUp = new AbortController();
    const waiting = waitForEnd(identity, { signal: giveUp.signal, everyMs: 1_000_000 });
    giveUp.abort();
    expect(await waiting).toBe('aborted');
    expect(await waitForEnd(identity, { signal: giveUp.signal, everyMs: 1 })).toBe('aborted');
  });
});
