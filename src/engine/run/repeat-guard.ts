import type { Action, Outcome } from "../../model/action.ts";
import type { Tally } from "./pass-context.ts";

/**
 * Actions that come to nothing although each look finds the world as they want it (a service that
 * answers every write with 404, or with none): planned again they would be done again for ever.
 * Each is tried once more after a whole look, and then left for the next run (I16).
 */

const TRIES = 2;

/** An action whole, with what it expects to find: the same only when the plan saw the same. */
function keyOf(action: Action): string {
  return JSON.stringify(action);
}

/**
 * @param isListed whether the look was whole: where the listing was cut short, nothing tells that
 * it would end otherwise now (I08)
 */
export function isVainRepeat({ vain }: Tally, action: Action, isListed = true): boolean {
  return vain.size > 0 && (vain.get(keyOf(action))?.times ?? 0) >= (isListed ? TRIES : 1);
}

/** What an action that came to nothing ends with, undone. */
export function foundBefore({ vain }: Tally, action: Action): Outcome {
  return { kind: "stale", detail: vain.get(keyOf(action))!.detail };
}

export function noteVainAction({ vain }: Tally, action: Action, detail: string): void {
  const key = keyOf(action);
  vain.set(key, { times: (vain.get(key)?.times ?? 0) + 1, detail });
}
