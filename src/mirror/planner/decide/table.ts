/**
 * Finds out which side changed the content or the place of a document since base, and which rules
 * apply. One table has a cell for each combination of contents, the other for each change of place.
 * If a cell is missing, the code does not compile.
 */
import { type DocumentRow, getPathOnSide, type PlanRow, SIDES } from "../match/row.ts";
import { findBaseFolder, type FolderForest } from "../match/forest.ts";
import type { DocumentRecord } from "../../model/record.ts";
import type { LocalFile } from "../../model/tree.ts";
import { nameOf } from "../../../contract/path.ts";

/** State of local content, compared with base. `unknown`: the scan did not show the content. */
type LocalDrift = "unchanged" | "edited" | "deleted" | "unknown";
type RemoteDrift = "unchanged" | "edited" | "gone" | "unseen" | "outside";
type NewContents =
  | { readonly local: "created"; readonly remote: "created" | "never" }
  | { readonly local: "never"; readonly remote: "created" };
type DriftContents = { readonly local: LocalDrift; readonly remote: RemoteDrift } | NewContents;
export type PlaceDrift = "nobody" | "local" | "remote" | "both";

export type Drift = DriftContents & { readonly place: PlaceDrift };

export function compareWithBase(forest: FolderForest, row: DocumentRow): Drift {
  const { record } = row;
  if (record === null) return { ...describeNewContents(row), place: "nobody" };
  return {
    local: compareLocalContent(row, record),
    remote: compareRemoteContent(row, record),
    place: comparePlaces(forest, row),
  };
}

function describeNewContents({ local, remote }: DocumentRow): NewContents {
  if (local.seen.kind !== "present") return { local: "never", remote: "created" };
  return { local: "created", remote: remote.seen.kind === "present" ? "created" : "never" };
}

function compareLocalContent({ local: { seen } }: DocumentRow, record: DocumentRecord): LocalDrift {
  if (seen.kind === "unknown") return "unknown";
  if (seen.kind === "absent") return "deleted";
  return hasBaseContent(record, seen.value) ? "unchanged" : "edited";
}

/**
 * Returns true if a file has base's local content, or base's content as on the service. The two may
 * differ by line ends, BOM or final newline. An editor that removes this difference does not change
 * the document.
 */
export function hasBaseContent(record: DocumentRecord, file: LocalFile): boolean {
  return file.digest === record.localDigest || file.digest === record.digest;
}

function compareRemoteContent({ remote: { seen } }: DocumentRow, record: DocumentRecord): RemoteDrift {
  if (seen.kind === "present") return seen.file.changeId === record.changeId ? "unchanged" : "edited";
  return seen.kind === "never" ? "unseen" : seen.kind;
}

/**
 * Returns the sides on which the parent folder or the name differs from base. A document in a
 * folder that moved has not moved itself.
 */
export function comparePlaces(forest: FolderForest, row: PlanRow): PlaceDrift {
  const { record } = row;
  if (record === null) return "nobody";
  const [isMovedLocally, isMovedRemotely] = SIDES.map((side) => {
    const parent = findBaseFolder(forest, side, record);
    const { now } = row[side];
    return now !== null && (now.parent !== parent || now.name !== nameOf(getPathOnSide(record, side)));
  });
  if (isMovedLocally) return isMovedRemotely ? "both" : "local";
  return isMovedRemotely ? "remote" : "nobody";
}

type ContentCell = `${LocalDrift}/${RemoteDrift}` | "created/created" | "created/never" | "never/created";

export function toContentCell({ local, remote }: Drift): ContentCell {
  return `${local}/${remote}` as ContentCell;
}

export const CONTENT_RULES = {
  "unchanged/unchanged": "nothing",
  "unchanged/edited": "write-local",
  "unchanged/gone": "trash-local",
  "unchanged/unseen": "block-not-seen",
  "unchanged/outside": "leave-subtree",
  "edited/unchanged": "put",
  "edited/edited": "merge",
  "edited/gone": "post-as-new",
  "edited/unseen": "block-not-seen",
  "edited/outside": "leave-subtree",
  // Right before the deletion, mdmirror reads the document on the service again. A document that
  // was moved on the service is restored locally instead, because somebody uses it.
  "deleted/unchanged": "delete-remote",
  "deleted/edited": "come-back",
  "deleted/gone": "forget",
  "deleted/unseen": "block-not-seen",
  // mdmirror never deletes a document outside the linked part of the workspace.
  "deleted/outside": "leave-subtree",
  "created/created": "meet",
  "created/never": "post",
  "never/created": "create-local",
  "unknown/unchanged": "block-unreadable",
  "unknown/edited": "block-unreadable",
  "unknown/gone": "block-unreadable",
  "unknown/unseen": "block-unreadable",
  "unknown/outside": "block-unreadable",
} as const satisfies Record<ContentCell, string>;

export type ContentRule = (typeof CONTENT_RULES)[ContentCell];

/**
 * Rule for a place. `agree`: both sides moved the document or folder; if the places differ, the
 * place on the service wins.
 */
export type PlaceRule = "stay" | "follow-local" | "follow-remote" | "agree";

export const PLACE_RULES: Readonly<Record<PlaceDrift, PlaceRule>> = {
  nobody: "stay",
  local: "follow-local",
  remote: "follow-remote",
  both: "agree",
};
