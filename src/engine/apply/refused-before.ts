import type { Outcome } from "../../model/action.ts";
import type { Digest } from "../../model/digest.ts";
import type { PassContext } from "../run/pass-context.ts";

/**
 * Texts that the service refused in this run. A hold knows the last one alone: a text that was
 * another meanwhile, edited or with links that led elsewhere, would be sent again unchanged (I08).
 */

/** @param subject the document with its base, or the path of a new one */
export function refusedBefore({ notes }: PassContext, subject: string, text: Digest): Outcome | null {
  return notes.tally.refused.get(`${subject} ${text}`) ?? null;
}

export function noteRefused({ notes }: PassContext, subject: string, text: Digest, outcome: Outcome): Outcome {
  // Any other reason concerns a place or a grant, which may be another soon.
  if (outcome.kind === "refused" && outcome.hold?.reason === "refused")
    notes.tally.refused.set(`${subject} ${text}`, outcome);
  return outcome;
}
