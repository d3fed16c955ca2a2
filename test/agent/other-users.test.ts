import { spawnSync } from 'node:child_process';
import { chmodSync, lstatSync, mkdirSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'vitest';
import { asNobody, canBeNobody } from '../other-user.ts';
import { isWatching, readRecords, test, until } from './agent-process.ts';
import { updateSession } from './night.ts';

/** Tries one thing as another user; prints `ok`, or the code of the error. */
const attempt = `
  const { readFileSync, writeFileSync, readdirSync } = require('node:fs');
  const [what, path] = process.argv.slice(1);
  const done = (error) => { console.log(error ? error.code : 'ok'); process.exit(); };
  try {
    if (what === 'connect') require('node:net').connect(path).on('connect', () => done()).on('error', done);
    else { ({ read: readFileSync, list: readdirSync, write: (p) => writeFileSync(p, 'x', { flag: 'a' }) })[what](path); done(); }
  } catch (error) { done(error); }`;

test.skipIf(!canBeNobody)(
  'what the agent makes is its user’s alone',
  async ({ program, startAgent }) => {
    const { dir } = await program.addFleet({ sessions: [{ key: 'asa-1' }] });
    // Whatever the folder was like, and whatever the user's habits are.
    mkdirSync(program.ownFolder, { mode: 0o755 });
    chmodSync(program.ownFolder, 0o755);
    await program.run(['config', 'set', 'settleSeconds', '5']);
    const variables = { SANDY_TRAY_TIME_SCALE: '1000' };
    const agent = startAgent({ variables });
    await until(
      () => isWatching(agent) && readRecords(program).some(({ kind }) => kind === 'baseline'),
    );
    updateSession(dir, 'asa-1');
    await until(() => agent.output.stdout.includes('Rolling restart complete'));
    const modes = listFinished(program.ownFolder).map((name) => [
      name,
      lstatSync(join(program.ownFolder, name)).mode & 0o777,
    ]);
    expect(Object.fromEntries(modes)).toEqual({
      'agent.1': 0o600,
      'agent.sock': 0o600,
      'config.json': 0o600,
      'ledger.json': 0o600,
      'log.jsonl': 0o600,
      'sandy-schema.json': 0o600,
      'state.json': 0o600,
    });
    expect(lstatSync(program.ownFolder).mode & 0o777).toBe(0o700);
    // The folders above are the test's: with those open, ours alone keeps others out.
    chmodSync(program.folder, 0o755);
    const as = (what: string, path: string) => {
      const { stdout, stderr } = spawnSync(process.execPath, ['-e', attempt, what, path], {
        ...asNobody,
        encoding: 'utf8',
        env: {},
      });
      return stdout.trim() || stderr;
    };
    expect(as('list', program.folder)).toBe('ok');
    expect(as('list', program.ownFolder)).toBe('EACCES');
    expect(as('write', join(program.ownFolder, 'new'))).toBe('EACCES');
    // And where somebody opened the folder by hand, each file keeps them out itself.
    chmodSync(program.ownFolder, 0o755);
    for (const name of listFinished(program.ownFolder)) {
      const path = join(program.ownFolder, name);
      if (name === 'agent.sock') expect(as('connect', path)).toBe('EACCES');
      else expect([name, as('read', path), as('write', path)]).toEqual([name, 'EACCES', 'EACCES']);
    }
    expect(await agent.stop()).toMatchObject({ code: 0, stderr: '' });
  },
);

/** Without the drafts of what is being written. */
function listFinished(folder: string): readonly string[] {
  return readdirSync(folder).filter((name) => !name.endsWith('.tmp'));
}
