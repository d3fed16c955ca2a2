import { chmodSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { knownSandy } from '../../src/sandy/client.ts';
import { describeSandyCommand } from '../../src/sandy/command.ts';
import { lookAtSandy } from '../../src/sandy/looking.ts';
import { adoptSandy, prepareSandy, prepareToAct } from '../../src/sandy/preparing.ts';
import { makeScratchFolder, writeScript } from '../scratch-folder.ts';
import { answerLike, makeClient, makeStandIn, type StandIn } from './stand-in.ts';

async function expectReady(standIn: StandIn, stateFolder: string | null = null) {
  const readiness = await prepareSandy(makeClient(standIn, { stateFolder }));
  if (readiness.kind !== 'ready') throw new Error(readiness.text);
  return readiness;
}

describe('what an old sandy is asked', () => {
  // A flag that it doesn't know would launch a container.
  it.each([
    ['echo sandy 0.11.3', ['--version'], 'blind'],
    ['echo sandy 0.12.0-dev', ['--version'], 'blind'],
    ['echo sandy', ['--version'], 'blind'],
    ['echo another program', ['--version'], 'blind'],
    ['exit 1', ['--version'], 'blind'],
    ['kill -TERM $$', ['--version'], 'blind'],
  ])('%s', async (version, asked, kind) => {
    const standIn = makeStandIn(answerLike('0.12.0', { version }));
    const sandy = makeClient(standIn);
    expect((await lookAtSandy(sandy, 'light')).observation).toMatchObject({
      kind,
      reason: 'sandy-failed',
      sandboxes: null,
    });
    expect(standIn.readAsked()).toEqual(asked);
  });

  it.each([
    ['0.12.0', ['--print-state', '--print-state'], 'full'],
    ['1.0.0', ['--print-state light', '--print-state'], 'light'],
    ['1.1.0', ['--print-state light', '--print-state'], 'light'],
    ['1.7.0', ['--print-state light', '--print-state'], 'light'],
  ])('%s', async (version, states, mode) => {
    const standIn = makeStandIn(answerLike(version));
    const sandy = makeClient(standIn);
    const first = await lookAtSandy(sandy, 'light');
    expect(first).toMatchObject({ observation: { kind: 'sighted', mode }, warnings: [] });
    expect(await lookAtSandy(sandy, 'full')).toMatchObject({
      observation: { kind: 'sighted', mode: 'full' },
    });
    expect(standIn.readAsked()).toEqual(['--version', '--print-schema', ...states]);
  });
});

describe('what sandy can do', () => {
  it('comes from its list of flags, not from its number', async () => {
    const young = makeStandIn(answerLike('1.7.0', { version: 'echo sandy 0.13.0' }));
    expect((await expectReady(young)).info).toEqual({
      path: young.path,
      version: '0.13.0',
      schemaVersion: 1,
      schemaRead: true,
      capabilities: { attach: true, start: true, stop: true, updateSessions: true },
    });
    const old = makeStandIn(answerLike('1.0.0', { version: 'echo sandy 9.0.0-abc1234' }));
    expect((await expectReady(old)).info).toMatchObject({
      version: '9.0.0-abc1234',
      schemaRead: true,
      capabilities: { attach: false, start: false, stop: false, updateSessions: false },
    });
  });

  it.each(['exit 1', 'echo junk', 'echo "{}"', 'kill -KILL $$'])(
    'is nothing when its schema is “%s”; it is still looked at, and asked again later',
    async (schema) => {
      const standIn = makeStandIn(answerLike('1.7.0', { schema }));
      const sandy = makeClient(standIn, { stateFolder: makeScratchFolder() });
      const first = await lookAtSandy(sandy, 'light');
      expect(first.observation.kind).toBe('sighted');
      expect(first.warnings.map((warning) => warning.id)).toEqual(['print-schema 1.7.0']);
      const light = await lookAtSandy(sandy, 'light');
      expect(light.warnings).toEqual([]);
      expect(standIn.readAsked().filter((line) => line === '--print-schema')).toHaveLength(1);
      const full = await lookAtSandy(sandy, 'full');
      expect(full).toMatchObject({ observation: { kind: 'sighted' }, warnings: [] });
      expect(standIn.readAsked().filter((line) => line === '--print-schema')).toHaveLength(2);
      expect(knownSandy(sandy)).toMatchObject({ schemaRead: false, schemaVersion: null });
    },
  );

  it('is asked once more by whoever is to act, and then no more once it is known', async () => {
    const standIn = makeStandIn(answerLike('1.7.0', { schema: 'exit 1' }));
    const sandy = makeClient(standIn);
    const schemas = () => standIn.readAsked().filter((line) => line === '--print-schema');
    expect(await prepareSandy(sandy)).toMatchObject({ info: { schemaRead: false } });
    expect(await prepareToAct(sandy)).toMatchObject({ info: { schemaRead: false } });
    expect(schemas()).toHaveLength(2);
    standIn.replace(answerLike('1.7.0'));
    const known = { schemaRead: true, capabilities: { updateSessions: true } };
    expect(await prepareToAct(sandy)).toMatchObject({ info: known });
    expect(await prepareToAct(sandy)).toMatchObject({ info: known });
    expect(schemas()).toHaveLength(3);
  });

  it('is taken over from another process with whether it is known', async () => {
    const standIn = makeStandIn(answerLike('1.7.0'));
    const { info } = await expectReady(standIn);
    const sandy = makeClient(standIn);
    await adoptSandy(sandy, { ...info, schemaVersion: null, schemaRead: false });
    expect(await prepareToAct(sandy)).toMatchObject({ info });
    expect(standIn.readAsked().filter((line) => line === '--print-schema')).toHaveLength(2);
    const another = makeClient(standIn);
    await adoptSandy(another, info);
    expect(await prepareToAct(another)).toMatchObject({ info });
    expect(standIn.readAsked().filter((line) => line === '--print-schema')).toHaveLength(2);
  });
});

describe('the kept schema', () => {
  it('saves asking, for exactly this sandy', async () => {
    const state = makeScratchFolder();
    const standIn = makeStandIn(answerLike('1.7.0'));
    const first = await expectReady(standIn, state);
    expect(await expectReady(standIn, state)).toEqual(first);
    expect(standIn.readAsked()).toEqual(['--version', '--print-schema', '--version']);
    standIn.replace(answerLike('1.0.0'));
    expect((await expectReady(standIn, state)).info).toMatchObject({
      version: '1.0.0',
      capabilities: { start: false },
    });
    expect(standIn.readAsked().slice(3)).toEqual(['--version', '--print-schema']);
  });

  it.each([
    ['empty', () => ''],
    ['junk', () => '{'],
    ['of another format', (text: string) => text.replace('"format":1', '"format":2')],
    ['of another version', (text: string) => text.replace('1.7.0', '1.7.1')],
    ['of another file', (text: string) => text.replace('"bytes":', '"bytes":1')],
    ['wrong', (text: string) => text.replace('"flags":[', '"flags":[7,')],
  ])('that is %s is ignored and written anew', async (_name, spoil) => {
    const state = makeScratchFolder();
    const standIn = makeStandIn(answerLike('1.7.0'));
    const first = await expectReady(standIn, state);
    const path = join(state, 'sandy-schema.json');
    const good = readFileSync(path, 'utf8');
    expect(spoil(good)).not.toBe(good);
    writeFileSync(path, spoil(good));
    expect(await expectReady(standIn, state)).toEqual(first);
    expect(readFileSync(path, 'utf8')).toBe(good);
    expect(standIn.readAsked().filter((line) => line === '--print-schema')).toHaveLength(2);
  });

  it('is not missed where none can be written', async () => {
    const standIn = makeStandIn(answerLike('1.7.0'));
    expect(await expectReady(standIn, join(standIn.path, 'below-a-file'))).toMatchObject({
      info: { capabilities: { updateSessions: true } },
    });
  });
});

describe('a sandy that changes', () => {
  it('is asked anew after an upgrade, and not before', async () => {
    const standIn = makeStandIn(answerLike('1.0.0'));
    const sandy = makeClient(standIn);
    await prepareSandy(sandy);
    expect(await prepareSandy(sandy)).toMatchObject({ info: { version: '1.0.0' } });
    expect(standIn.readAsked()).toEqual(['--version', '--print-schema']);
    standIn.replace(answerLike('1.7.0'));
    expect(await prepareSandy(sandy)).toMatchObject({ info: { version: '1.7.0' } });
    expect(standIn.readAsked()).toHaveLength(4);
  });

  it('may go and come back', async () => {
    const standIn = makeStandIn(answerLike('1.7.0'));
    const sandy = makeClient(standIn, { sandyPath: standIn.path });
    expect((await lookAtSandy(sandy, 'light')).observation.kind).toBe('sighted');
    rmSync(standIn.path);
    expect(await lookAtSandy(sandy, 'light')).toMatchObject({
      observation: { kind: 'blind', reason: 'sandy-missing' },
      durationMs: 0,
    });
    standIn.replace(answerLike('1.7.0'));
    chmodSync(standIn.path, 0o644);
    expect((await lookAtSandy(sandy, 'light')).observation).toMatchObject({
      reason: 'sandy-missing',
      text: expect.stringContaining('not executable'),
    });
    chmodSync(standIn.path, 0o755);
    expect((await lookAtSandy(sandy, 'light')).observation.kind).toBe('sighted');
  });

  it('is prepared once for all who wait for it', async () => {
    const standIn = makeStandIn(answerLike('1.7.0'));
    const sandy = makeClient(standIn);
    await Promise.all([prepareSandy(sandy), prepareSandy(sandy), prepareSandy(sandy)]);
    expect(standIn.readAsked()).toEqual(['--version', '--print-schema']);
  });
});

describe('under a service manager’s bare environment', () => {
  const state = 'command -v docker > "$HOME/docker"; env > "$HOME/env"';

  it('sandy and docker are found where only the login shell knows', async () => {
    const standIn = makeStandIn({});
    const brew = join(standIn.home, 'opt/brew bin');
    const { version, schema } = answerLike('1.7.0');
    rmSync(join(standIn.home, '.local'), { recursive: true });
    standIn.replace({});
    writeScript(join(brew, 'sandy'), readFileSync(standIn.path, 'utf8'));
    rmSync(join(standIn.home, '.local'), { recursive: true });
    writeScript(
      join(brew, 'sandy'),
      `case "$1" in --version) ${version} ;; --print-schema) ${schema} ;; --print-state) ${state} ;; esac`,
    );
    const docker = writeScript(join(brew, 'docker'), '');
    writeFileSync(
      join(standIn.home, '.bash_profile'),
      `echo motd; export PATH="${brew}:$PATH" DOCKER_CONTEXT=mine ANTHROPIC_API_KEY=key`,
    );
    const sandy = makeClient(standIn, {
      onTerminal: false,
      environment: { HOME: standIn.home, SHELL: '/bin/bash', INVOCATION_ID: 'x', NODE_OPTIONS: '' },
    });
    await lookAtSandy(sandy, 'light');
    expect(readFileSync(join(standIn.home, 'docker'), 'utf8')).toBe(`${docker}\n`);
    const environment = readFileSync(join(standIn.home, 'env'), 'utf8').split('\n');
    expect(environment).toEqual(
      expect.arrayContaining(['DOCKER_CONTEXT=mine', 'ANTHROPIC_API_KEY=key', 'TZ=UTC']),
    );
    expect(environment.join('\n')).not.toMatch(/INVOCATION_ID|NODE_OPTIONS|SANDY_TRAY_ASKING/);
  });

  it('sandy and docker are found in the usual folders when the shell does not answer', async () => {
    const standIn = makeStandIn(answerLike('1.7.0', { state }));
    const sandy = makeClient(standIn, {
      onTerminal: false,
      environment: { HOME: standIn.home, SHELL: '/bin/false' },
    });
    const { warnings } = await lookAtSandy(sandy, 'light');
    expect(warnings.map((warning) => warning.id)).toEqual(['login-shell']);
    expect(readFileSync(join(standIn.home, 'docker'), 'utf8')).toBe(
      `${join(standIn.home, '.local/bin/docker')}\n`,
    );
  });

  it('the login shell is asked once, and again only after it failed and on a full look', async () => {
    const standIn = makeStandIn(answerLike('1.7.0'));
    const shell = join(standIn.home, 'shell');
    const environment = { HOME: standIn.home, SHELL: shell };
    const asked = join(standIn.home, 'shell-asked');
    const count = () => readFileSync(asked, 'utf8').trimEnd().split('\n').length;
    writeScript(shell, `echo "$1" >> '${asked}'; exit 1`);
    const sandy = makeClient(standIn, { onTerminal: false, environment });
    await lookAtSandy(sandy, 'light');
    await lookAtSandy(sandy, 'light');
    expect(readFileSync(asked, 'utf8')).toBe('-lic\n-lc\n');
    writeScript(
      shell,
      `echo "$1" >> '${asked}'; PATH=/from-shell:/usr/bin:/bin; export PATH; eval "$2"`,
    );
    await lookAtSandy(sandy, 'full');
    await lookAtSandy(sandy, 'full');
    expect(count()).toBe(3);
    expect(await prepareSandy(sandy)).toMatchObject({
      environment: { PATH: expect.stringMatching(/^\/from-shell:/) },
    });
  });
});

describe('a sandy command', () => {
  it('is the program, its arguments as they are, the whole environment and an existing folder', async () => {
    const standIn = makeStandIn(answerLike('1.7.0'));
    const ready = await expectReady(standIn);
    const args = ['--stop', '--workspace', '/ws/$(x) "y"\n-z'];
    expect(describeSandyCommand(ready, args)).toEqual({
      file: standIn.path,
      args,
      environment: ready.environment,
      cwd: standIn.home,
    });
  });

  it('runs in / where home is no folder', async () => {
    const standIn = makeStandIn(answerLike('1.7.0'));
    const environment = { PATH: join(standIn.home, '.local/bin'), HOME: '/nonexistent/home' };
    const ready = await prepareSandy(makeClient(standIn, { environment }));
    expect(ready).toMatchObject({ kind: 'ready', cwd: '/' });
  });
});
