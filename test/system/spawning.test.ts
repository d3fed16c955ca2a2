import { chmodSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { type ChildRequest, runChild } from '../../src/system/spawning.ts';
import { expectGone, isRunning, readPid } from '../processes.ts';
import { makeScratchFolder, writeScript } from '../scratch-folder.ts';

const PATH = '/usr/bin:/bin';

function request(file: string, more: Partial<ChildRequest> = {}): ChildRequest {
  return {
    file,
    args: [],
    environment: { PATH },
    cwd: '/',
    limitMs: 30_000,
    maxOutputBytes: 1024 * 1024,
    killing: 'child',
    ...more,
  };
}

describe('running a child', () => {
  it('gives its words and its code', async () => {
    const file = writeScript(join(makeScratchFolder(), 'x'), 'echo out; echo err >&2; exit 7');
    expect(await runChild(request(file))).toMatchObject({
      kind: 'exited',
      code: 7,
      stdout: 'out\n',
      stderrTail: 'err\n',
    });
  });

  it('hands arguments over as they are, and only the given environment', async () => {
    const file = writeScript(join(makeScratchFolder(), 'x'), 'printf "[%s]" "$@"; env');
    const args = ['', '-rf', '$(touch x)', '`id`', 'a\nb', '"q" \'s\'', 'é\u202e'];
    const outcome = await runChild(request(file, { args, environment: { PATH, ONLY: '1' } }));
    const stdout = outcome.kind === 'exited' ? outcome.stdout : '';
    expect(stdout.startsWith(args.map((arg) => `[${arg}]`).join(''))).toBe(true);
    expect(stdout).toContain('ONLY=1');
    expect(stdout).not.toContain('VITEST');
  });

  it('closes stdin', async () => {
    const file = writeScript(join(makeScratchFolder(), 'x'), 'read -r line; echo "code $?"');
    expect(await runChild(request(file))).toMatchObject({ stdout: 'code 1\n' });
  });

  it('keeps only the end of stderr', async () => {
    const script =
      'i=0; while [ $i -lt 3000 ]; do echo 0123456789 >&2; i=$((i+1)); done; echo last >&2';
    const outcome = await runChild(request(writeScript(join(makeScratchFolder(), 'x'), script)));
    const tail = outcome.kind === 'exited' ? outcome.stderrTail : '';
    expect(tail.length).toBe(8 * 1024);
    expect(tail.endsWith('\nlast\n')).toBe(true);
  });

  it('names the signal that ended it', async () => {
    const file = writeScript(join(makeScratchFolder(), 'x'), 'kill -KILL $$');
    expect(await runChild(request(file))).toMatchObject({ kind: 'signalled', signal: 'SIGKILL' });
  });

  it('tells the ways in which a child does not even start', async () => {
    const folder = makeScratchFolder();
    const plain = join(folder, 'plain');
    writeFileSync(plain, 'text');
    chmodSync(plain, 0o644);
    mkdirSync(join(folder, 'sub'));
    const noInterpreter = join(folder, 'no-interpreter');
    writeFileSync(noInterpreter, '#!/nonexistent/sh\n');
    chmodSync(noInterpreter, 0o755);
    const kinds = [
      [join(folder, 'missing'), 'not-found'],
      [noInterpreter, 'not-found'],
      [join(plain, 'below-a-file'), 'not-found'],
      [plain, 'not-executable'],
      [join(folder, 'sub'), 'not-executable'],
    ] as const;
    for (const [file, kind] of kinds) expect(await runChild(request(file))).toMatchObject({ kind });
    const unspeakable = request('/bin/echo', { args: ['a\0b'] });
    expect(await runChild(unspeakable)).toMatchObject({
      kind: 'not-started',
      errorCode: 'EINVAL',
    });
  });

  it('kills the whole group at the time limit', async () => {
    const folder = makeScratchFolder();
    const file = writeScript(
      join(folder, 'x'),
      `echo begun; sleep 1000 & echo $! > ${folder}/pid; wait`,
    );
    const outcome = await runChild(request(file, { killing: 'group', limitMs: 2_000 }));
    expect(outcome).toMatchObject({ kind: 'timed-out', limitMs: 2_000, stdout: 'begun\n' });
    await expectGone(await readPid(join(folder, 'pid')));
  });

  it('kills nothing but the child where it may have started something that must live', async () => {
    const folder = makeScratchFolder();
    const file = writeScript(
      join(folder, 'x'),
      `echo $$ > ${folder}/own; sleep 1000 & echo $! > ${folder}/pid; wait`,
    );
    expect(await runChild(request(file, { limitMs: 2_000 }))).toMatchObject({ kind: 'timed-out' });
    await expectGone(await readPid(join(folder, 'own')));
    const grandchild = await readPid(join(folder, 'pid'));
    expect(isRunning(grandchild)).toBe(true);
    process.kill(grandchild, 'SIGKILL');
  });

  it.each(['stdout', 'stderr'])('stops at the cap, on %s too', async (stream) => {
    const folder = makeScratchFolder();
    const to = stream === 'stdout' ? '' : '>&2';
    const file = writeScript(join(folder, 'x'), `echo $$ > ${folder}/pid; yes ${to}`);
    const outcome = await runChild(request(file, { killing: 'group' }));
    expect(outcome).toMatchObject({ kind: 'too-large', maxOutputBytes: 1024 * 1024 });
    await expectGone(await readPid(join(folder, 'pid')));
  });

  it('ends with its caller’s patience, and does not begin after it', async () => {
    const folder = makeScratchFolder();
    const file = writeScript(join(folder, 'x'), `sleep 1000 & echo $! > ${folder}/pid; wait`);
    const controller = new AbortController();
    const running = runChild(request(file, { killing: 'group', signal: controller.signal }));
    const grandchild = await readPid(join(folder, 'pid'));
    controller.abort();
    expect(await running).toMatchObject({ kind: 'aborted' });
    await expectGone(grandchild);
    const late = request(file, { signal: controller.signal });
    expect(await runChild(late)).toMatchObject({ kind: 'aborted' });
  });

  it('does not wait for a grandchild that keeps the pipes', async () => {
    const folder = makeScratchFolder();
    const file = writeScript(join(folder, 'x'), `echo all; sleep 1000 & echo $! > ${folder}/pid`);
    const outcome = await runChild(request(file));
    expect(outcome).toMatchObject({ kind: 'exited', code: 0, stdout: 'all\n' });
    process.kill(await readPid(join(folder, 'pid')), 'SIGKILL');
  });

  it('reads all of a large output', async () => {
    const file = writeScript(join(makeScratchFolder(), 'x'), 'yes 0123456 | head -c 1048576');
    const outcome = await runChild(request(file));
    expect(outcome.kind === 'exited' && outcome.stdout.length).toBe(1024 * 1024);
  });
});
