/** What a driver is told to do. */
export interface DriverOrder {
  readonly file: string;
  readonly args: readonly string[];
  /** Where what happens is told, a line of JSON each. */
  readonly reportTo: string;
  readonly times?: number;
  /** No signal is heard, as if each came too late. */
  readonly deaf?: boolean;
  /** A program to run, by its path, while the child is attached. */
  readonly alongside?: string;
}

export const OUR_TEXT = '[text of ours]';
