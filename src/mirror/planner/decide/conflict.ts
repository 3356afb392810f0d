import {
  type Conflict,
  hasConflictCopy,
  type DocumentRecord,
  newestShown,
  type ShownVersion,
} from "../../model/record.ts";
import type { DocumentRow } from "../match/row.ts";
import type { LocalPath } from "../../../contract/path.ts";
import type { LocalFile, LocalOther, RemoteFile } from "../../model/tree.ts";
import { placeAt } from "../match/forest.ts";
import { blockRow, copyInodeKey, pathOfRow, type PlanDraft, propose, withdraw } from "./plan-draft.ts";
import { isContentBlocked, isInUse, needsSecondScan } from "./gates.ts";
import type { DocumentSides } from "./emptied.ts";
import { createLocal } from "./presence.ts";
import { decideReviewConflict } from "./review.ts";
import { type ConflictCopy, copiesOf, copyPath } from "../../model/conflict-copy-path.ts";
import { isUnseen } from "../match/unseen.ts";

/**
 * Decides what happens to a document with an open conflict: nothing is PUT until the conflict ends.
 * @returns true if the conflict decides about the content; false if `CONTENT_RULES` decides,
 * because the conflict ends or cannot be decided
 */
export function decideConflict(draft: PlanDraft, row: DocumentRow, conflict: Conflict, sides: DocumentSides): boolean {
  const { drift, localFile, remoteFile } = sides;
  const copies = findCopies(draft, row, conflict, localFile);
  if (drift.remote === "gone") {
    dropConflict(draft, row, conflict, copies, "no longer on the service");
    return false;
  }
  if (drift.local === "deleted" && drift.remote === "outside")
    return endWithDocument(draft, row, row.record!) === "waits";
  if (remoteFile === null || drift.local === "unknown") return false;
  if (localFile === null) {
    decideDeleted(draft, row, conflict, copies, remoteFile);
    return true;
  }
  const course = courseOf(draft, row, { conflict, localFile, remoteFile, copies });
  // The block has the digest of the local content, by which the file is recognised after a move.
  // The digest in base is of other content.
  if (course === "stays" || course === "meets") blockForConflict(draft, row, conflict, localFile);
  // A newer version is shown beside its document, and the earlier copy is removed.
  if (course === "stays" || course === "waits") moveCopies(draft, row, copies);
  return true;
}

function blockForConflict(draft: PlanDraft, row: DocumentRow, { shown }: Conflict, localFile: LocalFile): void {
  const { record } = row;
  if (record !== null && decideReviewConflict(draft, row, record, localFile, shown[0]?.changeId ?? null)) return;
  const sent = record !== null && record.submissions.length > 0 ? "; a version of it is in review, too" : "";
  const detail = `the local version and the version on the service do not merge${sent}`;
  blockRow(draft, row, "conflict", detail, { digest: localFile.digest });
}

/**
 * Decides what happens to a document that was deleted locally during its conflict: the service's
 * content is restored, because the user has not decided about it.
 */
function decideDeleted(
  draft: PlanDraft,
  row: DocumentRow,
  conflict: Conflict,
  copies: readonly FoundCopy[],
  remoteFile: RemoteFile,
): void {
  if (row.record !== null && needsSecondScan(draft, row, row.record)) return;
  dropConflict(draft, row, conflict, copies, "deleted locally", true);
  createLocal(draft, row, remoteFile, "deleted locally while it was in conflict");
}

/**
 * Ends the conflict of a document that is neither local nor in the linked part of the workspace any
 * more. A local absence needs its second scan first.
 */
export function endWithDocument(draft: PlanDraft, row: DocumentRow, record: DocumentRecord): "ends" | "waits" {
  const conflict = draft.trees.base.conflicts.get(record.id);
  if (conflict === undefined) return "ends";
  if (needsSecondScan(draft, row, record)) return "waits";
  dropConflict(
    draft,
    row,
    conflict,
    findCopies(draft, row, conflict, null),
    "moved out of the linked folder of the workspace, and deleted locally",
  );
  return "ends";
}

/**
 * Withdraws the end of a conflict if the record of its document stays. A document that seems gone
 * may only be unreadable. If `CONTENT_RULES` blocks it, its record stays, and the conflict must
 * stay too. When two contents were new at one path, base is the version in the conflict copy.
 * Without the conflict, the local content would replace that version as a plain edit once the
 * document is seen again.
 */
export function keepUnlessRecordEnds(draft: PlanDraft, row: DocumentRow): void {
  // No other rule has proposed an action for the document, so this plan does not end its record.
  if (draft.proposals.get(row)?.length === 1) withdraw(draft, row, "before");
}

/** A conflict whose document exists on both sides. */
type OpenConflict = {
  readonly conflict: Conflict;
  readonly localFile: LocalFile;
  readonly remoteFile: RemoteFile;
  readonly copies: readonly FoundCopy[];
};

/**
 * Course of a conflict. `stays`: it continues unchanged. `meets`: a newer version of the service
 * may merge; if not, a copy shows it. `ends`: the user decided. `waits`: the content must be
 * corrected first, or somebody is editing the file.
 */
type ConflictCourse = "stays" | "meets" | "ends" | "waits";

function courseOf(draft: PlanDraft, row: DocumentRow, open: OpenConflict): ConflictCourse {
  const { conflict, localFile, remoteFile } = open;
  const end = draft.policy.direction === "both" ? endOf(draft, open) : null;
  if (end === null) return showNewVersion(draft, row, open);
  const { how, why, rejected } = end;
  if (how !== "equal" && isContentBlocked(draft, row, localFile)) return "waits";
  const course = how === "equal" || remoteFile.changeId === rejected.changeId ? "ends" : "meets";
  if (course === "meets" && isInUse(draft, row, localFile, { digest: localFile.digest })) return "waits";
  propose(draft, row, "content", (paths) => ({
    kind: "end-conflict",
    why,
    id: conflict.id,
    localPath: paths.local,
    how,
    expect: localFile.digest,
    baseChangeId: rejected.changeId,
    changeId: remoteFile.changeId,
  }));
  return course;
}

/**
 * How the user ended a conflict. `rejected`: the version that the user rejected in favour of other
 * content.
 */
type ConflictEnd = { readonly how: "mine" | "theirs" | "equal"; readonly why: string; readonly rejected: ShownVersion };

/**
 * Returns how the user ended the conflict, by the state of both contents; null while it is open. A
 * choice refers to the version that the copy showed, even if the service has a newer one.
 */
function endOf(draft: PlanDraft, { conflict, localFile, copies }: OpenConflict): ConflictEnd | null {
  const gone = copies.filter(({ found }) => found.kind === "gone");
  const moved = gone.findLast(({ version }) => hasInodeOf(draft, version, localFile));
  if (moved !== undefined)
    return { how: "theirs", why: "the conflict copy was moved over the document", rejected: moved.version };
  const newest = newestShown(conflict);
  if (localFile.digest === newest.digest)
    return { how: "equal", why: "both versions are the same now", rejected: newest };
  const removed = gone.findLast(isRemoved);
  if (removed !== undefined && conflict.looksGone > 0)
    return { how: "mine", why: "the conflict copy was deleted", rejected: removed.version };
  return null;
}

/** Returns true if a conflict copy is missing, although mdmirror did not remove it. */
function isRemoved({ found, version }: FoundCopy): boolean {
  return found.kind === "gone" && version.ino !== 0;
}

/**
 * Counts a scan that found a copy missing, or shows the service's current version. If the contents
 * are known to merge, the new version waits while somebody is editing the file.
 */
function showNewVersion(
  draft: PlanDraft,
  row: DocumentRow,
  { conflict, localFile, remoteFile, copies }: OpenConflict,
): ConflictCourse {
  const { id, looksGone } = conflict;
  if (copies.some(isRemoved)) {
    if (looksGone === 0)
      propose(draft, row, "note", () => ({ kind: "look-again", why: "the conflict copy is missing", id }));
    return "stays";
  }
  const isNewer = remoteFile.changeId !== newestShown(conflict).changeId;
  if ((hasConflictCopy(conflict) && !isNewer) || draft.policy.direction === "push") return "stays";
  if (isInUse(draft, row, localFile, { digest: localFile.digest })) return "waits";
  propose(draft, row, "content", (paths) => ({
    kind: "renew-conflict",
    why: isNewer ? "edited again on the service" : "the conflict copy is written again",
    id,
    localPath: paths.local,
    changeId: remoteFile.changeId,
    expect: localFile.digest,
  }));
  return "meets";
}

function dropConflict(
  draft: PlanDraft,
  row: DocumentRow,
  conflict: Conflict,
  copies: readonly FoundCopy[],
  why: string,
  comesBack = false,
): void {
  const newest = copies.at(-1)?.found;
  propose(draft, row, "before", () => ({
    kind: "drop-conflict",
    why,
    id: conflict.id,
    newestCopyPath: newest?.kind === "present" ? newest.path : null,
    ...(comesBack ? { comesBack } : {}),
  }));
}

/**
 * Moves conflict copies beside their document, or corrects the recorded path of a copy; `from`
 * equals `to` if only the recorded path is wrong.
 */
function moveCopies(draft: PlanDraft, row: DocumentRow, copies: readonly FoundCopy[]): void {
  const present = copies.flatMap(({ nth, path, found, isNewest }) => {
    if (found.kind !== "present") return [];
    const place = placeAt(draft.forest, "local", found.path);
    return [{ nth, recorded: isNewest ? path : null, place }];
  });
  if (present.length > 0) draft.copies.set(row, present);
}

/** A conflict copy and the file that was found for it, if any. */
type FoundCopy = ConflictCopy & { readonly found: FoundFile };
type FoundFile =
  | { readonly kind: "present"; readonly path: LocalPath }
  | { readonly kind: "gone" }
  | { readonly kind: "unknown" };

/**
 * Finds the copies of a conflict, in three ways. First by inode, at the recorded path, or at the
 * path to which the document's move took the copy. Then by name at these paths, because an editor
 * may have saved a new file. Then by inode anywhere, because the user may have moved the copy.
 * Skips a file that belongs to another copy.
 * @param localFile the document's own file; null if missing
 * @returns copies, oldest first; the newest is always among them
 */
function findCopies(draft: PlanDraft, row: DocumentRow, conflict: Conflict, localFile: LocalFile | null): FoundCopy[] {
  const document = row.record?.localPath ?? pathOfRow(row);
  return copiesOf(conflict, document, draft.trees.local.disk.maxNameBytes).map((copy) => ({
    ...copy,
    found: findCopy(draft, copy, localFile),
  }));
}

function findCopy(draft: PlanDraft, copy: ConflictCopy, localFile: LocalFile | null): FoundFile {
  const { others, disk } = draft.trees.local;
  const places = [copy.path, ...(localFile === null ? [] : [copyPath(localFile.path, copy.nth, disk.maxNameBytes)])];
  const isOwn = (other: LocalOther) => hasInodeOf(draft, copy.version, other);
  const isFree = (other: LocalOther) => mayBeCopyOf(draft, copy.version, other);
  const candidates = places.flatMap((path) => others.get(path) ?? []).filter(isFree);
  const found = candidates.find(isOwn) ?? candidates[0] ?? findMoved(draft, (other) => isOwn(other) && isFree(other));
  if (found !== null) return { kind: "present", path: found.path };
  return { kind: places.some((path) => isUnseen(path, draft.trees)) ? "unknown" : "gone" };
}

function findMoved({ trees }: PlanDraft, isMatch: (other: LocalOther) => boolean): LocalOther | null {
  for (const other of trees.local.others.values()) if (other.kind === "conflict-copy" && isMatch(other)) return other;
  return null;
}

/** Returns true if a file has the inode of a version's copy. */
function hasInodeOf(draft: PlanDraft, version: ShownVersion, { stamp }: Pick<LocalOther, "stamp">): boolean {
  const key = copyInodeKey(draft, stamp);
  return key !== null && key === copyInodeKey(draft, version);
}

/**
 * Returns true if a file may be the copy of a version: its inode does not belong to another copy.
 * If several copies have the inode, the file is the copy that base has at its path.
 */
function mayBeCopyOf(draft: PlanDraft, version: ShownVersion, { path, stamp }: LocalOther): boolean {
  const key = copyInodeKey(draft, stamp);
  const owners = key === null ? [] : (draft.copiesByInode().get(key) ?? []);
  const owner = owners.find((copy) => copy.path === path);
  return owners.length === 0 || (owner === undefined ? owners : [owner]).some((copy) => copy.version === version);
}
