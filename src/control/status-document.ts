import * as z from 'zod/mini';
import type { FleetView } from '../fleet/view.ts';

/** How the menu-bar icon fares: `shown`, `no-host`, `no-watcher`, `no-bus`, `off` and the like. */
export type TrayState = string;

/** What the agent can and can't do now. */
export interface AgentHealth {
  readonly tray: TrayState;
  /** Why no icon is shown, in a sentence; null: one is, or none is wanted. */
  readonly trayReason?: string | null;
  /** What it has to do without, one sentence each: a full disk, no socket. */
  readonly troubles: readonly string[];
}

/** The agent as `status --json` names it. */
export interface AgentView extends AgentHealth {
  readonly pid: number;
  readonly version: string;
  readonly startedAt: string;
}

/** `status --json`, schema 1: the fleet, and who says so. */
export interface StatusDocument extends FleetView {
  /** Random per agent start; null where no agent runs. */
  readonly epoch: string | null;
  readonly rev: number;
  readonly agent: AgentView | null;
}

const text = z.nullable(z.string());
const count = z.nullable(z.number());

/** What anything that shows a status reads; the rest is the sender's affair. */
const shown = z.object({
  schema: z.number(),
  checkedAt: text,
  imagesCheckedAt: text,
  blindSince: text,
  sandy: z.nullable(z.object({ version: z.string(), capabilities: z.array(z.string()) })),
  docker: z.string(),
  badge: z.object({ state: z.string(), count }),
  sessions: z.array(
    z.object({
      key: z.string(),
      workspace: text,
      state: z.string(),
      imageStale: z.nullable(z.boolean()),
      attachedClients: count,
      startedAt: text,
      updatedAt: text,
      reason: text,
      health: z.array(z.string()),
      actions: z.array(z.string()),
    }),
  ),
  run: z.nullable(z.object({ phase: z.string(), current: text })),
  agent: z.nullable(z.object({ pid: z.number(), tray: z.string(), troubles: z.array(z.string()) })),
  failures: z.array(z.object({ key: z.string(), kind: z.string(), text: z.string() })),
});

/**
 * The document that another process sent, whole and with every field that is unknown here, or null
 * where it lacks what a reader needs. Words that this version does not know (a new state) pass.
 */
export function readStatusDocument(value: unknown): StatusDocument | null {
  return shown.safeParse(value).success ? (value as StatusDocument) : null;
}
