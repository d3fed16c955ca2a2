/** What doctor says of sandy, and of docker behind it. */

import { nextPoll } from '../fleet/cadence.ts';
import type { Model } from '../fleet/model.ts';
import { formatDuration } from '../fleet/texts.ts';
import { cleanForeignText } from '../system/foreign-text.ts';
import { advice, type Check, command, fail, ok, warn } from './doctor-check.ts';

/** sandy itself, what it can do, docker behind it, and what a look costs. */
export function checkSandy(model: Model, warnings: readonly string[]): Check[] {
  const { sandy, sight } = model;
  const heard = warnings.map((warning) => warn('contract', warning, null));
  if (sandy === null) {
    const missing = sight.kind !== 'blind' || sight.reason === 'sandy-missing';
    return [
      fail(
        'sandy',
        sight.kind === 'blind' ? sight.text : 'sandy was not asked',
        command(missing ? 'sandy-tray config set sandyPath /path/to/sandy' : 'sandy --version'),
      ),
      ...heard,
    ];
  }
  const found = ok(
    'sandy',
    `${cleanForeignText(sandy.version)} at ${cleanForeignText(sandy.path)}`,
  );
  return [
    found,
    checkCapabilities(sandy),
    sight.kind === 'blind'
      ? fail(
          'look',
          sight.text,
          sight.reason === 'docker-unreachable'
            ? advice('Start Docker.')
            : command('sandy --print-state light'),
        )
      : checkCost(model),
    ...heard,
  ];
}

function checkCapabilities({ capabilities, schemaRead }: NonNullable<Model['sandy']>): Check {
  const { attach, start, stop, updateSessions } = capabilities;
  if (!schemaRead) {
    return warn(
      'flags',
      'this sandy could not say what it can do',
      command('sandy --print-schema'),
    );
  }
  if (!(attach && start && stop)) {
    return fail(
      'flags',
      'this sandy has no daemon sessions; they came with 1.1.0',
      command('sandy --upgrade'),
    );
  }
  if (!updateSessions) {
    return warn(
      'flags',
      'this sandy has no --update-sessions; it came with 1.2.0',
      command('sandy --upgrade'),
    );
  }
  return ok('flags', 'start, attach, stop and update-sessions');
}

function checkCost(model: Model): Check {
  const tookMs = model.polls.tookMs.full ?? 0;
  const idleMs = nextPoll({ ...model, wish: null }).delayMs;
  const fact = `docker answers; a full look takes ${Math.round(tookMs)} ms, the next would be in ${formatDuration(idleMs)}`;
  return ok('look', fact);
}
