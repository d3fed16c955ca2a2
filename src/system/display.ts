type Variables = Readonly<Record<string, string | undefined>>;

/** Whether there is a screen that something could be shown on, or one of the kind that something needs. */
export function hasDisplay(
  { DISPLAY, WAYLAND_DISPLAY }: Variables,
  needs: 'wayland' | 'x11' | 'either' = 'either',
): boolean {
  return (needs !== 'wayland' && isSet(DISPLAY)) || (needs !== 'x11' && isSet(WAYLAND_DISPLAY));
}

/** A desktop's leave to take the focus, as it is handed from program to program; null: it is none. */
export function readActivationToken(value: unknown): string | null {
  return typeof value === 'string' && /^[\x21-\x7e]{1,256}$/.test(value) ? value : null;
}

function isSet(value: string | undefined): boolean {
  return value !== undefined && value !== '';
}
