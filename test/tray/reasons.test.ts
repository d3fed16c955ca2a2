import { expect, test } from 'vitest';
import type { HelperReason } from '../../src/tray/helper-process.ts';
import { describeReason } from '../../src/tray/reasons.ts';
import { helperReasons } from '../../src/tray/texts.ts';

test('every reason says what is wrong and what to do, in harmless text', () => {
  for (const kind of Object.keys(helperReasons) as HelperReason['kind'][]) {
    for (const detail of ['', 'libgtk-3.so.0', '\u001b[31mred\nand more\u202e']) {
      const text = describeReason({ kind, detail });
      expect(text).toMatch(/^[A-Z][^\u0000-\u001f\u202e]*\.$/);
      expect(text.match(/[.;] [A-Z]|; /g)?.length ?? 0).toBeGreaterThan(0);
    }
  }
  expect(describeReason({ kind: 'missing-library', detail: 'libgtk-3.so.0' })).toContain(
    'needs libgtk-3.so.0.',
  );
});
