import type { DocId } from "../../../contract/ids.ts";
import type { ActionOf } from "../../model/action.ts";
import type { Drift } from "./table.ts";
import { type Block, isAway, type DocumentRecord } from "../../model/record.ts";
import { type DocumentRow, type FolderRow, setGoal } from "../match/row.ts";
import { findBaseFolder } from "../match/forest.ts";
import { parentOf } from "../../../contract/path.ts";
import type { LocalFile, RemoteFile } from "../../model/tree.ts";
import { choosePathToProveAbsent } from "./absence.ts";
import { toBlockKey, type PlanDraft, proposeAction, blockRow } from "./plan-draft.ts";
import {
  isContentBlocked,
  isDirectionOff,
  isForbidden,
  isInUse,
  keepBlockOfNewFile,
  needsSecondScan,
} from "./gates.ts";
import { deriveLocalPlace, deriveRemotePlace } from "./places.ts";

/**
 * Plans the local creation of a document, at the local place that corresponds to its place on the
 * service.
 * @param comesBack true if the file was deleted locally, but an edit on the service wins
 */
export function proposeLocalCreation(
  draft: PlanDraft,
  row: DocumentRow,
  remoteFile: RemoteFile,
  why: string,
  comesBack = false,
): void {
  const wantedPlace = deriveLocalPlace(draft, row);
  if (wantedPlace.kind === "impossible") {
    // An ignored document that never had a local file needs no block.
    if (wantedPlace.reason !== "suspended" || row.record !== null)
      blockRow(draft, row, wantedPlace.reason, wantedPlace.detail);
    return;
  }
  if (isDirectionOff(draft, row, "push", why)) return;
  setGoal(row, "local", wantedPlace.place);
  proposeAction(draft, row, "arrive-local", (paths) => ({
    kind: "create-local",
    why,
    id: remoteFile.id,
    localPath: paths.local,
    remotePath: paths.remote,
    changeId: remoteFile.changeId,
    ...(comesBack && { comesBack }),
  }));
}

export function decideRemoteDeletion(draft: PlanDraft, row: DocumentRow, remoteFile: RemoteFile, drift: Drift): void {
  // The document is restored, because somebody who moved the document on the service uses it.
  if (drift.place === "remote" || drift.place === "both") {
    proposeLocalCreation(draft, row, remoteFile, "moved on the service after it was deleted locally");
    return;
  }
  const record = row.record!;
  if (isDirectionOff(draft, row, "pull", "deleted locally") || needsSecondScan(draft, row, record)) return;
  if (remoteFile.protected) {
    const detail = "protected on the service";
    const blockContext = { code: "file_protected", changeId: remoteFile.changeId };
    blockRow(draft, row, "delete-refused", `${detail}: it cannot be deleted`, blockContext);
    proposeLocalCreation(draft, row, remoteFile, detail);
    return;
  }
  if (isForbidden(draft, row, "delete")) {
    // A deletion that waits for the end of a review may still succeed, so the local file is not
    // restored.
    if (draft.blocks.get(record.id)?.reason !== "delete-pending")
      proposeLocalCreation(draft, row, remoteFile, "the service refused to delete it");
    return;
  }
  setGoal(row, "remote", null);
  proposeAction(draft, row, "leave-remote", (paths) => ({
    kind: "delete-remote",
    why: "deleted locally",
    id: record.id,
    localPath: choosePathToProveAbsent(draft, row),
    remotePath: paths.remote,
    changeId: remoteFile.changeId,
  }));
}

export function proposeTrash(
  draft: PlanDraft,
  row: DocumentRow,
  localFile: LocalFile,
  cause: "gone" | "outside",
): void {
  const reasonClause = cause === "gone" ? "no longer on the service" : MOVED_OUT_CLAUSE;
  if (isDirectionOff(draft, row, "push", reasonClause) || isInUse(draft, row, localFile)) return;
  setGoal(row, "local", null);
  const record = row.record!;
  proposeAction(draft, row, "leave-local", (paths) => ({
    kind: "trash-local",
    why: reasonClause,
    id: record.id,
    localPath: paths.local,
    expect: localFile.digest,
    cause,
  }));
}

export function proposeForget(draft: PlanDraft, row: DocumentRow): void {
  const record = row.record!;
  proposeAction(draft, row, "note", () => ({
    kind: "forget",
    why: "deleted on both sides",
    id: record.id,
    localPath: record.localPath,
  }));
}

/**
 * Decides about a document that was moved out of the linked part of the workspace. Nothing is
 * uploaded or deleted on the service.
 * - An unchanged file goes to the trash.
 * - An edited file is blocked.
 * - Without a file, the record gives up its local path, so that another document can have the path.
 */
export function decideDeparture(draft: PlanDraft, row: DocumentRow, localFile: LocalFile | null, drift: Drift): void {
  const record = row.record!;
  if (localFile === null) {
    if (!isAway(record) && !needsSecondScan(draft, row, record))
      proposeRecordFlags(draft, row, record, "away", `${MOVED_OUT_CLAUSE}, and deleted locally`);
    return;
  }
  if (drift.local === "unchanged") {
    proposeTrash(draft, row, localFile, "outside");
    return;
  }
  if (record.state !== "outside") proposeRecordFlags(draft, row, record, "outside", MOVED_OUT_CLAUSE);
  blockRow(draft, row, "outside", `${MOVED_OUT_CLAUSE}, and edited locally`, {
    digest: localFile.digest,
  });
}

const MOVED_OUT_CLAUSE = "moved out of the linked folder of the workspace";

export function proposeRecordFlags(
  draft: PlanDraft,
  row: DocumentRow,
  record: DocumentRecord,
  state: ActionOf<"note-facts">["state"],
  why: string,
  isProtected = record.protected,
): void {
  proposeAction(draft, row, "note", () => ({ kind: "note-facts", why, id: record.id, protected: isProtected, state }));
}

/**
 * Decides about a document that was deleted on the service and edited locally. If the key can read
 * the folder on the service, the edited file becomes a new document. Otherwise the document is
 * blocked, and nothing is sent, because the service may only hide the document from the key.
 */
export function decideEditOfDeleted(
  draft: PlanDraft,
  row: DocumentRow,
  record: DocumentRecord,
  localFile: LocalFile,
): void {
  // When this local content was sent, the service changed it back to base's content. Therefore the
  // file has no edit that could be lost.
  if (localFile.digest === record.echoDigest) {
    proposeTrash(draft, row, localFile, "gone");
    return;
  }
  const folder = findBaseFolder(draft.forest, "remote", record);
  if (record.submissions.length > 0 || !isReadable(draft, folder)) {
    const detail = "edited locally; deleted on the service, or no longer readable with this key";
    blockRow(draft, row, "gone-or-unreadable", detail, { digest: localFile.digest });
    return;
  }
  if (!proposeRemoteCreation(draft, row, localFile, record.id, "edited locally after it was deleted on the service"))
    return;
  // ORDER: the old record is removed before the new document gets the file, because one file must
  // not have two records (I11).
  proposeAction(draft, row, "before", () => ({
    kind: "forget",
    why: "no longer on the service; its content becomes a new document",
    id: record.id,
    localPath: record.localPath,
  }));
}

/**
 * Plans the creation of a document on the service.
 * @param tombstone the deleted document that the new document replaces; null without such a
 * document
 * @returns false if the document may not be created now
 */
export function proposeRemoteCreation(
  draft: PlanDraft,
  row: DocumentRow,
  localFile: LocalFile,
  tombstone: DocId | null,
  why: string,
): boolean {
  if (isContentBlocked(draft, row, localFile)) return false;
  // mdmirror sent a POST of this file earlier, with an unknown result. A second POST could make a
  // duplicate (I08).
  const unreadReason = draft.trees.local.unseen.get(localFile.path);
  if (unreadReason !== undefined) {
    blockRow(draft, row, "not-seen", unreadReason.why);
    return false;
  }
  const wantedPlace = deriveRemotePlace(draft, row);
  if (wantedPlace.kind === "impossible") {
    blockRow(draft, row, wantedPlace.reason, wantedPlace.detail);
    return false;
  }
  if (isDirectionOff(draft, row, "pull", why) || isForbidden(draft, row, "post")) return false;
  setGoal(row, "remote", wantedPlace.place);
  proposeAction(draft, row, "arrive-remote", (paths) => ({
    kind: "create-remote",
    why,
    localPath: paths.local,
    remotePath: paths.remote,
    expect: localFile.digest,
    tombstone,
  }));
  return true;
}

export function decideNewOnBothSides(
  draft: PlanDraft,
  row: DocumentRow,
  localFile: LocalFile,
  remoteFile: RemoteFile,
): void {
  keepBlockOfNewFile(draft, localFile);
  if (isContentBlocked(draft, row, localFile)) return;
  const reasonClause = "new on both sides";
  const contentContext = { digest: localFile.digest, changeId: remoteFile.changeId };
  // If the contents differ, or the local file is empty, the action would write the service's
  // content to the file. A sync that only uploads must not do so.
  if (
    (localFile.empty || isKnownToDiffer(draft, row, contentContext)) &&
    isDirectionOff(draft, row, "push", reasonClause, contentContext)
  )
    return;
  if (isForbidden(draft, row, "merge") || isInUse(draft, row, localFile)) return;
  proposeAction(draft, row, "content", (paths) => ({
    kind: "meet",
    why: reasonClause,
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
  const earlierBlock = trees.base.blocks.get(toBlockKey(row));
  return (
    earlierBlock?.reason === "direction-off" &&
    earlierBlock.digest === about.digest &&
    earlierBlock.changeId === about.changeId
  );
}

/**
 * Returns true if the key can read a folder on the service. A document that is missing in such a
 * folder was deleted, not only hidden. A folder is readable if the listing has the folder or a
 * document in it, because listings show only what the key may read.
 */
function isReadable(draft: PlanDraft, folder: FolderRow): boolean {
  if (folder.remotePath === null || folder.remoteSeen === "gone") return false;
  if (draft.foldersWithDocuments().has(folder.remotePath)) return true;
  return folder === draft.forest.root ? isRootReadable(draft) : folder.remoteSeen === "listed";
}

/**
 * Returns true if the key can read the root. Listings never show the root, so this function checks
 * whether all recorded folders in the root are listed. A key that cannot read the root would need a
 * separate grant for each of these folders.
 */
function isRootReadable({ forest }: PlanDraft): boolean {
  const foldersInRoot = [...forest.folders].filter(
    ({ record }) => record !== null && parentOf(record.remotePath) === "",
  );
  return foldersInRoot.length > 0 && foldersInRoot.every(({ remoteSeen }) => remoteSeen === "listed");
}
