/** What README tells people to type is there, and does what it says. */

import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test as plainTest } from 'vitest';
import { catalogue } from '../src/commands/catalogue.ts';
import { test } from './commands/services.ts';
import { PROGRAM, writeScript } from './program.ts';

const ROOT = join(import.meta.dirname, '..');
const README = readFileSync(join(ROOT, 'README.md'), 'utf8');
const { scripts } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8'));

interface Block {
  readonly language: string;
  readonly lines: readonly string[];
}

const blocks: readonly Block[] = [...README.matchAll(/^```(\w*)\n(.*?)\n```$/gms)].map(
  ([, language = '', text = '']) => ({ language, lines: text.split('\n') }),
);
const commands = blocks
  .filter(({ lines }) =>
    lines.every((line) => /^(npm|sandy-tray|eval|SANDY_TRAY_\w+=|\s+#)/.test(line)),
  )
  .flatMap(({ lines }) => lines)
  .filter((line) => !/^\s+#/.test(line))
  .map((line) => line.replace(/\s+#.*$/, ''));

/** Every `sandy-tray …` of the text, as its command and its options. */
const mentions = [...README.matchAll(/`(?:sandy-tray|node dist\/main\.js) ([a-z]+)([^`]*)`/g)].map(
  ([, command = '', rest = '']) => ({ command, options: rest.match(/--[a-z-]+/g) ?? [] }),
);

plainTest('there is something to be typed', () => {
  expect(commands.length).toBeGreaterThan(10);
  expect(mentions.length).toBeGreaterThan(30);
});

plainTest.each(commands.filter((line) => line.includes('npm')))('%s: npm knows it', (line) => {
  for (const [, script = ''] of line.matchAll(/npm (?:run )?(\S+)/g)) {
    if (script === 'ci' || script === 'install') continue;
    expect(Object.keys(scripts)).toContain(script);
  }
});

plainTest(
  'every command that is spoken of is there, with its options, and the other way round',
  () => {
    for (const { command, options } of mentions) {
      const known = catalogue[command];
      expect(known, command).toBeDefined();
      const help = [known?.usage, ...(known?.details ?? [])].join(' ');
      for (const option of options) {
        if (option !== '--help') expect(help, `${command} ${option}`).toContain(option);
      }
    }
    const spoken = new Set(mentions.map(({ command }) => command));
    expect(Object.keys(catalogue).filter((command) => !spoken.has(command))).toEqual([]);
  },
);

plainTest('every picture and file that is linked is there', () => {
  for (const [, path = ''] of README.matchAll(/\]\(([^)#:]+)\)/g)) {
    expect(existsSync(join(ROOT, path)), path).toBe(true);
  }
  const anchors = [...README.matchAll(/^#+ (.*)$/gm)].map(([, title = '']) =>
    title
      .toLowerCase()
      .replaceAll(/[^\w -]/g, '')
      .replaceAll(' ', '-'),
  );
  for (const [, anchor] of README.matchAll(/\]\(#([^)]+)\)/g)) expect(anchors).toContain(anchor);
});

const shellArguments = {
  bash: ['--norc', '--noprofile', '-euc'],
  fish: ['--no-config', '-c'],
} as const;

describe('what is typed runs', () => {
  const typed = commands.filter((line) => line.includes('sandy-tray') && !line.includes('npm '));
  test.for(typed)('%s', async (line, { services, program, skip }) => {
    const shell = /\bfish\b/.test(line) ? 'fish' : 'bash';
    skip(spawnSync(shell, ['--version']).status !== 0, `there is no ${shell} on this machine`);
    writeScript(join(services.bin, 'sandy-tray'), `exec '${process.execPath}' '${PROGRAM}' "$@"`);
    const args = [...shellArguments[shell], line];
    const ran = spawnSync(shell, args, { env: program.environment, encoding: 'utf8' });
    expect({ status: ran.status, stderr: ran.stderr }).toEqual({ status: 0, stderr: '' });
  });
});
