/** Finds content that became blank since base: safety checks count it like a deletion. */

import { type Digest, EMPTY_DIGEST } from "../../../contract/digest.ts";
import type { Drift } from "../drift/place-change.ts";
import type { DocumentRecord } from "../../model/record.ts";
import { isBlank } from "../../model/text-form.ts";
import type { LocalFile, RemoteFile, TextLookup } from "../../model/tree.ts";
import type { DocumentRow } from "../match/row.ts";
import { type PlanDraft, propose } from "./plan-draft.ts";

/** Returns true if a document's content is blank, and the content of its base version is not. */
export function isEmptied({ texts }: Pick<PlanDraft, "texts">, record: DocumentRecord, digest: Digest): boolean {
  return isBlankText(texts, digest) && !isBlankText(texts, record.digest);
}

/** The two sides of a document; null for a side without readable content. */
export type DocumentSides = {
  readonly drift: Drift;
  readonly localFile: LocalFile | null;
  readonly remoteFile: RemoteFile | null;
};

/** A recorded document of which both sides have content. */
export type SharedDocument = {
  readonly row: DocumentRow;
  readonly record: DocumentRecord;
  readonly localFile: LocalFile;
  readonly remoteFile: RemoteFile;
};

/** The actions that may write the service's content to the file. */
type Download =
  | { readonly kind: "merge"; readonly review: boolean }
  | { readonly kind: "write-local" | "settle-review" };

/**
 * Proposes an action that writes the service's content to the file. If the plan has read the
 * content, the action says whether it is blank.
 */
export function proposeFetch(
  draft: PlanDraft,
  { row, record, localFile, remoteFile: { changeId, digest } }: SharedDocument,
  download: Download,
  why: string,
): void {
  const empties = digest === undefined ? undefined : isEmptied(draft, record, digest);
  propose(draft, row, "content", (paths) => ({
    ...download,
    why: download.kind === "write-local" && empties === true ? "emptied on the service" : why,
    id: record.id,
    localPath: paths.local,
    changeId,
    expect: localFile.digest,
    ...(empties === undefined ? {} : { empties }),
  }));
}

/** Returns true if content is blank. Content that the store does not have counts as not blank. */
function isBlankText(texts: TextLookup, digest: Digest): boolean {
  if (digest === EMPTY_DIGEST) return true;
  const text = texts(digest);
  return text !== null && isBlank(text);
}
