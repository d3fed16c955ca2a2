import { expect, test } from 'vitest';
import { checkSessions } from '../../src/commands/doctor-sessions.ts';
import { verbTexts } from '../../src/commands/verb-texts.ts';
import type { FailureView, FleetView, SessionView } from '../../src/fleet/view.ts';

/** What doctor says to paste of a session that lost its supervisor and failed. */
function remediesOf(key: string) {
  const sessions = [{ key, health: ['supervisor-lost'], reason: null } as unknown as SessionView];
  const failures = [{ key, text: 'It did not come back.' } as FailureView];
  const checks = checkSessions({ sessions, failures } as unknown as FleetView);
  return checks.map(({ remedy }) => remedy?.text);
}

const long = 'a'.repeat(90);

test.each([
  ['zork-3dfda686', 'zork-3dfda686'],
  [`${long}-3dfda686`, `${long}-3dfda686`],
  ['a b; touch X', "'a b; touch X'"],
  ["it's $(touch X)", "'it'\\''s $(touch X)'"],
  ['-rf', '-- -rf'],
])('a command to be pasted names %j whole, and as nothing else', (key, operand) => {
  expect(remediesOf(key)).toEqual([
    `sandy-tray stop ${operand} && sandy-tray start ${operand}`,
    `sandy-tray attach ${operand}`,
  ]);
  const attach = verbTexts.started(key).split('Attach to it: ')[1];
  expect(attach).toBe(`sandy-tray attach ${operand}`);
});
