/**
 * A process that keeps the store on a disk without room, and says on stdout what became of each step.
 * With a FILLER it fills the disk with that file first, and removes it at the end to go on.
 */

import { appendFileSync, rmSync } from 'node:fs';
import { openEventLog } from '../../src/store/event-log.ts';
import { openFleetState } from '../../src/store/fleet-state.ts';
import { openLedger } from '../../src/store/ledger.ts';
import { makeEvent, makeModel, makeRow, withRows } from './fleet-parts.ts';

const [folder = '', countText = '', filler = ''] = process.argv.slice(2);
const log = openEventLog(folder);
const ledger = openLedger(folder, 0);
const state = openFleetState(folder);
const longRow = (key: string) => withRows(makeModel(), [makeRow(key.repeat(20_000))]);

function fillDisk(): void {
  for (const size of [4_096, 64, 1]) {
    try {
      for (;;) appendFileSync(filler, 'x'.repeat(size));
    } catch {
      // Full for this size.
    }
  }
}

log.append(makeEvent('i0'), true);
ledger.intend(['late:i0'], 0);
state.save(withRows(makeModel(), [makeRow('small')]));
if (filler !== '') fillDisk();
const outcomes: unknown[] = [];
for (let count = 1; count <= Number(countText); count += 1) {
  outcomes.push(log.append(makeEvent(`i${count}`, { text: 'x'.repeat(700) }), true));
}
const trouble = log.trouble();
const intended = ledger.intend([`late:${'i'.repeat(20_000)}`], 0);
const saved = state.save(longRow('s'));
let after: unknown = null;
if (filler !== '') {
  rmSync(filler);
  after = [log.flush(), ledger.markShown(['late:i1'], 0), state.save(longRow('s'))];
}
process.stdout.write(JSON.stringify({ outcomes, trouble, intended, saved, after }));
