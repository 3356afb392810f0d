import type { Action, Outcome } from "../../model/action.ts";
import type { RunMemory, RunTally } from "./cycle-context.ts";

/**
 * LIMIT: number of attempts of an action that achieves nothing although each scan shows the same
 * state as before. For example, the service answers every write with 404. Each new plan would
 * contain the action again. mdmirror repeats it once after a full scan, then leaves it to the next
 * run (I16).
 */
const MAX_TRIES = 2;

/** Returns a key with everything that the action expects. Equal keys mean equal states. */
function toActionKey(action: Action): string {
  return JSON.stringify(action);
}

/**
 * Returns true if the action has achieved nothing so often that it must not be repeated.
 * @param isListed true if the listing was complete. After an incomplete listing, one attempt is
 * enough, because such a listing gives no reason to expect another result (I08)
 */
export function isFutileRepeat({ futile }: RunTally, action: Action, isListed = true): boolean {
  return futile.size > 0 && (futile.get(toActionKey(action))?.times ?? 0) >= (isListed ? MAX_TRIES : 1);
}

export function wasFutile({ futile }: RunTally, action: Action): boolean {
  return futile.size > 0 && futile.has(toActionKey(action));
}

export function readEarlierOutcome({ futile }: RunTally, action: Action): Outcome {
  return { kind: "stale", detail: futile.get(toActionKey(action))!.detail };
}

export function noteFutileAction(
  { futile }: RunTally,
  action: Action,
  outcome: Extract<Outcome, { kind: "stale" | "uncertain" }>,
): void {
  const key = toActionKey(action);
  const { detail } = outcome;
  const isNotFound = outcome.kind === "stale" && outcome.isNotFound === true;
  futile.set(key, { times: (futile.get(key)?.times ?? 0) + 1, detail, isNotFound });
}

/**
 * Forgets, at the end of a daemon's run, the actions that the next run may try again.
 * - If the service does not have the target of an action, the action is kept until a complete
 *   listing in a later run. The listing of its own run does not count: it was older than the answer
 *   (I08).
 * - Other actions do not wait for a complete listing. If a document is unreadable, no listing is
 *   ever complete.
 * @param isListed true if the listing of the run was complete
 */
export function forgetFutile({ futile }: RunMemory, isListed: boolean): void {
  for (const [key, action] of futile) {
    if (!action.isNotFound || (action.isOfEarlierRun === true && isListed)) futile.delete(key);
    else futile.set(key, { ...action, times: 1, isOfEarlierRun: true });
  }
}
