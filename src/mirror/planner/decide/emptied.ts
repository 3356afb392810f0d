/**
 * Finds documents whose content became blank since base. Safety checks count these documents like
 * deleted ones.
 */

import { type Digest, EMPTY_DIGEST } from "../../../contract/digest.ts";
import type { Drift } from "../drift/place-change.ts";
import type { DocumentRecord } from "../../model/record.ts";
import { isBlank } from "../../model/text-form.ts";
import type { LocalFile, RemoteFile, TextLookup } from "../../model/tree.ts";
import type { DocumentRow } from "../match/row.ts";
import { type PlanDraft, proposeAction } from "./plan-draft.ts";

export function isEmptied({ texts }: Pick<PlanDraft, "texts">, record: DocumentRecord, digest: Digest): boolean {
  return isBlankText(texts, digest) && !isBlankText(texts, record.digest);
}

/** Files of a document on both sides; null if a side has no readable content. */
export type DocumentSides = {
  readonly drift: Drift;
  readonly localFile: LocalFile | null;
  readonly remoteFile: RemoteFile | null;
};

export type SharedDocument = {
  readonly row: DocumentRow;
  readonly record: DocumentRecord;
  readonly localFile: LocalFile;
  readonly remoteFile: RemoteFile;
};

type DownloadAction =
  | { readonly kind: "merge"; readonly review: boolean }
  | { readonly kind: "write-local" | "settle-review" };

export function proposeDownload(
  draft: PlanDraft,
  { row, record, localFile, remoteFile: { changeId, digest } }: SharedDocument,
  download: DownloadAction,
  why: string,
): void {
  const empties = digest === undefined ? undefined : isEmptied(draft, record, digest);
  proposeAction(draft, row, "content", (paths) => ({
    ...download,
    why: download.kind === "write-local" && empties === true ? "emptied on the service" : why,
    id: record.id,
    localPath: paths.local,
    changeId,
    expect: localFile.digest,
    ...(empties === undefined ? {} : { empties }),
  }));
}

/** Returns true for blank content. Returns false if the content store does not have the content. */
function isBlankText(texts: TextLookup, digest: Digest): boolean {
  if (digest === EMPTY_DIGEST) return true;
  const text = texts(digest);
  return text !== null && isBlank(text);
}
