import { join } from 'node:path';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  composeAgentPlist,
  composeAgentUnit,
  composeAutostart,
  composeUpdatePlist,
  composeUpdateTimer,
  composeUpdateUnit,
  findUnwritable,
  parseTime,
  readSchedule,
  type Schedule,
  type ServiceFacts,
  type ServiceFileKind,
} from '../../src/service/service-files.ts';
import { fillTemplate, readTemplatesFrom } from '../../src/service/templates.ts';
import { parseDesktopExec, parsePlist, parseUnitWords, readKey } from './parsers.ts';

const root = join(import.meta.dirname, '..', '..');
const read = readTemplatesFrom(root);

const facts: ServiceFacts = {
  program: ['/usr/bin/node', '/opt/sandy-tray/dist/main.js'],
  variables: [['PATH', '/opt/bin:/usr/bin']],
  home: '/home/me',
  logs: '/home/me/logs',
};
const schedule: Schedule = { hour: 4, minute: 5, idleMinutes: 30 };
const update = ['update', '--all', '--idle-for', '30', '--yes', '--origin', 'schedule'];

const path = (characters: string) =>
  fc.string({ unit: fc.constantFrom(...characters) }).map((text) => `/${text}`);
const hostile = fc.oneof(
  { weight: 30, arbitrary: path('a /\\"\'%$`=:;&<>[]{}()*?~|#@!,é☃𝄞\u2028') },
  { weight: 1, arbitrary: path('a\n\t\r\x1b\x00\x7f\x85\ud800\uffff') },
);
const givenFacts = fc.record({
  program: fc.tuple(hostile, hostile),
  variables: fc.array(fc.tuple(fc.constantFrom('PATH', 'SANDY_TRAY_DIR'), hostile), {
    minLength: 1,
    maxLength: 2,
  }),
  home: hostile,
  logs: hostile,
});

describe('whatever the paths are, the file says them, or is not written', () => {
  const check = (kind: ServiceFileKind, examine: (given: ServiceFacts) => void) => {
    let written = 0;
    fc.assert(
      fc.property(givenFacts, (given) => {
        if (findUnwritable(given, kind) !== null) return;
        written += 1;
        examine(given);
      }),
      { numRuns: 3_000 },
    );
    expect(written).toBeGreaterThan(100);
  };
  const pairs = ({ variables }: ServiceFacts) =>
    variables.map(([name, value]) => `${name}=${value}`);

  test('unit', () => {
    check('unit', (given) => {
      for (const [text, command] of [
        [composeAgentUnit(read, given), ['run']],
        [composeUpdateUnit(read, given, schedule), update],
      ] as const) {
        const [exec = '', ...more] = readKey(text, 'ExecStart');
        expect(more).toEqual([]);
        expect(parseUnitWords(exec, 'doubled')).toEqual([...given.program, ...command]);
        const lines = readKey(text, 'Environment');
        expect(lines.map((line) => parseUnitWords(line, 'plain'))).toEqual(
          pairs(given).map((pair) => [pair]),
        );
      }
    });
  });

  test('autostart', () => {
    check('autostart', (given) => {
      const [exec = '', ...more] = readKey(composeAutostart(read, given), 'Exec');
      expect(more).toEqual([]);
      expect(parseDesktopExec(exec)).toEqual([
        '/usr/bin/env',
        ...pairs(given),
        ...given.program,
        'run',
      ]);
    });
  });

  test('plist', () => {
    check('plist', (given) => {
      if (new Set(given.variables.map(([name]) => name)).size < given.variables.length) return;
      expect(parsePlist(composeAgentPlist(read, given))).toMatchObject({
        ProgramArguments: [...given.program, 'run'],
        EnvironmentVariables: Object.fromEntries(given.variables),
        WorkingDirectory: given.home,
        StandardErrorPath: join(given.logs, 'agent-errors.log'),
      });
      expect(parsePlist(composeUpdatePlist(read, given, schedule))).toMatchObject({
        ProgramArguments: [...given.program, ...update],
        EnvironmentVariables: Object.fromEntries(given.variables),
      });
    });
  });
});

test.each<[ServiceFileKind, Partial<ServiceFacts>, string | null]>([
  ['unit', {}, null],
  ['unit', { home: '/home/a\nb' }, 'unwritable'],
  ['unit', { logs: '/a\x1bb' }, 'unwritable'],
  ['unit', { variables: [['PATH', '/a\x00b']] }, 'unwritable'],
  ['plist', { home: '/home/\ud800' }, 'unwritable'],
  ['plist', { home: '/home/\uffff' }, 'unwritable'],
  ['unit', { program: ['/opt/a"b/node'] }, 'not-runnable'],
  ['unit', { program: ["/opt/a'b/node"] }, 'not-runnable'],
  ['unit', { program: ['/opt/a\\b/node'] }, 'not-runnable'],
  ['unit', { program: ['/opt/a$b/node'] }, 'not-runnable'],
  ['unit', { program: ['/opt/a=b %/node', '/a"b$\\/main.js'] }, null],
  ['autostart', { program: ['/opt/a=b/node'] }, 'not-runnable'],
  ['autostart', { program: ['/opt/a"\'\\$b/node'] }, null],
  ['plist', { program: ['/opt/a"\'\\$=&<b/node'] }, null],
])('%s of %j: %s', (kind, given, problem) => {
  expect(findUnwritable({ ...facts, ...given }, kind)?.kind ?? null).toBe(problem);
});

test('what launchd is told of the agent', () => {
  expect(parsePlist(composeAgentPlist(read, facts))).toEqual({
    Label: 'dev.sandy.tray',
    ProgramArguments: [...facts.program, 'run'],
    RunAtLoad: true,
    KeepAlive: { SuccessfulExit: false },
    ThrottleInterval: 10,
    LimitLoadToSessionType: 'Aqua',
    ProcessType: 'Interactive',
    AbandonProcessGroup: true,
    ExitTimeOut: 10,
    WorkingDirectory: '/home/me',
    StandardErrorPath: '/home/me/logs/agent-errors.log',
    EnvironmentVariables: { PATH: '/opt/bin:/usr/bin' },
  });
});

test('what launchd is told of the nightly update', () => {
  expect(parsePlist(composeUpdatePlist(read, facts, schedule))).toEqual({
    Label: 'dev.sandy.tray.update',
    ProgramArguments: [...facts.program, ...update],
    StartCalendarInterval: { Hour: 4, Minute: 5 },
    LimitLoadToSessionType: 'Aqua',
    ProcessType: 'Interactive',
    AbandonProcessGroup: true,
    WorkingDirectory: '/home/me',
    StandardErrorPath: '/home/me/logs/update-errors.log',
    EnvironmentVariables: { PATH: '/opt/bin:/usr/bin' },
  });
});

test('what systemd is told', () => {
  const settings = (text: string) =>
    text
      .split('\n')
      .filter((line) => /^\w+=/.test(line) && !/^(Description|ExecStart|Env)/.test(line));
  expect(settings(composeAgentUnit(read, facts))).toEqual([
    'PartOf=graphical-session.target',
    'After=graphical-session.target',
    'StartLimitIntervalSec=300',
    'StartLimitBurst=5',
    'Type=exec',
    'Restart=on-failure',
    'RestartSec=5',
    'RestartPreventExitStatus=2',
    'KillMode=process',
    'TimeoutStopSec=10',
    'OOMPolicy=continue',
    'WantedBy=graphical-session.target',
  ]);
  expect(settings(composeUpdateUnit(read, facts, schedule))).toEqual([
    'Type=oneshot',
    'KillMode=process',
    'OOMPolicy=continue',
    'TimeoutStartSec=2h',
  ]);
  expect(settings(composeUpdateTimer(read, schedule))).toEqual([
    'OnCalendar=*-*-* 04:05:00',
    'RandomizedDelaySec=30min',
    'Persistent=true',
    'WantedBy=timers.target',
  ]);
});

test('a schedule is read back from its files', () => {
  fc.assert(
    fc.property(
      fc.nat(23),
      fc.nat(59),
      fc.integer({ min: 1, max: 9_999_999 }),
      (hour, minute, idleMinutes) => {
        const given = { hour, minute, idleMinutes };
        const plist = composeUpdatePlist(read, facts, given);
        expect(readSchedule(plist, plist)).toEqual(given);
        expect(
          readSchedule(composeUpdateTimer(read, given), composeUpdateUnit(read, facts, given)),
        ).toEqual(given);
      },
    ),
  );
  expect(readSchedule('', '')).toBeNull();
  expect(readSchedule(composeUpdateTimer(read, schedule), '')).toBeNull();
});

test.each<[string, string | null]>([
  ['04:00', '4 0'],
  ['4:00', '4 0'],
  ['23:59', '23 59'],
  ['00:00', '0 0'],
  ['24:00', null],
  ['4', null],
  ['4:5', null],
  ['12:60', null],
  [' 4:00', null],
  ['4:00\n', null],
  ['-1:00', null],
  ['', null],
])('the time %j: %s', (text, meant) => {
  const time = parseTime(text);
  expect(time === null ? null : `${time.hour} ${time.minute}`).toBe(meant);
});

test('a template takes every value once, as it is', () => {
  expect(fillTemplate('a @ONE@ @TWO@', { ONE: '@TWO@ $& $1', TWO: '2' })).toBe('a @TWO@ $& $1 2');
  expect(() => fillTemplate('@ONE@', {})).toThrow('ONE');
  expect(() => fillTemplate('', { ONE: '' })).toThrow('ONE');
});

test('a template that is missing is a broken package', () => {
  expect(() => readTemplatesFrom('/no/such')('systemd/sandy-tray.service')).toThrow('ENOENT');
});
