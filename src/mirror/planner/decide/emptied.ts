import { type Digest, digestOf } from "../../../contract/digest.ts";
import type { Link } from "../../model/link.ts";
import { isBlank } from "../../model/text-form.ts";
import type { RemoteFile, TextLookup } from "../../model/tree.ts";
import type { PlanDraft } from "./plan-draft.ts";

/** Which texts became blank since base: safety checks count them as deletions. */

const EMPTY = digestOf("");

/** Returns whether a document's text is blank, and that of its base version is not. */
export function isEmptied({ texts }: Pick<PlanDraft, "texts">, link: Link, text: Digest): boolean {
  return isBlankText(texts, text) && !isBlankText(texts, link.digest);
}

/** Returns what is known of the text that the service has by now. */
export function takenText(draft: PlanDraft, link: Link, { digest }: RemoteFile): { readonly empties?: boolean } {
  return digest === undefined ? {} : { empties: isEmptied(draft, link, digest) };
}

/** A text that the store does not hold counts as one with words. */
function isBlankText(texts: TextLookup, digest: Digest): boolean {
  if (digest === EMPTY) return true;
  const text = texts(digest);
  return text !== null && isBlank(text);
}
