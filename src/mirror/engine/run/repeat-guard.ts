import type { Action, Outcome } from "../../model/action.ts";
import type { Tally } from "./pass-context.ts";

/**
 * Stops actions that come to nothing although each look shows the same (a service that answers
 * every write with 404, or not at all): planned again, they would be repeated for ever. Each is
 * tried once more after a whole look, and then left for the next run (I16).
 */

const TRIES = 2;

/** The key of an action with all that it expects to find: equal only when the plan saw the same. */
function keyOf(action: Action): string {
  return JSON.stringify(action);
}

/**
 * @param isListed whether the look was complete: after a listing that was cut short, nothing
 * suggests that it would end otherwise (I08)
 */
export function isVainRepeat({ vain }: Tally, action: Action, isListed = true): boolean {
  return vain.size > 0 && (vain.get(keyOf(action))?.times ?? 0) >= (isListed ? TRIES : 1);
}

/** Whether this action was tried before in this run, and came to nothing. */
export function wasInVain({ vain }: Tally, action: Action): boolean {
  return vain.size > 0 && vain.has(keyOf(action));
}

/** The outcome of an action that is not repeated. */
export function foundBefore({ vain }: Tally, action: Action): Outcome {
  return { kind: "stale", detail: vain.get(keyOf(action))!.detail };
}

export function noteVainAction({ vain }: Tally, action: Action, detail: string): void {
  const key = keyOf(action);
  vain.set(key, { times: (vain.get(key)?.times ?? 0) + 1, detail });
}
