/** Whether there is a screen that something could be shown on. */
export function hasDisplay({
  DISPLAY,
  WAYLAND_DISPLAY,
}: Readonly<Record<string, string | undefined>>): boolean {
  return [DISPLAY, WAYLAND_DISPLAY].some((value) => value !== undefined && value !== '');
}
