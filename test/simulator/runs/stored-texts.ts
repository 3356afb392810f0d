import { type Digest, digestOf } from "../../../src/contract/digest.ts";
import type { StoredState } from "../../../src/mirror/state/state.ts";
import { withoutDestinations, holdsLinks } from "./linked-texts.ts";

/** Compares local contents with those of the state, in which links have another form. */

type Texts = Pick<StoredState, "text" | "hasText" | "digests">;

/** Returns true if local content has this digest in the state. */
export function isTextOf(state: Texts, digest: Digest, text: string): boolean {
  if (digestOf(text) === digest) return true;
  return holdsLinks(text) && withoutDestinations(state.text(digest) ?? "") === withoutDestinations(text);
}

/**
 * Returns true if the content store has local content, in its local form or that of the service.
 */
export function storeHas(state: Texts, text: string): boolean {
  if (state.hasText(digestOf(text))) return true;
  return holdsLinks(text) && state.digests().some((digest) => isTextOf(state, digest, text));
}
