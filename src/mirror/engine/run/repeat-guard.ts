import type { Action, Outcome } from "../../model/action.ts";
import type { RunMemory, Tally } from "./cycle-context.ts";

/**
 * Stops actions that achieve nothing although each scan shows the same state. For example, a
 * service answers every write with 404, or not at all. In each new plan such actions would repeat
 * forever. Each action is tried once more after a full scan, and then left for the next run (I16).
 */
const MAX_TRIES = 2;

/**
 * Returns the key of an action with everything that it expects to find. Two keys are equal only if
 * the plan saw the same state.
 */
function keyOf(action: Action): string {
  return JSON.stringify(action);
}

/**
 * Returns true if an action would repeat without effect.
 * @param isListed true if the scan was complete: after an incomplete listing, nothing suggests that
 * the action would end differently (I08)
 */
export function isFutileRepeat({ futile }: Tally, action: Action, isListed = true): boolean {
  return futile.size > 0 && (futile.get(keyOf(action))?.times ?? 0) >= (isListed ? MAX_TRIES : 1);
}

/** Returns true if this action was tried before and achieved nothing. */
export function wasFutile({ futile }: Tally, action: Action): boolean {
  return futile.size > 0 && futile.has(keyOf(action));
}

export function earlierOutcome({ futile }: Tally, action: Action): Outcome {
  return { kind: "stale", detail: futile.get(keyOf(action))!.detail };
}

export function noteFutileAction(
  { futile }: Tally,
  action: Action,
  outcome: Extract<Outcome, { kind: "stale" | "uncertain" }>,
): void {
  const key = keyOf(action);
  const { detail } = outcome;
  const isNotFound = outcome.kind === "stale" && outcome.isNotFound === true;
  futile.set(key, { times: (futile.get(key)?.times ?? 0) + 1, detail, isNotFound });
}

/**
 * Removes, at the end of a daemon's run, the actions that the next run may try. An action whose
 * target the service does not have is tried again only after a whole listing (I08): the listing of
 * its own run came before its 404. LIMIT: a listing with an entry that cannot be read is never
 * whole, so no other action waits for one.
 * @param isListed true if the listing of the run was complete
 */
export function forgetFutile({ futile }: RunMemory, isListed: boolean): void {
  for (const [key, action] of futile) {
    if (!action.isNotFound || (action.isOfEarlierRun === true && isListed)) futile.delete(key);
    else futile.set(key, { ...action, times: 1, isOfEarlierRun: true });
  }
}
