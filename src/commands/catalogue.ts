import type { Command } from './command.ts';

/** Every command there is. What is not built is not listed. */
export const catalogue: Readonly<Record<string, Command>> = {
  run: {
    usage: 'run [--no-tray]',
    summary: 'watch the sessions in the foreground and tell what happens to them',
    details: [
      '--no-tray   show no icon, whatever the preference "tray" says',
      '',
      'Notices are printed as lines and kept in the log. A second agent says that one is running. Where no',
      'icon can be shown the agent says why, once, and goes on; the icon comes by itself when it can.',
      '',
      'Exit: 0.',
    ],
    load: () => import('./run.ts'),
  },
  status: {
    usage: 'status [--json] [--watch]',
    summary: 'show the sessions: their state, stale images, what needs a person',
    details: [
      '--json    the same for programs, schema 1',
      '--watch   go on showing every change, until Ctrl-C; needs a running agent',
      '',
      'Exit: 0 all is well, 3 something needs a person, 69 sandy or docker is unavailable.',
    ],
    load: () => import('./status.ts'),
  },
  attach: {
    usage: 'attach [SESSION] [--no-reconnect]',
    summary: 'a terminal on a session that rides out its restarts',
    details: [
      'SESSION is a key, the beginning of one, or a workspace path. Without it: the session of this',
      'folder, else a list to choose from.',
      '--no-reconnect   end with the session instead of waiting for it',
      '',
      'While it waits, keys are ignored and Ctrl-C leaves.',
      'Exit: 0 the session ended, 3 detached, 4 no such session or not back, 5 failed, 2 no terminal.',
    ],
    load: () => import('./attach.ts'),
  },
  update: {
    usage:
      'update [SESSION…|--all] [--dry-run] [--idle-for MIN] [--rebuild] [--yes] [--json] | update --cancel',
    summary: 'rebuild images and restart the sessions that are stale',
    details: [
      'SESSION is a key, the beginning of one, or a workspace path.',
      '--all            every session',
      '--dry-run        only say what would be restarted',
      '--idle-for MIN   leave those alone that were used in the last MIN minutes',
      '--rebuild        rebuild the images even if they look current',
      '--yes            ask nothing; needed where nobody can be asked',
      '--json           one event a line',
      '--cancel         end the update that runs, as long as no session was touched',
      '',
      'One update runs at a time: who asks for what is running already joins it. It goes on when this',
      'window is closed.',
      'Exit: 0 all came back, nothing to do, or declined; 1 any failure; 69 sandy too old or unavailable;',
      '75 busy with something else, or too late to cancel.',
    ],
    load: () => import('./update.ts'),
  },
  start: {
    usage: 'start SESSION [--json]',
    summary: 'start a session that is not running',
    details: [
      'SESSION is a key, the beginning of one, or a workspace path. On a terminal sandy asks you there',
      'for what it needs to know, and the path may be one where no session was ever seen.',
      '--json   the outcome for programs',
      '',
      'Exit: 0 it runs, 1 it does not, 69 sandy unavailable, 75 busy with something else.',
    ],
    load: () => import('./start.ts'),
  },
  stop: {
    usage: 'stop SESSION [--json]',
    summary: 'stop a session, so that its end is known to be meant',
    details: [
      'SESSION is a key, the beginning of one, or a workspace path.',
      '--json   the outcome for programs',
      '',
      'Exit: 0 it is gone, 1 it is not, 69 sandy unavailable, 75 busy with something else.',
    ],
    load: () => import('./stop.ts'),
  },
  open: {
    usage: 'open SESSION',
    summary: 'a new terminal window with attach on a session',
    details: [
      'SESSION is a key, the beginning of one, or a workspace path.',
      'Which terminal: the preference "terminal", $TERMINAL, else the desktop\'s own or any other.',
      '',
      'Exit: 0 its window is open, 1.',
    ],
    load: () => import('./open.ts'),
  },
  ack: {
    usage: 'ack SESSION | ack --all',
    summary: 'take down a pinned failure',
    details: [
      'SESSION is a key, the beginning of one, or a workspace path.',
      '--all   every failure',
      '',
      'Exit: 0, 1 when it could not be done, 2 no such session.',
    ],
    load: () => import('./ack.ts'),
  },
  log: {
    usage: 'log [--json]',
    summary: 'show what happened, newest last',
    details: [
      'A line with ! was worth a notice.',
      '--json   one object a line',
      '',
      'Exit: 0, 1 when the log cannot be read.',
    ],
    load: () => import('./log.ts'),
  },
  config: {
    usage: 'config [--json] | config get KEY | config set KEY VALUE | config path',
    summary: 'show or change the preferences',
    details: [
      'VALUE is JSON (900, true, null) or plain text.',
      '',
      'Exit: 0, 1 the file cannot be written, 2 a wrong key or value.',
    ],
    load: () => import('./config.ts'),
  },
  doctor: {
    usage: 'doctor [--json]',
    summary: 'check what sandy-tray stands on, one line a check',
    details: ['--json   the same for programs', '', 'Exit: 0, 1 when a check fails.'],
    load: () => import('./doctor.ts'),
  },
  reset: {
    usage: 'reset',
    summary: 'put this terminal right after an attach that was killed',
    details: [
      'Undoes what a full-screen program leaves behind: its screen, mouse, colours, keys, and',
      'the line settings (stty sane).',
      '',
      'Exit: 0, 2 when standard input or output is no terminal.',
    ],
    load: () => import('./reset.ts'),
  },
  demo: {
    usage: 'demo',
    summary: 'show all of it in a minute, on a make-believe fleet',
    details: ['Reads and touches nothing of yours.', '', 'Exit: 0, 130 after Ctrl-C.'],
    load: () => import('./demo.ts'),
  },
};
