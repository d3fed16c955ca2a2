/** Showing a plan, carrying it out, or saying why there is none. */

import type { Plan } from '../service/agent-service.ts';
import { carryOut } from '../service/carrying-out.ts';
import type { Host } from '../service/host.ts';
import { texts } from '../service/texts.ts';
import { exitCodes } from './command.ts';

const say = (line: string) => process.stdout.write(`${line}\n`);

/** Says what is wrong and what to do; gives the exit code. */
export function refuse(text: string): number {
  process.stderr.write(`${text}\n`);
  return exitCodes.failed;
}

/** Prints the files in full and what would be done; changes nothing. */
export function showPlan({ files, steps, notes }: Plan): void {
  for (const { path, text } of files) say(`${texts.fileTitle(path)}\n${text}`);
  const lines = steps.map(texts.stepAhead).filter((line) => line !== null);
  for (const line of lines) say(line);
  if (lines.length === 0) say(texts.nothingToDo);
  for (const note of notes) say(note);
}

/** Does it and prints what was done; resolves to the exit code. `undo`: how to undo it. */
export async function carryOutPlan(
  { steps, notes }: Plan,
  host: Host,
  undo: string | null,
): Promise<number> {
  const outcome = await carryOut(steps, host, say);
  if (outcome.kind === 'failed') return refuse(outcome.text);
  if (steps.length === 0) say(texts.nothingToDo);
  for (const note of notes) say(note);
  if (undo !== null) say(undo);
  return exitCodes.ok;
}
