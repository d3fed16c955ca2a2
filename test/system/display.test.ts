import { expect, test } from 'vitest';
import { hasDisplay, readActivationToken } from '../../src/system/display.ts';

test.each([
  [{}, false, false, false],
  [{ DISPLAY: '', WAYLAND_DISPLAY: '' }, false, false, false],
  [{ DISPLAY: ':0' }, true, true, false],
  [{ WAYLAND_DISPLAY: 'wayland-0' }, true, false, true],
  [{ DISPLAY: ':0', WAYLAND_DISPLAY: 'wayland-0' }, true, true, true],
])('%j: either %j, x11 %j, wayland %j', (variables, either, x11, wayland) => {
  expect(hasDisplay(variables)).toBe(either);
  expect(hasDisplay(variables, 'x11')).toBe(x11);
  expect(hasDisplay(variables, 'wayland')).toBe(wayland);
});

test('a leave of the desktop is one printable word', () => {
  for (const token of ['gnome-shell/abc/1_TIME42', '0123-ab']) {
    expect(readActivationToken(token)).toBe(token);
  }
  for (const other of ['', 'two words', 'a\n', '\u202e', 'x'.repeat(257), 42, null]) {
    expect(readActivationToken(other)).toBeNull();
  }
});
