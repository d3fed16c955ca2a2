import type { Command } from './command.ts';

/** Every command there is. What is not built is not listed. */
export const catalogue: Readonly<Record<string, Command>> = {
  status: {
    usage: 'status [--json]',
    summary: 'show the sessions: their state, stale images, what needs a person',
    details: [
      '--json   the same for programs, schema 1',
      '',
      'Exit: 0 all is well, 3 something needs a person, 69 sandy or docker is unavailable.',
    ],
    load: () => import('./status.ts'),
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
};
