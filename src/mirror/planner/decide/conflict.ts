import {
  type Conflict,
  hasConflictCopy,
  type DocumentRecord,
  findNewestShown,
  type ShownVersion,
} from "../../model/record.ts";
import type { DocumentRow } from "../match/row.ts";
import type { LocalPath } from "../../../contract/path.ts";
import type { LocalFile, UnsyncedEntry, RemoteFile } from "../../model/tree.ts";
import { toPlace } from "../match/forest.ts";
import {
  blockRow,
  toCopyInodeKey,
  findPathOfRow,
  type PlanDraft,
  proposeAction,
  withdrawProposals,
} from "./plan-draft.ts";
import { isContentBlocked, isInUse, needsSecondScan } from "./gates.ts";
import { decideReviewConflict, type DocumentSides } from "./shared-document.ts";
import { proposeLocalCreation } from "./presence.ts";
import { type ConflictCopy, listConflictCopies, makeTheirsCopyPath } from "../../model/names.ts";
import { isUnseen } from "../match/evidence.ts";

/**
 * Decides about a document with an open conflict. Nothing is uploaded until the conflict ends.
 * @returns true if the decision is made; false if `CONTENT_RULES` must decide about the content
 */
export function decideConflict(draft: PlanDraft, row: DocumentRow, conflict: Conflict, sides: DocumentSides): boolean {
  const { drift, localFile, remoteFile } = sides;
  const copies = findCopies(draft, row, conflict, localFile);
  if (drift.remote === "gone") {
    dropConflict(draft, row, conflict, copies, "no longer on the service");
    return false;
  }
  if (drift.local === "deleted" && drift.remote === "outside")
    return endConflictOfRemovedDocument(draft, row, row.record!) === "waits";
  if (remoteFile === null || drift.local === "unknown") return false;
  if (localFile === null) {
    decideDeleted(draft, row, conflict, copies, remoteFile);
    return true;
  }
  const course = decideCourse(draft, row, { conflict, localFile, remoteFile, copies });
  // The block stores the digest of the file, by which mdmirror recognises the file after a move.
  // The digest in base belongs to other content.
  if (course === "stays" || course === "meets") blockForConflict(draft, row, conflict, localFile);
  // Conflict copies are moved with their document, unless this plan ends the conflict or shows a
  // newer version.
  if (course === "stays" || course === "waits") moveCopies(draft, row, copies);
  return true;
}

function blockForConflict(draft: PlanDraft, row: DocumentRow, { shown }: Conflict, localFile: LocalFile): void {
  const { record } = row;
  if (record !== null && decideReviewConflict(draft, row, record, localFile, shown[0]?.changeId ?? null)) return;
  const reviewClause = record !== null && record.submissions.length > 0 ? "; a version of it is in review, too" : "";
  const detail = `the local version and the version on the service do not merge${reviewClause}`;
  blockRow(draft, row, "conflict", detail, { digest: localFile.digest });
}

/**
 * Restores a document that was deleted locally during its conflict. The user has not decided about
 * the version on the service, so that version must not be deleted.
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
  proposeLocalCreation(draft, row, remoteFile, "deleted locally while it was in conflict");
}

/**
 * Ends the conflict of a document that was deleted locally and moved out of the linked part of the
 * workspace. A second scan must first confirm the local deletion.
 */
export function endConflictOfRemovedDocument(
  draft: PlanDraft,
  row: DocumentRow,
  record: DocumentRecord,
): "ends" | "waits" {
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
 * Keeps the conflict of a document that is missing on the service, unless this plan removes the
 * document's record. Perhaps the key only lost the permission to read the document.
 *
 * Without the conflict, mdmirror would upload the local content as a plain edit when the key can
 * read the document again. The edit would replace the version in the conflict copy, about which the
 * user has not decided.
 */
export function keepConflictUnlessRecordEnds(draft: PlanDraft, row: DocumentRow): void {
  // The planner has already proposed to end the conflict. Without another proposal, the document
  // keeps its record, so the proposal is withdrawn and the conflict stays.
  if (draft.proposals.get(row)?.length === 1) withdrawProposals(draft, row, "before");
}

type OpenConflict = {
  readonly conflict: Conflict;
  readonly localFile: LocalFile;
  readonly remoteFile: RemoteFile;
  readonly copies: readonly FoundCopy[];
};

/**
 * Course of a conflict in this plan.
 * - `stays`: the conflict continues unchanged.
 * - `meets`: the service has a newer version, which is merged or shown in a copy.
 * - `ends`: the user has decided.
 * - `waits`: somebody is editing the file, or the file's content must be corrected first.
 */
type ConflictCourse = "stays" | "meets" | "ends" | "waits";

function decideCourse(draft: PlanDraft, row: DocumentRow, open: OpenConflict): ConflictCourse {
  const { conflict, localFile, remoteFile } = open;
  const userDecision = draft.policy.direction === "both" ? findUserDecision(draft, open) : null;
  if (userDecision === null) return showNewVersion(draft, row, open);
  const { how, why, rejected } = userDecision;
  if (how !== "equal" && isContentBlocked(draft, row, localFile)) return "waits";
  const course = how === "equal" || remoteFile.changeId === rejected.changeId ? "ends" : "meets";
  if (course === "meets" && isInUse(draft, row, localFile, { digest: localFile.digest })) return "waits";
  proposeAction(draft, row, "content", (paths) => ({
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
 * The user's decision that ends a conflict. `how`: the chosen side, or `equal` if the local
 * file has the content of the newest version in a copy. `rejected`: the version in a conflict copy
 * about which the user decided.
 */
type ConflictDecision = {
  readonly how: "mine" | "theirs" | "equal";
  readonly why: string;
  readonly rejected: ShownVersion;
};

/**
 * Finds out from the files how the user ended the conflict; null if the conflict is open. The
 * decision is about the version in the copy, even if the service has a newer version.
 */
function findUserDecision(draft: PlanDraft, { conflict, localFile, copies }: OpenConflict): ConflictDecision | null {
  const missingCopies = copies.filter(({ found }) => found.kind === "gone");
  const copyMovedOverDocument = missingCopies.findLast(({ version }) => hasInodeOf(draft, version, localFile));
  if (copyMovedOverDocument !== undefined)
    return {
      how: "theirs",
      why: "the conflict copy was moved over the document",
      rejected: copyMovedOverDocument.version,
    };
  const newestVersion = findNewestShown(conflict);
  if (localFile.digest === newestVersion.digest)
    return { how: "equal", why: "both versions are the same now", rejected: newestVersion };
  const removedCopy = missingCopies.findLast(wasRemovedByOthers);
  if (removedCopy !== undefined && conflict.looksGone > 0)
    return { how: "mine", why: "the conflict copy was deleted", rejected: removedCopy.version };
  return null;
}

function wasRemovedByOthers({ found, version }: FoundCopy): boolean {
  return found.kind === "gone" && version.ino !== 0;
}

/**
 * Continues a conflict that the user has not ended. Records if this scan did not find the copy.
 * Merges or shows a newer version of the service, unless somebody is editing the file.
 */
function showNewVersion(
  draft: PlanDraft,
  row: DocumentRow,
  { conflict, localFile, remoteFile, copies }: OpenConflict,
): ConflictCourse {
  const { id, looksGone } = conflict;
  if (copies.some(wasRemovedByOthers)) {
    if (looksGone === 0)
      proposeAction(draft, row, "note", () => ({ kind: "look-again", why: "the conflict copy is missing", id }));
    return "stays";
  }
  const isNewer = remoteFile.changeId !== findNewestShown(conflict).changeId;
  if ((hasConflictCopy(conflict) && !isNewer) || draft.policy.direction === "push") return "stays";
  if (isInUse(draft, row, localFile, { digest: localFile.digest })) return "waits";
  proposeAction(draft, row, "content", (paths) => ({
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
  const newestFile = copies.at(-1)?.found;
  proposeAction(draft, row, "before", () => ({
    kind: "drop-conflict",
    why,
    id: conflict.id,
    newestCopyPath: newestFile?.kind === "present" ? newestFile.path : null,
    ...(comesBack ? { comesBack } : {}),
  }));
}

/**
 * Plans to move conflict copies beside their document. A copy that is already beside the document
 * may need a step that records its path.
 */
function moveCopies(draft: PlanDraft, row: DocumentRow, copies: readonly FoundCopy[]): void {
  const presentCopies = copies.flatMap(({ nth, path, found, isNewest }) => {
    if (found.kind !== "present") return [];
    const place = toPlace(draft.forest, "local", found.path);
    return [{ nth, recorded: isNewest ? path : null, place }];
  });
  if (presentCopies.length > 0) draft.copies.set(row, presentCopies);
}

type FoundCopy = ConflictCopy & { readonly found: FoundFile };
type FoundFile =
  | { readonly kind: "present"; readonly path: LocalPath }
  | { readonly kind: "gone" }
  | { readonly kind: "unknown" };

/**
 * Finds the files of a document's conflict copies, in this order:
 * - by inode, at the recorded path and beside the moved document
 * - by name at these two paths, because an editor may have saved the copy as a new file
 * - by inode at any other path, because the user may have moved the copy
 * @param localFile the document's own file; null if missing
 * @returns copies, oldest first; always with the newest copy
 */
function findCopies(draft: PlanDraft, row: DocumentRow, conflict: Conflict, localFile: LocalFile | null): FoundCopy[] {
  const documentPath = row.record?.localPath ?? findPathOfRow(row);
  return listConflictCopies(conflict, documentPath, draft.trees.local.disk.maxNameBytes).map((copy) => ({
    ...copy,
    found: findCopy(draft, copy, localFile),
  }));
}

function findCopy(draft: PlanDraft, copy: ConflictCopy, localFile: LocalFile | null): FoundFile {
  const { others, disk } = draft.trees.local;
  const expectedPaths = [
    copy.path,
    ...(localFile === null ? [] : [makeTheirsCopyPath(localFile.path, copy.nth, disk.maxNameBytes)]),
  ];
  const hasOwnInode = (other: UnsyncedEntry) => hasInodeOf(draft, copy.version, other);
  const mayBeThisCopy = (other: UnsyncedEntry) => mayBeCopyOf(draft, copy.version, other);
  const candidates = expectedPaths.flatMap((path) => others.get(path) ?? []).filter(mayBeThisCopy);
  const foundFile =
    candidates.find(hasOwnInode) ??
    candidates[0] ??
    findMovedCopy(draft, (other) => hasOwnInode(other) && mayBeThisCopy(other));
  if (foundFile !== null) return { kind: "present", path: foundFile.path };
  return { kind: expectedPaths.some((path) => isUnseen(path, draft.trees)) ? "unknown" : "gone" };
}

function findMovedCopy({ trees }: PlanDraft, isMatch: (other: UnsyncedEntry) => boolean): UnsyncedEntry | null {
  for (const otherEntry of trees.local.others.values())
    if (otherEntry.kind === "conflict-copy" && isMatch(otherEntry)) return otherEntry;
  return null;
}

function hasInodeOf(draft: PlanDraft, version: ShownVersion, { stamp }: Pick<UnsyncedEntry, "stamp">): boolean {
  const key = toCopyInodeKey(draft, stamp);
  return key !== null && key === toCopyInodeKey(draft, version);
}

/**
 * Returns true if a file may be the copy of a version. Returns false if the file's inode belongs to
 * another copy. If several copies have this inode, only the copy with the file's path in the state
 * matches.
 */
function mayBeCopyOf(draft: PlanDraft, version: ShownVersion, { path, stamp }: UnsyncedEntry): boolean {
  const key = toCopyInodeKey(draft, stamp);
  const owners = key === null ? [] : (draft.copiesByInode().get(key) ?? []);
  const owner = owners.find((copy) => copy.path === path);
  return owners.length === 0 || (owner === undefined ? owners : [owner]).some((copy) => copy.version === version);
}
