import type { Digest } from "../../../contract/digest.ts";
import { isBlank } from "../../model/text-form.ts";
import type { MirrorEvent } from "../../ports/state.ts";
import type { World } from "../run/world.ts";

/** The code of events by which a document lost its text: the safety checks count them. */
const EMPTIED = "emptied";

/**
 * Returns whether a text is blank and the earlier one was not. A text that the store lost counts as
 * not blank.
 */
export function empties({ state }: Pick<World, "state">, before: Digest | null, text: string): boolean {
  return before !== null && isBlank(text) && !isBlank(state.text(before) ?? "lost");
}

/** Returns the code of the event by which a text replaces another. */
export function codeOf(world: Pick<World, "state">, before: Digest | null, text: string): Pick<MirrorEvent, "code"> {
  return { code: empties(world, before, text) ? EMPTIED : null };
}
