import { type Digest, digestOf } from "../../../contract/digest.ts";
import type { DocumentRecord } from "../../model/link.ts";
import { isBlank } from "../../model/text-form.ts";
import type { LocalFile, RemoteFile, TextLookup } from "../../model/tree.ts";
import type { DocumentRow } from "../match/row.ts";
import { type PlanDraft, propose } from "./plan-draft.ts";

/** Finds content that became blank since base: safety checks count it like a deletion. */

const EMPTY = digestOf("");

/** Returns true if a document's content is blank, and the content of its base version is not. */
export function isEmptied({ texts }: Pick<PlanDraft, "texts">, link: DocumentRecord, text: Digest): boolean {
  return isBlankText(texts, text) && !isBlankText(texts, link.digest);
}

/** A linked document of which both sides have content. */
export type SharedDocument = {
  readonly row: DocumentRow;
  readonly link: DocumentRecord;
  readonly localFile: LocalFile;
  readonly remoteFile: RemoteFile;
};

/** The actions that may write the service's content to the file. */
type Taking = { readonly kind: "merge"; readonly review: boolean } | { readonly kind: "write-local" | "settle-review" };

/** Proposes to take the service's content. Says if it is blank, if the plan has read it. */
export function proposeTaking(
  draft: PlanDraft,
  { row, link, localFile, remoteFile: { changeId, digest } }: SharedDocument,
  taking: Taking,
  why: string,
): void {
  const empties = digest === undefined ? undefined : isEmptied(draft, link, digest);
  propose(draft, row, "content", (at) => ({
    ...taking,
    why: taking.kind === "write-local" && empties === true ? "emptied on the service" : why,
    id: link.id,
    localPath: at.local,
    changeId,
    expect: localFile.digest,
    ...(empties === undefined ? {} : { empties }),
  }));
}

/** Returns true if content is blank. Content that the store does not have counts as not blank. */
function isBlankText(texts: TextLookup, digest: Digest): boolean {
  if (digest === EMPTY) return true;
  const text = texts(digest);
  return text !== null && isBlank(text);
}
