import type { Observation } from '../fleet/observation.ts';

/** Something worth a line in the log, told once per process. */
export interface Warning {
  /** Stable: the same loss has the same id whenever it happens. */
  readonly id: string;
  readonly text: string;
}

/** What one look brought. */
export interface Look {
  readonly observation: Observation;
  /** How long sandy's own child ran; 0 when none was started. */
  readonly durationMs: number;
  readonly warnings: readonly Warning[];
}
