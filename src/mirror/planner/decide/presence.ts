import type { DocId } from "../../../contract/ids.ts";
import type { ActionOf } from "../../model/action.ts";
import type { Drift } from "../drift/place-change.ts";
import { type Block, isAway, type DocumentRecord } from "../../model/record.ts";
import { type DocumentRow, type FolderRow, setGoal } from "../match/row.ts";
import { baseFolderOf } from "../match/forest.ts";
import { parentOf } from "../../../contract/path.ts";
import type { LocalFile, RemoteFile } from "../../model/tree.ts";
import { absentPath } from "./absence.ts";
import { keyOf, type PlanDraft, propose, blockRow } from "./plan-draft.ts";
import { isDirectionOff, isInUse, isContentBlocked, needsSecondScan } from "./gates.ts";
import { localWish, remoteWish } from "./places.ts";
import { isForbidden, keepBlockOfNewFile } from "./remembered.ts";
import { DELETED_RULES } from "./table.ts";

/**
 * Plans the local creation of a document, at the place that corresponds to its place on the
 * service.
 * @param comesBack true if an edit on the service won against a local deletion
 */
export function createLocal(
  draft: PlanDraft,
  row: DocumentRow,
  remoteFile: RemoteFile,
  why: string,
  comesBack = false,
): void {
  const wish = localWish(draft, row);
  if (wish.kind === "impossible") {
    // A document that the ignore rules exclude, and that never had a local file, needs no block.
    if (wish.reason !== "suspended" || row.record !== null) blockRow(draft, row, wish.reason, wish.detail);
    return;
  }
  if (isDirectionOff(draft, row, "push", why)) return;
  setGoal(row, "local", wish.place);
  propose(draft, row, "arrive-local", (paths) => ({
    kind: "create-local",
    why,
    id: remoteFile.id,
    localPath: paths.local,
    remotePath: paths.remote,
    changeId: remoteFile.changeId,
    ...(comesBack && { comesBack }),
  }));
}

export function deleteRemote(draft: PlanDraft, row: DocumentRow, remoteFile: RemoteFile, drift: Drift): void {
  if (DELETED_RULES[drift.place] === "come-back") {
    createLocal(draft, row, remoteFile, "moved on the service after it was deleted locally");
    return;
  }
  const record = row.record!;
  if (isDirectionOff(draft, row, "pull", "deleted locally") || needsSecondScan(draft, row, record)) return;
  if (remoteFile.protected) {
    const detail = "protected on the service";
    const about = { code: "file_protected", changeId: remoteFile.changeId };
    blockRow(draft, row, "delete-refused", `${detail}: it cannot be deleted`, about);
    createLocal(draft, row, remoteFile, detail);
    return;
  }
  if (isForbidden(draft, row, "delete")) {
    // A review only delays the deletion on the service, so the file is not restored.
    if (draft.blocks.get(record.id)?.reason !== "delete-pending")
      createLocal(draft, row, remoteFile, "the service refused to delete it");
    return;
  }
  setGoal(row, "remote", null);
  propose(draft, row, "leave-remote", (paths) => ({
    kind: "delete-remote",
    why: "deleted locally",
    id: record.id,
    localPath: absentPath(draft, row),
    remotePath: paths.remote,
    changeId: remoteFile.changeId,
  }));
}

export function trash(draft: PlanDraft, row: DocumentRow, localFile: LocalFile, cause: "gone" | "outside"): void {
  const why = cause === "gone" ? "no longer on the service" : MOVED_OUT;
  if (isDirectionOff(draft, row, "push", why) || isInUse(draft, row, localFile)) return;
  setGoal(row, "local", null);
  const record = row.record!;
  propose(draft, row, "leave-local", (paths) => ({
    kind: "trash-local",
    why,
    id: record.id,
    localPath: paths.local,
    expect: localFile.digest,
    cause,
  }));
}

export function forget(draft: PlanDraft, row: DocumentRow): void {
  const record = row.record!;
  propose(draft, row, "note", () => ({
    kind: "forget",
    why: "deleted on both sides",
    id: record.id,
    localPath: record.localPath,
  }));
}

/**
 * Decides about a document that was moved out of the linked folder of the workspace. An unchanged
 * file goes to the trash; an edited file is blocked. Nothing is uploaded, and nothing is deleted on
 * the service. If there is no file, the record gives up its local path, so that another document
 * can have the path.
 */
export function leaveSubtree(draft: PlanDraft, row: DocumentRow, localFile: LocalFile | null, drift: Drift): void {
  const record = row.record!;
  if (localFile === null) {
    if (!isAway(record) && !needsSecondScan(draft, row, record))
      recordFacts(draft, row, record, "away", `${MOVED_OUT}, and deleted locally`);
    return;
  }
  if (drift.local === "unchanged") {
    trash(draft, row, localFile, "outside");
    return;
  }
  if (record.state !== "outside") recordFacts(draft, row, record, "outside", MOVED_OUT);
  blockRow(draft, row, "outside", `${MOVED_OUT}, and edited locally`, {
    digest: localFile.digest,
  });
}

const MOVED_OUT = "moved out of the linked folder of the workspace";

/** Records a new state or protection of a document. Content and place stay unchanged. */
export function recordFacts(
  draft: PlanDraft,
  row: DocumentRow,
  record: DocumentRecord,
  state: ActionOf<"note-facts">["state"],
  why: string,
  isProtected = record.protected,
): void {
  propose(draft, row, "note", () => ({ kind: "note-facts", why, id: record.id, protected: isProtected, state }));
}

/**
 * Decides about a document that was deleted on the service and edited locally. The edit becomes a
 * new document, if the key can still read the folder. Otherwise the document may only be hidden
 * from the key, so it is blocked and nothing is sent.
 */
export function postAsNew(draft: PlanDraft, row: DocumentRow, record: DocumentRecord, localFile: LocalFile): void {
  // The service normalises content and has turned this local content into base's content, so the
  // file has no edit to save.
  if (localFile.digest === record.echoDigest) {
    trash(draft, row, localFile, "gone");
    return;
  }
  const folder = baseFolderOf(draft.forest, "remote", record);
  if (record.submissions.length > 0 || !isReadable(draft, folder)) {
    const detail = "edited locally; deleted on the service, or no longer readable with this key";
    blockRow(draft, row, "gone-or-unreadable", detail, { digest: localFile.digest });
    return;
  }
  if (!createOnService(draft, row, localFile, record.id, "edited locally after it was deleted on the service")) return;
  // ORDER: the old record is removed before the file belongs to the new document.
  propose(draft, row, "before", () => ({
    kind: "forget",
    why: "no longer on the service; its content becomes a new document",
    id: record.id,
    localPath: record.localPath,
  }));
}

/**
 * Plans the creation of a document on the service from a local file.
 * @param tombstone the deleted document that the new one replaces; null if it replaces none
 * @returns false if the document may not be created now
 */
export function createOnService(
  draft: PlanDraft,
  row: DocumentRow,
  localFile: LocalFile,
  tombstone: DocId | null,
  why: string,
): boolean {
  if (isContentBlocked(draft, row, localFile)) return false;
  // The result of an earlier POST of this file is not known. Sending it again might create the
  // document twice (I08).
  const open = draft.trees.local.unseen.get(localFile.path);
  if (open !== undefined) {
    blockRow(draft, row, "not-seen", open.why);
    return false;
  }
  const wish = remoteWish(draft, row);
  if (wish.kind === "impossible") {
    blockRow(draft, row, wish.reason, wish.detail);
    return false;
  }
  if (isDirectionOff(draft, row, "pull", why) || isForbidden(draft, row, "post")) return false;
  setGoal(row, "remote", wish.place);
  propose(draft, row, "arrive-remote", (paths) => ({
    kind: "create-remote",
    why,
    localPath: paths.local,
    remotePath: paths.remote,
    expect: localFile.digest,
    tombstone,
  }));
  return true;
}

export function recordNewOnBothSides(
  draft: PlanDraft,
  row: DocumentRow,
  localFile: LocalFile,
  remoteFile: RemoteFile,
): void {
  keepBlockOfNewFile(draft, localFile);
  if (isContentBlocked(draft, row, localFile)) return;
  const why = "new on both sides";
  const about = { digest: localFile.digest, changeId: remoteFile.changeId };
  // The contents are known to differ, or the local file is empty. The action would then write the
  // service's content to the file, which is not allowed if the sync only uploads.
  if ((localFile.empty || isKnownToDiffer(draft, row, about)) && isDirectionOff(draft, row, "push", why, about)) return;
  if (isForbidden(draft, row, "merge") || isInUse(draft, row, localFile)) return;
  propose(draft, row, "content", (paths) => ({
    kind: "meet",
    why,
    id: remoteFile.id,
    localPath: paths.local,
    remotePath: paths.remote,
    changeId: remoteFile.changeId,
    expect: localFile.digest,
  }));
}

function isKnownToDiffer(
  { trees }: PlanDraft,
  row: DocumentRow,
  about: Required<Pick<Block, "digest" | "changeId">>,
): boolean {
  const before = trees.base.blocks.get(keyOf(row));
  return before?.reason === "direction-off" && before.digest === about.digest && before.changeId === about.changeId;
}

/**
 * Returns true if the key can read a folder on the service. A document that is missing there was
 * then deleted, and is not only hidden. A listed folder is readable, because lists show only what
 * the key may read.
 */
function isReadable(draft: PlanDraft, folder: FolderRow): boolean {
  if (folder.remotePath === null || folder.remoteSeen === "gone") return false;
  if (draft.foldersWithDocuments().has(folder.remotePath)) return true;
  return folder === draft.forest.root ? showsAllInRoot(draft) : folder.remoteSeen === "listed";
}

/**
 * Returns true if the key can read the root. No list shows the root itself, so all recorded folders
 * in it must be listed. A key that cannot read the root sees such a folder only with a separate
 * grant.
 */
function showsAllInRoot({ forest }: PlanDraft): boolean {
  const known = [...forest.folders].filter(({ record }) => record !== null && parentOf(record.remotePath) === "");
  return known.length > 0 && known.every(({ remoteSeen }) => remoteSeen === "listed");
}
