import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, realpathSync, rmdirSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { describe, expect, it, onTestFinished } from 'vitest';
import {
  findSandyProcesses,
  findUpdateProcesses,
  leaveOutForks,
  parsePsLine,
  parseSandyCommand,
} from '../../src/sandy/update-processes.ts';
import { listDescendants } from '../../src/system/process-tree.ts';
import { writeScript } from '../program.ts';
import { makeScratchFolder } from '../scratch-folder.ts';

const update = { verb: 'update-sessions', dryRun: false, named: null };

describe('a command line', () => {
  it.each([
    ['sandy --update-sessions --yes', update],
    ['/opt/bin/sandy --update-sessions', update],
    ['bash /opt/bin/sandy --update-sessions', update],
    ['/usr/bin/env bash /opt/bin/sandy --update-sessions', update],
    ['sandy --update-sessions --dry-run', { ...update, dryRun: true }],
    ['sandy --update-sessions --workspace /w --yes', { ...update, named: '/w' }],
    ['sandy --workspace /w --update-sessions', { ...update, named: '/w' }],
    ['sandy --update-sessions --workspace', update],
    ['bash sandy --start --workspace /w', { verb: 'start', dryRun: false, named: '/w' }],
    ['sandy --stop', { verb: 'stop', dryRun: false, named: null }],
    ['sandy --print-state', null],
    ['sandy --attach --workspace /w', null],
    ['sandy --start-over', null],
    ['sandy --stop-all --yes', null],
    ['--start sandy', null],
    ['grep -- --update-sessions sandy', null],
    ['vim notes-on-sandy --start', null],
    ['node a b c d sandy --start', null],
    ['', null],
  ])('%s', (line, expected) => {
    expect(parseSandyCommand(line.split(' '))).toEqual(expected);
  });

  it('is read whatever it says', () => {
    const word = fc.oneof(
      fc.string(),
      fc.constantFrom('sandy', '--start', '--stop', '--workspace', '--dry-run', '/w'),
    );
    fc.assert(
      fc.property(fc.array(word, { maxLength: 8 }), (args) => {
        const command = parseSandyCommand(args);
        if (command === null) return;
        expect(args).toContain(`--${command.verb}`);
        if (command.named !== null) expect(args).toContain(command.named);
      }),
    );
  });
});

describe('a line of ps', () => {
  it.each([
    ['  12 7 01:05 bash /b/sandy --start --workspace /my work/a', 65_000, 'start', '/my work/a'],
    [
      '12 7 02:00:00 sandy --update-sessions --workspace /my work/a --yes',
      7_200_000,
      'update-sessions',
      '/my work/a',
    ],
    ['12 7 1-00:00:01 sandy --stop', 86_401_000, 'stop', null],
  ])('%s', (line, ageMs, verb, named) => {
    const [found, ...more] = parsePsLine(line);
    expect(more).toEqual([]);
    expect(found).toMatchObject({ pid: 12, parentPid: 7, ageMs });
    expect(parseSandyCommand(found?.args ?? [])).toMatchObject({ verb, named });
  });

  it.each([
    '',
    'PID COMMAND',
    '12 7 00:01 sandy --print-state',
    '12 00:01 sandy --start',
    'x sandy --start',
    '12',
  ])('“%s” is none', (line) => {
    expect(parsePsLine(line)).toEqual([]);
  });
});

describe('a process that another one has forked', () => {
  const of = (
    pid: number,
    parentPid: number | null,
    verb: 'start' | 'update-sessions' = 'start',
  ) => ({
    pid,
    parentPid,
    verb,
  });

  it.each([
    ['is left out', [of(5, 1), of(6, 5)], [5]],
    ['wherever it stands', [of(4, 5), of(5, 1)], [5]],
    ['however deep', [of(7, 6), of(6, 5), of(5, 1)], [5]],
    ['but not with another verb', [of(5, 1, 'update-sessions'), of(6, 5)], [5, 6]],
    ['nor beside another one', [of(5, 1), of(6, 1)], [5, 6]],
    ['nor where nobody can say', [of(5, null), of(6, null)], [5, 6]],
  ])('%s', (_, found, left) => {
    expect(leaveOutForks(found).map(({ pid }) => pid)).toEqual(left);
  });
});

/** A sandy that is at work until its input ends. */
async function startSandy(...args: readonly string[]): Promise<ChildProcess> {
  return startScript('echo at work; read line', args);
}

async function startScript(
  lines: string,
  args: readonly string[],
  cwd = '/',
): Promise<ChildProcess> {
  const script = writeScript(join(makeScratchFolder(), 'sandy'), lines);
  const child = spawn(script, args, { cwd, stdio: ['pipe', 'pipe', 'ignore'] });
  onTestFinished(async () => {
    if (child.exitCode !== null || child.signalCode !== null) return;
    child.kill('SIGKILL');
    await once(child, 'exit');
  });
  await once(child.stdout as NodeJS.ReadableStream, 'data');
  return child;
}

describe('the living processes', () => {
  it('are found with what they do, until they end', async () => {
    const named = '/a folder/with --start in it';
    const started = await startSandy('--start', '--workspace', named);
    const dry = await startSandy('--update-sessions', '--dry-run');
    const probe = await startSandy('--print-state');
    const find = async (pid: number | undefined) =>
      (await findSandyProcesses())?.find((one) => one.pid === pid);
    expect(await find(started.pid)).toEqual({
      pid: started.pid,
      ageMs: expect.toSatisfy((ms) => ms >= -1_000 && ms < 120_000),
      verb: 'start',
      dryRun: false,
      named: process.platform === 'linux' ? named : expect.any(String),
    });
    expect(await find(dry.pid)).toMatchObject({ verb: 'update-sessions', dryRun: true });
    expect(await find(probe.pid)).toBeUndefined();
    started.stdin?.end();
    await once(started, 'exit');
    expect(await find(started.pid)).toBeUndefined();
  });

  it('that update are told apart from starts, and ours from others', async () => {
    const ours = await startSandy('--update-sessions', '--yes', '--workspace', '/');
    const others = await startSandy('--update-sessions', '--yes');
    const start = await startSandy('--start');
    const found = await findUpdateProcesses(new Set([ours.pid ?? 0]));
    const of = ({ pid }: ChildProcess) => found?.find((one) => one.pid === pid);
    expect(of(ours)).toEqual({ pid: ours.pid, ours: true, dryRun: false, workspace: '/' });
    expect(of(others)).toEqual({ pid: others.pid, ours: false, dryRun: false, workspace: null });
    expect(of(start)).toBeUndefined();
  });

  it.each([
    ['ours', (pid: number) => new Set([pid])],
    ['others', () => new Set<number>()],
  ])('are one command with all that a shell forks for it: %s', async (whose, oursFrom) => {
    // As sandy builds an image: a shell in parentheses, and one within it.
    const builds = 'exec 3<&0; ( ( read line <&3; : ) & echo forked; wait ) & wait';
    const sandy = await startScript(builds, ['--update-sessions', '--yes']);
    const pid = sandy.pid ?? 0;
    const family = async () => (await listDescendants(pid))?.map((one) => one.pid) ?? [];
    expect(await family()).toHaveLength(2);
    const members = [pid, ...(await family())];
    const found = await findUpdateProcesses(oursFrom(pid));
    expect(found?.filter((one) => members.includes(one.pid))).toEqual([
      { pid, ours: whose === 'ours', dryRun: false, workspace: null },
    ]);
    sandy.stdin?.end();
    await once(sandy, 'exit');
  });

  it('are about the folder that they mean, however they name it', async () => {
    const folder = realpathSync(makeScratchFolder());
    const work = join(folder, 'work');
    mkdirSync(work);
    symlinkSync(work, join(folder, 'link'));
    const lines = 'echo at work; read line';
    const workspaceOf = async (named: string, cwd: string) => {
      const { pid } = await startScript(lines, ['--update-sessions', '--workspace', named], cwd);
      return (await findUpdateProcesses())?.find((one) => one.pid === pid)?.workspace;
    };
    // Where there is no /proc, nobody can say what a path within a folder means.
    const within = process.platform === 'linux' ? work : null;
    expect(await workspaceOf(`${work}/`, '/')).toBe(work);
    expect(await workspaceOf(join(folder, 'link'), '/')).toBe(work);
    expect(await workspaceOf('.', work)).toBe(within);
    expect(await workspaceOf('.', join(folder, 'link'))).toBe(within);
    expect(await workspaceOf('../link/', work)).toBe(within);
    expect(await workspaceOf('', work)).toBeNull();
    expect(await workspaceOf(join(folder, 'nothing'), '/')).toBeNull();
    rmdirSync(work);
    expect(await workspaceOf(work, '/')).toBeNull();
  });
});
