/** Recovers interrupted effects and unanswered writes, before the first scan (I13). */
import type { DirId, DocId } from "../../../contract/ids.ts";
import { isWithin, type LocalPath, parentOf, rebase, type RemotePath } from "../../../contract/path.ts";
import type { Intent, OpenIntent } from "../../ports/state.ts";
import { hasRestarted } from "../apply/durability.ts";
import { showCopy } from "../apply/conflict.ts";
import { dropConflict } from "../apply/conflict-course.ts";
import { makeSetAsideCheck } from "../apply/late-write.ts";
import { moveLocal } from "../apply/move-local.ts";
import { type EffectPhase, recoverEffect, recoverLocalEffect } from "../apply/run-effect.ts";
import { trashFile, writeFile } from "../apply/write-file.ts";
import type { CycleContext } from "../run/cycle-context.ts";
import { type FolderRecord, isSameInodeAndBirth, type Stamp } from "../../model/record.ts";
import { toFolderInodeKey } from "../../planner/match/evidence.ts";
import { once } from "../../../common/once.ts";
import { type LocalTree, makeUnreadable, type RemoteTree, type Trees } from "../../model/tree.ts";
import { checkRoot } from "../run/guard-facts.ts";
import { observeLocal } from "../observe/observe.ts";
import { findOpenReason, makeLocalContentStore } from "../apply/effect.ts";
import type { Outcome } from "../../model/action.ts";
import { createRemote, readCreated } from "../apply/create-remote.ts";
import { deleteDocument, protectDocument } from "../apply/presence.ts";
import { makeFolderRemote, removeFolderRemote } from "../apply/folder.ts";
import { moveDocument, moveFolderRemote } from "../apply/move-remote.ts";
import { putContent } from "../apply/put.ts";

const LOCAL_INTENT_KINDS = [
  "replace",
  "trash",
  "move",
  "move-folder",
  "conflict-copy",
  "drop-conflict",
  "set-aside",
] as const;

type LocalIntent = Extract<Intent, { kind: (typeof LOCAL_INTENT_KINDS)[number] }>;

function isLocalIntent(intent: Intent): intent is LocalIntent {
  return LOCAL_INTENT_KINDS.some((kind) => kind === intent.kind);
}

type DocumentRow = { readonly id: DocId; readonly path: LocalPath };

/** Recovers effects on the disk. Returns the paths of the journal rows that stay open. */
export function recoverLocal(ctx: CycleContext, intents: readonly OpenIntent[]): Map<LocalPath, string> {
  const openPaths = new Map<LocalPath, string>();
  const findCurrentPath = makePathFinder(ctx);
  const recover = (rows: readonly OpenIntent[]): void => {
    for (const { intentId, run, intent } of rows) {
      if (!isLocalIntent(intent)) continue;
      const why = recoverLocalRow(ctx, { intentId, run }, intent, findCurrentPath);
      if (why !== null) openPaths.set("path" in intent ? findOriginalPath(ctx, intent) : intent.from, why);
    }
  };
  const setAsidePaths = new Set(intents.flatMap(({ intent }) => ("setAsideAt" in intent ? [intent.setAsideAt] : [])));
  // ORDER: temporary files are removed before the disk is scanned. While a file still has its
  // temporary name as well, its inode has two names and does not identify the file.
  ctx.world.disk.sweep(setAsidePaths);
  // ORDER: interrupted effects are recovered before set-aside files are checked, because a late
  // save is compared with the file at the original path. Recovery may open new journal rows for
  // set-aside files, so mdmirror reads the journal again.
  const interruptedRows = intents.filter(({ intent }) => intent.kind !== "set-aside");
  recover(interruptedRows);
  const recoveredIds = new Set(interruptedRows.map(({ intentId }) => intentId));
  recover(ctx.world.state.intents().filter(({ intentId }) => !recoveredIds.has(intentId)));
  return openPaths;
}

/**
 * Returns the path to which a set-aside file belongs. In these cases, the result is the path in the
 * journal row:
 * - The effect was interrupted, and the folder above the path still exists.
 * - The document has no record.
 * - The document's own file is still at the path in the row.
 * - After a restart of the machine, a file without a record is at the path in the row, and no file
 *   is at the path in the record.
 * - Another document's file is at the path in the record, because the move of the document was
 *   refused.
 *
 * In all other cases, the result is the path in the record, because the document or its folder may
 * have moved since.
 */
function findOriginalPath(ctx: CycleContext, { kind, id, path }: Extract<LocalIntent, DocumentRow>): LocalPath {
  const { disk, state } = ctx.world;
  const isInterrupted = kind === "replace" || kind === "trash";
  const parent = parentOf(path);
  if (isInterrupted && (parent === "" || disk.look(parent).kind === "folder")) return path;
  const record = state.record(id);
  if (record === null || record.localPath === path) return path;
  const [atRow, atRecord] = [readStamp(ctx, path), readStamp(ctx, record.localPath)];
  const isOwnFile = (stamp: Stamp | null) =>
    stamp !== null && record.stamp !== null && isSameInodeAndBirth(stamp, record.stamp);
  if (isOwnFile(atRow)) return path;
  // The user moved the file, and a power loss removed the new version before base had the move.
  // Therefore the old file is at the path in the journal row again.
  const isReturned = atRow !== null && atRecord === null && !state.hasInode(atRow.dev, atRow.ino);
  if (isReturned && hasRestarted(ctx.world)) return path;
  const isFileOfAnother = atRecord !== null && !isOwnFile(atRecord) && state.hasInode(atRecord.dev, atRecord.ino);
  return isFileOfAnother ? path : record.localPath;
}

function readStamp({ world: { disk } }: CycleContext, path: LocalPath): Stamp | null {
  const pathState = disk.look(path);
  return pathState.kind === "file" ? pathState.stamp : null;
}

/**
 * Recovers an effect.
 * @returns the reason why the journal row stays open; null if the row was removed
 */
function recoverLocalRow(
  ctx: CycleContext,
  { intentId, run }: Omit<OpenIntent, "intent">,
  intent: LocalIntent,
  findPlace: FindCurrentPath,
): string | null {
  if (intent.kind === "move" || intent.kind === "move-folder")
    return recoverLocalEffect(ctx, moveLocal, intentId, intent);
  if (intent.kind === "conflict-copy") return recoverLocalEffect(ctx, showCopy, intentId, intent);
  if (intent.kind === "drop-conflict") return recoverLocalEffect(ctx, dropConflict, intentId, intent);
  const path = findPlace(findOriginalPath(ctx, intent));
  if (path === null) return "its folder is missing, and the linked folder cannot be read completely";
  switch (intent.kind) {
    case "replace":
      return recoverLocalEffect(ctx, writeFile, intentId, { ...intent, path });
    case "set-aside":
      return recoverLocalEffect(ctx, makeSetAsideCheck(run), intentId, { ...intent, path });
    case "trash":
      return recoverLocalEffect(ctx, trashFile, intentId, { ...intent, path });
  }
}

/** Returns the current path of the file that had the path `path`; null if unknown. */
type FindCurrentPath = (path: LocalPath) => LocalPath | null;

/**
 * Returns a function that finds current paths for recovery, before there is a plan. Base may have
 * an old path for a folder that a user moved after the crash. If a folder is missing, a scan finds
 * the moved folder by its inode. If a complete scan does not find the folder, the folder was
 * deleted, and is created again for the restored file.
 */
function makePathFinder(ctx: CycleContext): FindCurrentPath {
  const { disk, state } = ctx.world;
  const scannedFolders = once(() => scanForFolders(ctx));
  return (path) => {
    const parent = parentOf(path);
    if (parent === "" || disk.look(parent).kind !== "absent") return path;
    const { places, isComplete } = scannedFolders();
    for (let folder = parent; folder !== ""; folder = parentOf(folder)) {
      const currentPath = findFolderPath(state.dirAt(folder), places);
      if (currentPath !== undefined) return rebase(path, folder, currentPath);
    }
    return isComplete ? path : null;
  };
}

function findFolderPath(dir: FolderRecord | null, places: ReadonlyMap<string, LocalPath>): LocalPath | undefined {
  const key = dir === null ? null : toFolderInodeKey(dir);
  return key === null ? undefined : places.get(key);
}

/**
 * Scans the linked folder for folders.
 * - `places`: the path of each folder by inode; empty if inodes are not reliable.
 * - `isComplete`: true if the scan could read everything.
 */
function scanForFolders({ world }: CycleContext): {
  readonly places: ReadonlyMap<string, LocalPath>;
  readonly isComplete: boolean;
} {
  const { inodesTrusted } = checkRoot(world);
  const base = world.state.load();
  const tree: LocalTree = observeLocal(world, base, inodesTrusted, makeLocalContentStore(world.state, base));
  const pathsByInode = new Map<string, LocalPath>();
  for (const folder of inodesTrusted ? tree.folders.values() : []) {
    const key = toFolderInodeKey(folder);
    if (key !== null) pathsByInode.set(key, folder.path);
  }
  return { places: pathsByInode, isComplete: tree.unseen.size === 0 };
}

export type OpenWrites = {
  readonly ids: Map<string, string>;
  readonly paths: Map<LocalPath, string>;
  /**
   * POSTs whose result is unknown, each with the reason. `paths` also contains the local paths of
   * these POSTs.
   */
  readonly posts: Map<PostIntent, string>;
  readonly folderMoves: Map<FolderMoveIntent, string>;
};

/**
 * Finds out what unanswered writes did, before the first plan (I13). Returns the writes whose
 * result is still unknown.
 */
export async function recoverRemote(ctx: CycleContext, intents: readonly OpenIntent[]): Promise<OpenWrites> {
  const openWrites: OpenWrites = { ids: new Map(), paths: new Map(), posts: new Map(), folderMoves: new Map() };
  // ORDER: the oldest journal row comes first, because one row of a document may depend on another.
  let unreachableOutcome: Outcome | null = null;
  for (const { intentId, intent } of intents) {
    if (isLocalIntent(intent) || intent.kind === "create" || intent.kind === "sent") continue;
    const outcome: Outcome = unreachableOutcome ?? (await concludeByRead(ctx, intentId, intent));
    // A 503 may concern this document alone (I17), so the other rows are still read.
    if (outcome.kind === "later" && outcome.unreachable && outcome.code !== "unavailable") unreachableOutcome = outcome;
    const why = findOpenReason(outcome);
    if (why !== null) noteOpenWrite(openWrites, intent, `the service has not confirmed a change yet: ${why}`);
  }
  return openWrites;
}

function noteOpenWrite({ ids, paths, posts, folderMoves }: OpenWrites, intent: RemoteIntent, why: string): void {
  if ("id" in intent) ids.set(intent.id, why);
  else if ("localPath" in intent) paths.set(intent.localPath, why);
  if (intent.kind === "post") posts.set(intent, why);
  if (intent.kind === "patch-folder") folderMoves.set(intent, why);
}

type RemoteIntent = Exclude<Intent, LocalIntent | { kind: "create" | "sent" }>;

const EFFECTS: { readonly [K in RemoteIntent["kind"]]: EffectPhase<Extract<RemoteIntent, { kind: K }>, unknown> } = {
  put: putContent,
  post: createRemote,
  "read-back": readCreated,
  patch: moveDocument,
  delete: deleteDocument,
  protect: protectDocument,
  "post-folder": makeFolderRemote,
  "patch-folder": moveFolderRemote,
  "delete-folder": removeFolderRemote,
};

/** Finds out, by a read, whether a write of an earlier run happened (I08). */
function concludeByRead(ctx: CycleContext, intentId: number, intent: RemoteIntent): Promise<Outcome> {
  return recoverEffect(ctx, EFFECTS[intent.kind] as EffectPhase<RemoteIntent, unknown>, intentId, intent, null);
}

type FolderMoveIntent = Extract<Intent, { kind: "patch-folder" }>;
type PostIntent = Extract<Intent, { kind: "post" }>;

/**
 * Hides new documents whose POST has an unknown result:
 * - A file with the inode of the sent file is hidden. Otherwise, after a user moved the file,
 *   mdmirror would send it again.
 * - A document at the sent path is hidden. Otherwise mdmirror would download it as another
 *   document.
 *
 * When a later read shows the result, file and document get one record, and the user's move counts
 * as a move (I09).
 * @param open reason why the result of each POST is unknown
 */
export function hideOpenPosts(trees: Trees, open: ReadonlyMap<PostIntent, string>): Trees {
  if (open.size === 0) return trees;
  return { base: trees.base, local: hidePostsLocally(trees.local, open), remote: hidePostsOnService(trees, open) };
}

function hidePostsLocally(local: LocalTree, open: ReadonlyMap<PostIntent, string>): LocalTree {
  const unseenPaths = new Map(local.unseen);
  for (const [{ stamp }, why] of open) {
    if (stamp === null || !local.inodesTrusted) continue;
    for (const file of local.files.values())
      if (isSameInodeAndBirth(file.stamp, stamp) && !unseenPaths.has(file.path))
        unseenPaths.set(file.path, makeUnreadable(why));
  }
  return { ...local, unseen: unseenPaths };
}

function hidePostsOnService({ base, local, remote }: Trees, open: ReadonlyMap<PostIntent, string>): RemoteTree {
  const hiddenDocuments: [DocId, string][] = [];
  for (const [{ localPath, remotePath }, why] of open) {
    if (local.files.has(localPath)) continue;
    for (const { id, path } of remote.files.values())
      if (path === remotePath && !base.records.has(id)) hiddenDocuments.push([id, why]);
  }
  return hideDocuments(remote, hiddenDocuments);
}

/** Returns the tree without some documents, each marked as unseen with a reason. */
export function hideDocuments(remote: RemoteTree, hidden: readonly (readonly [DocId, string])[]): RemoteTree {
  const files = new Map(remote.files);
  for (const [id] of hidden) files.delete(id);
  return { ...remote, files, unseen: new Map([...remote.unseen, ...hidden]) };
}

/**
 * Hides each folder whose move has an unknown result, and everything at or below the old and the
 * new path. A listing may show documents at the new path before the folder. Without the folder,
 * each document would look as if somebody had moved only that document.
 * @param open reason why the result of each move is unknown
 */
export function hideOpenFolderMoves(trees: Trees, open: ReadonlyMap<FolderMoveIntent, string>): Trees {
  if (open.size === 0) return trees;
  const { remote } = trees;
  const unsettledFolders = new Map<DirId, string>();
  const folders = new Map(remote.folders);
  const documents: [DocId, string][] = [];
  for (const [{ dirId, from, to }, why] of open) {
    // The listing shows the result if its folders are complete, or if it contains this folder.
    if (remote.foldersComplete || remote.folders.has(dirId)) continue;
    unsettledFolders.set(dirId, why);
    const isHidden = ({ path }: { readonly path: RemotePath }): boolean => isWithin(path, from) || isWithin(path, to);
    for (const { id } of remote.files.values().filter(isHidden)) documents.push([id, why]);
    for (const { id } of remote.folders.values().filter(isHidden)) folders.delete(id);
  }
  return unsettledFolders.size === 0
    ? trees
    : { ...trees, remote: { ...hideDocuments(remote, documents), folders, unsettled: unsettledFolders } };
}
