import { type Digest, digestOf } from "../../../src/contract/digest.ts";
import type { StoredState } from "../../../src/mirror/state/state.ts";
import { essenceOf, holdsLinks } from "./linked-texts.ts";

/** Texts of the folder against those of the state, which differ in what their links say. */

type Texts = Pick<StoredState, "text" | "hasText" | "digests">;

/** Whether a text of the folder is the one of a digest. */
export function isTextOf(state: Texts, digest: Digest, text: string): boolean {
  if (digestOf(text) === digest) return true;
  return holdsLinks(text) && essenceOf(state.text(digest) ?? "") === essenceOf(text);
}

/** Whether the store has a text of the folder, in either form. */
export function storeHas(state: Texts, text: string): boolean {
  if (state.hasText(digestOf(text))) return true;
  return holdsLinks(text) && state.digests().some((digest) => isTextOf(state, digest, text));
}
