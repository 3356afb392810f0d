import type { Action, Step } from "../../model/action.ts";
import type { Signals } from "../plan-types.ts";
import { guardKey } from "./guard-key.ts";
import type { Reason } from "./stops.ts";

/** A step that a safety check asks about, and the key by which it is approved. */
export type Guarded = { readonly index: number; readonly key: string };

/** Reason why a plan is stopped, and the steps that an answer concerns. */
export type Finding = Reason & { readonly steps: readonly Guarded[] };

/** Returns the steps of a kind that nobody has approved yet. */
export function unapproved(
  steps: readonly Step[],
  { approved }: Pick<Signals, "approved">,
  wanted: (action: Action) => boolean,
): Guarded[] {
  const found: Guarded[] = [];
  for (const [index, { action }] of steps.entries()) {
    if (!wanted(action)) continue;
    const key = guardKey(action);
    if (!approved.has(key)) found.push({ index, key });
  }
  return found;
}

export function isRemovalOfKnown(action: Action): boolean {
  return action.kind === "remove-folder-local" && action.dirId !== null;
}
