import { adoptCarried, type Errand, takeTicket } from '../terminal/tickets.ts';
import { attachSession } from './attach-session.ts';
import { NO_SESSION, prepareChoice, prepareTarget } from './attach-target.ts';
import { type Commands, exitCodes, isUsageError } from './command.ts';
import { setUp } from './setup.ts';
import { texts } from './texts.ts';

/**
 * The process in a window that we opened. The window goes with this process, so whatever it has to say
 * last stays until a key is pressed.
 */
export async function attachByTicket(word: string, commands: Commands): Promise<number> {
  const taking = takeTicket(word, Date.now());
  switch (taking.kind) {
    case 'unknown':
      return await sayLast(texts.ticketUnknown, NO_SESSION);
    case 'expired':
      return await sayLast(texts.ticketExpired, NO_SESSION);
    case 'taken':
      break;
  }
  adoptCarried(process.env, taking.content);
  try {
    return await runErrand(taking.content.errand, commands);
  } catch (error) {
    if (!isUsageError(error)) throw error;
    return await sayLast(error.message, exitCodes.usage);
  }
}

async function runErrand(errand: Errand, commands: Commands): Promise<number> {
  const setup = setUp();
  switch (errand.kind) {
    case 'read':
      return await sayLast('', await showPage(errand.page, commands));
    case 'read-run': {
      const { showRun } = await import('./update-watch.ts');
      return await sayLast('', await showRun(errand.id));
    }
    case 'attach':
    case 'choose': {
      const prepared =
        errand.kind === 'attach'
          ? await prepareTarget(setup, { key: errand.key, workspace: errand.workspace })
          : await prepareChoice(setup, errand.first);
      if (prepared.kind === 'refused') return await sayLast(prepared.text, prepared.code);
      const startsFirst = errand.kind === 'attach' && errand.startsFirst === true;
      const options = { reconnects: true, ownsWindow: true, startsFirst };
      return await attachSession(setup, prepared, options);
    }
  }
}

/** What can be read in a window: what the command of that name prints. */
async function showPage(
  page: (Errand & { readonly kind: 'read' })['page'],
  commands: Commands,
): Promise<number> {
  const command = commands[page];
  if (command === undefined) throw new Error(`There is no command ${page}.`);
  const { run } = await command.load();
  return await run([], commands);
}

/** Whoever types as the window comes up does not mean it. */
const UNMEANT_MS = 1_000;

/** Says it and waits for a key, or for the window to be closed. */
async function sayLast(text: string, code: number): Promise<number> {
  const { stdin, stdout } = process;
  const shownMs = performance.now();
  stdin.setRawMode(true);
  stdout.write(`${text}${text === '' ? '' : '\r\n'}${texts.anyKeyCloses}\r\n`);
  await new Promise<void>((resolve) => {
    stdin.once('end', resolve).once('error', () => resolve());
    stdin.on('data', () => {
      if (performance.now() - shownMs >= UNMEANT_MS) resolve();
    });
  });
  stdin.setRawMode(false);
  stdin.destroy();
  return code;
}
