import type { Digest } from "../../../contract/digest.ts";
import { isBlank } from "../../model/text-form.ts";
import type { MirrorEvent } from "../../ports/state.ts";
import type { World } from "../run/world.ts";

/**
 * The code of events by which a document lost its content: the safety checks count these events.
 */
const EMPTIED = "emptied";

/**
 * Returns true if content is blank and the earlier content was not. Content that the store lost
 * counts as not blank.
 */
export function becomesBlank({ state }: Pick<World, "state">, before: Digest | null, text: string): boolean {
  return before !== null && isBlank(text) && !isBlank(state.text(before) ?? "lost");
}

/** Returns the code of the event by which one content replaces another. */
export function contentEventCode(
  world: Pick<World, "state">,
  before: Digest | null,
  text: string,
): Pick<MirrorEvent, "code"> {
  return { code: becomesBlank(world, before, text) ? EMPTIED : null };
}
