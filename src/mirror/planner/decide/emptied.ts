import { type Digest, digestOf } from "../../../contract/digest.ts";
import type { DocumentRecord } from "../../model/link.ts";
import { isBlank } from "../../model/text-form.ts";
import type { RemoteFile, TextLookup } from "../../model/tree.ts";
import type { PlanDraft } from "./plan-draft.ts";

/** Finds content that became blank since base: safety checks count it like a deletion. */

const EMPTY = digestOf("");

/** Returns true if a document's content is blank, and the content of its base version is not. */
export function isEmptied({ texts }: Pick<PlanDraft, "texts">, link: DocumentRecord, text: Digest): boolean {
  return isBlankText(texts, text) && !isBlankText(texts, link.digest);
}

/** Returns what is known about the service's current content. */
export function takenText(
  draft: PlanDraft,
  link: DocumentRecord,
  { digest }: RemoteFile,
): { readonly empties?: boolean } {
  return digest === undefined ? {} : { empties: isEmptied(draft, link, digest) };
}

/** Returns true if content is blank. Content that the store does not have counts as not blank. */
function isBlankText(texts: TextLookup, digest: Digest): boolean {
  if (digest === EMPTY) return true;
  const text = texts(digest);
  return text !== null && isBlank(text);
}
