import { readEventLog } from '../store/event-log.ts';
import type { EventRecord } from '../store/event-record.ts';
import { cleanForeignText } from '../system/foreign-text.ts';
import { formatClockSeconds, formatDate } from '../system/local-time.ts';
import { parseArguments } from './arguments.ts';
import { exitCodes, UsageError } from './command.ts';
import { setUp } from './setup.ts';
import { texts } from './texts.ts';

export async function run(args: readonly string[]): Promise<number> {
  const { values, positionals } = parseArguments(args, { json: { type: 'boolean' } });
  if (positionals.length > 0) throw new UsageError(texts.tooManyArguments);
  const { folders } = setUp();
  const { records, unreadable, errorCode } = readEventLog(folders.state);
  const draw = values.json === true ? (record: EventRecord) => JSON.stringify(record) : drawRecord;
  for (const record of records) process.stdout.write(`${draw(record)}\n`);
  if (unreadable > 0) process.stderr.write(`${texts.unreadableRecords(unreadable)}\n`);
  if (errorCode !== null) {
    process.stderr.write(`${texts.unreadableLog(errorCode)}\n`);
    return exitCodes.failed;
  }
  return exitCodes.ok;
}

/** `2026-11-29 03:12  late  text`, in local time; a banner's line is marked. */
function drawRecord({ at, kind, text, notice }: EventRecord): string {
  const moment = new Date(at);
  const time = Number.isNaN(moment.getTime())
    ? cleanForeignText(at, 20)
    : `${formatDate(moment)} ${formatClockSeconds(moment)}`;
  return `${time} ${notice ? '!' : ' '} ${cleanForeignText(kind, 20).padEnd(13)}  ${cleanForeignText(text, 400)}`;
}
