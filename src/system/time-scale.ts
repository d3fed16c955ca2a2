/** The factor by which every window and delay of the program is divided, or a value that is none. */
export type TimeScale =
  | { readonly kind: 'scale'; readonly scale: number }
  | { readonly kind: 'wrong'; readonly value: string };

const DECIMAL = /^\d+(\.\d+)?$/;

/**
 * Reads `SANDY_TRAY_TIME_SCALE`: a decimal number above 0; 1 when it is not set. A child's time limit
 * is never divided by it.
 */
export function parseTimeScale(value: string | undefined): TimeScale {
  if (value === undefined) return { kind: 'scale', scale: 1 };
  const scale = DECIMAL.test(value) ? Number(value) : Number.NaN;
  return Number.isFinite(scale) && scale > 0 ? { kind: 'scale', scale } : { kind: 'wrong', value };
}
