/** Loaded into an agent before itself: its wall clock is off by as many milliseconds as a file says. */

import fs from 'node:fs';

const path = process.env.CLOCK_SHIFT_FILE ?? '';
const RealDate = Date;
const now = () => RealDate.now() + readShift();

globalThis.Date = class extends RealDate {
  constructor(...parts) {
    super(...(parts.length === 0 ? [now()] : parts));
  }
  static now() {
    return now();
  }
};

function readShift() {
  try {
    return Number(fs.readFileSync(path, 'utf8'));
  } catch {
    return 0;
  }
}
