import { describe, expect, test } from 'vitest';
import { chooseSequences, drawLine, type TerminalNames } from '../../src/attach/terminal-modes.ts';

const xterm = chooseSequences({ TERM: 'xterm-256color' });
const kittyPop = '\x1b[<99u';

describe('what undoes the modes', () => {
  test.for([
    ['a string that was cut', '\x1b\\'],
    ['synchronized update', '\x1b[?2026l'],
    ['mouse', '\x1b[?1000l'],
    ['mouse drags', '\x1b[?1002l'],
    ['all mouse moves', '\x1b[?1003l'],
    ['mouse in SGR form', '\x1b[?1006l'],
    ['focus reports', '\x1b[?1004l'],
    ['bracketed paste', '\x1b[?2004l'],
    ['application cursor keys', '\x1b[?1l'],
    ['application keypad', '\x1b>'],
    ['modifyOtherKeys', '\x1b[>4;0m'],
    ['no wrap', '\x1b[?7h'],
    ['insert', '\x1b[4l'],
    ['line drawing', '\x1b(B'],
    ['a hidden cursor', '\x1b[?25h'],
    ['the cursor’s shape', '\x1b[0 q'],
    ['colours', '\x1b[0m'],
    ['the cursor’s colour', '\x1b]112\x1b\\'],
    ['a hyperlink', '\x1b]8;;\x1b\\'],
  ] as const)('undoes %s', ([, sequence]) => {
    expect(xterm.modesOff).toContain(sequence);
    expect(xterm.toMain.lastIndexOf(sequence)).toBeGreaterThan(xterm.toMain.indexOf('\x1b[?1049l'));
  });

  test('ends a cut string before anything else, so that nothing is swallowed', () => {
    for (const sequence of [xterm.modesOff, xterm.toAlternate, xterm.toMain]) {
      expect(sequence.startsWith('\x1b\\')).toBe(true);
    }
  });

  test('underlines nothing where modifyOtherKeys is read as SGR 4', () => {
    const { modesOff } = xterm;
    expect(modesOff.lastIndexOf('\x1b[0m')).toBeGreaterThan(modesOff.lastIndexOf('\x1b[>4;0m'));
  });

  test('has nothing that some terminal shows: no CAN, no BEL', () => {
    expect(Object.values(xterm).join('')).not.toMatch(/[\x18\x07]/);
  });
});

describe('the screens', () => {
  const homing = ['\x1b[r', '\x1b[?6l', '\x1b[?69l', '\x1b[H', '\x1b[2J'];

  test('what homes the cursor or clears is only written on the alternate screen', () => {
    const { toMain } = xterm;
    const [enter, leave] = [toMain.indexOf('\x1b[?1049h'), toMain.indexOf('\x1b[?1049l')];
    expect(enter).toBeGreaterThan(0);
    for (const sequence of homing) {
      expect(xterm.modesOff).not.toContain(sequence);
      expect(toMain.indexOf(sequence)).toBeGreaterThan(enter);
      expect(toMain.lastIndexOf(sequence)).toBeLessThan(leave);
    }
  });

  test('the main screen is reached by a pair, so that a cursor there stays', () => {
    expect(xterm.toMain.match(/\x1b\[\?1049[hl]/g)).toEqual(['\x1b[?1049h', '\x1b[?1049l']);
    expect(xterm.toMain.startsWith(xterm.toAlternate)).toBe(true);
    expect(xterm.toAlternate.endsWith('\x1b[H\x1b[2J')).toBe(true);
  });
});

describe('what only some terminals are told', () => {
  const kitties: readonly TerminalNames[] = [
    { TERM: 'xterm-kitty' },
    { TERM: 'xterm-ghostty' },
    { TERM: 'foot' },
    { TERM: 'alacritty' },
    { TERM: 'xterm-256color', TERM_PROGRAM: 'WezTerm' },
    { TERM: 'xterm-256color', TERM_PROGRAM: 'iTerm.app' },
    { TERM: 'xterm-256color', LC_TERMINAL: 'iTerm2' },
  ];
  test.for(kitties)('%j gives up kitty’s keyboard on both screens', (names) => {
    const { modesOff, toMain } = chooseSequences(names);
    expect(modesOff).toContain(kittyPop);
    expect(toMain.lastIndexOf(kittyPop)).toBeGreaterThan(toMain.indexOf('\x1b[?1049l'));
  });

  const others: readonly TerminalNames[] = [
    {},
    { TERM: 'xterm-256color' },
    { TERM: 'tmux-256color', TERM_PROGRAM: 'tmux' },
    { TERM: 'xterm-256color', TERM_PROGRAM: 'Apple_Terminal' },
    { TERM: 'screen' },
  ];
  test.for(others)('%j is sent it only where it is wiped at once', (names) => {
    const { modesOff, toMain } = chooseSequences(names);
    expect(modesOff).not.toContain(kittyPop);
    expect(toMain.split(kittyPop)).toHaveLength(2);
    expect(toMain.indexOf(kittyPop)).toBeLessThan(toMain.indexOf('\x1b[2J'));
    expect(toMain.indexOf(kittyPop)).toBeGreaterThan(toMain.indexOf('\x1b[?1049h'));
  });

  test.for<TerminalNames>([{ TERM: 'linux' }, { TERM: 'dumb' }, { TERM: 'vt100' }, {}])(
    '%j is sent no string and no title',
    (names) => {
      const sequences = chooseSequences(names);
      expect(Object.values(sequences).join('')).not.toContain('\x1b]');
      expect(sequences.saveTitle + sequences.restoreTitle).toBe('');
    },
  );

  test('the title is kept and given back', () => {
    expect(xterm.saveTitle).toBe('\x1b[22;0t');
    expect(xterm.restoreTitle).toBe('\x1b]2;\x1b\\\x1b[23;0t');
  });
});

describe('the line that is rewritten', () => {
  const lineOf = (text: string, columns: number) =>
    /^\r\x1b\[2K\x1b\[\?7l(.*)\x1b\[\?7h$/.exec(drawLine(text, columns))?.[1];

  test.for([
    ['waiting', 80, 'waiting'],
    ['waiting', 7, 'waiting'],
    ['waiting', 6, 'waiti…'],
    ['waiting', 1, '…'],
    ['waiting', 0, ''],
    ['漢字漢字', 8, '漢字漢字'],
    ['漢字漢字', 7, '漢字漢…'],
    ['漢字漢字', 6, '漢字…'],
    ['🐙🐙🐙', 5, '🐙🐙…'],
    ['e\u0301e\u0301e\u0301', 3, 'e\u0301e\u0301e\u0301'],
    ['two\nlines\x1b[2J', 80, 'two↵lines'],
  ] as const)('%j in %i columns is %j', ([text, columns, line]) => {
    expect(lineOf(text, columns)).toBe(line);
  });
});
