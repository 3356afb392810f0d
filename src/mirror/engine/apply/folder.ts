import type { DirId, DocId } from "../../../contract/ids.ts";
import type { ActionOf, Outcome, OutcomeOf } from "../../model/action.ts";
import { toFolderInodeKey, toInodeKey } from "../../planner/match/evidence.ts";
import { ancestorsOf, isWithin, type LocalPath, rebase, type RemotePath } from "../../../contract/path.ts";
import type { EventFields, Intent } from "../../ports/state.ts";
import { refuseCreation } from "./place.ts";
import {
  DONE,
  makeEvent,
  outcomeOfDisk,
  outcomeOfFailedRead,
  outcomeOfFault,
  outcomeOfUndoneWrite,
  refuseWithBlock,
  stale,
  type ValueOrOutcome,
  withOutcome,
  withValue,
} from "./effect.ts";
import { commit, writeChange } from "./commit.ts";
import { chooseTrashPlace, toService } from "../run/world.ts";
import type { CycleContext } from "../run/cycle-context.ts";
import type { Effect, EffectResult } from "./run-effect.ts";
import type { FolderResource } from "../../../contract/resources.ts";
import { type FolderRecord, isSameInodeAndBirth } from "../../model/record.ts";

/**
 * Creates a local folder. If the process is killed before the commit, the next plan records the
 * folder.
 */
export async function makeFolderLocal(ctx: CycleContext, action: ActionOf<"make-folder-local">): Promise<Outcome> {
  // The parent folder may be missing locally, because the key may not be allowed to read the parent
  // folder.
  const folderFailure = ensureFolders(ctx, action.localPath);
  if (folderFailure !== null) return folderFailure;
  const makeOutcome = ctx.world.disk.makeFolder(action.localPath);
  if (makeOutcome.kind !== "done") return outcomeOfDisk(makeOutcome);
  ctx.notes.made.add(toInodeKey(makeOutcome.value));
  return recordFolder(ctx, action, makeEvent(action, "local"));
}

type PostRow = Extract<Intent, { kind: "post-folder" }>;

/** Creates a folder on the service. If no answer arrives, a read by path finds the folder's id. */
export const makeFolderRemote: Effect<ActionOf<"make-folder-remote">, PostRow, null, DirId> = {
  async prepare(ctx, { localPath, remotePath, why }) {
    const request = { facts: `folder ${toService(ctx.world, remotePath)}`, item: { key: localPath, path: localPath } };
    return withValue({ row: { kind: "post-folder", localPath, remotePath, why }, input: null, request });
  },

  async perform(ctx, row) {
    const answer = await ctx.world.remote.createFolder(toService(ctx.world, row.remotePath));
    if (answer.ok) return { kind: "seen", seen: answer.value.id, requestId: answer.requestId };
    const { fault } = answer;
    if (fault.kind === "problem" && fault.code === "path_already_exists") {
      const existingFolder = await findFolder(ctx, row.remotePath);
      // If the read fails, the folder is blocked, as after any refusal. Otherwise the next plan
      // would repeat the refused POST (I08).
      if (existingFolder.kind === "found" && existingFolder.folder !== null)
        return { kind: "seen", seen: existingFolder.folder.id };
    }
    return { kind: "failed", fault };
  },

  refuse: (ctx, row, _, fault) => refuseCreation(ctx, row, null, fault),

  async observe(ctx, row, fault) {
    const foundFolder = await findFolder(ctx, row.remotePath);
    if (foundFolder.kind === "open") return foundFolder;
    if (foundFolder.folder === null) return { kind: "over", outcome: outcomeOfUndoneWrite("write", fault) };
    return { kind: "seen", seen: foundFolder.folder.id };
  },

  conclude(ctx, { localPath: path, remotePath, why }, id, source) {
    const recordResult = readFolderRecord(ctx, id, path, remotePath);
    if (recordResult.kind === "end") return { outcome: recordResult.outcome, change: null };
    const { value: dir } = recordResult;
    const { requestId } = source;
    const event = { kind: "make-folder-remote", side: "remote", id, path, detail: why, requestId } as const;
    return { outcome: DONE, change: { dir, event } };
  },
};

/**
 * Removes a local folder. If the process is killed before the commit, the next plan removes the
 * folder's record.
 */
export function removeFolderLocal(ctx: CycleContext, action: ActionOf<"remove-folder-local">): Outcome {
  const { localPath } = action;
  const diskOutcome = ctx.world.disk.removeFolder(localPath, chooseTrashPlace(ctx.world, localPath));
  return diskOutcome.kind === "done"
    ? forgetFolder(ctx, action, makeEvent(action, "local"))
    : outcomeOfDisk(diskOutcome);
}

type DeleteRow = Extract<Intent, { kind: "delete-folder" }>;

export const removeFolderRemote: Effect<ActionOf<"remove-folder-remote">, DeleteRow, LocalPath, "gone"> = {
  async prepare(ctx, { dirId, localPath, remotePath, why }) {
    const { remote, state, disk } = ctx.world;
    if (disk.look(localPath).kind === "folder") return withOutcome(stale("the local folder exists again"));
    if (remote.traits().folderDelete === "no")
      return withOutcome(
        blockUndeletable(ctx, dirId, localPath, { code: "folder_delete_unsupported", requestId: null }),
      );
    const isDeletionOpen = state
      .intents()
      .some(({ intent }) => intent.kind === "delete-folder" && intent.dirId === dirId);
    if (isDeletionOpen)
      return withOutcome(stale("mdmirror does not know yet whether an earlier request deleted this folder"));
    return withValue({ row: { kind: "delete-folder", dirId, remotePath, why }, input: localPath });
  },

  async perform(ctx, row) {
    const answer = await ctx.world.remote.deleteFolder(row.dirId);
    if (answer.ok) return { kind: "seen", seen: "gone" };
    const { fault } = answer;
    if (fault.kind === "problem" && fault.code === "folder_not_found") return { kind: "seen", seen: "gone" };
    return { kind: "failed", fault };
  },

  refuse(ctx, { dirId }, path, fault) {
    const { remote, state } = ctx.world;
    if (fault.kind !== "problem") return outcomeOfFault(fault);
    if (fault.code === "folder_not_empty") {
      // The folder contains an item that this key cannot read, or that a user created meanwhile.
      // Without a record, the folder counts as new on the service, so the next plan creates the
      // folder locally.
      state.removeDir(dirId);
      return stale("the folder is not empty on the service, so mdmirror creates it locally again");
    }
    if (remote.traits().folderDelete === "no") return blockUndeletable(ctx, dirId, path, fault);
    const reason = fault.code === "changes_in_review" ? "delete-pending" : "delete-refused";
    return refuseWithBlock(ctx, fault, { key: dirId, path, reason });
  },

  async observe(ctx, row, fault) {
    const foundFolder = await findFolder(ctx, row.remotePath);
    if (foundFolder.kind === "open") return foundFolder;
    if (foundFolder.folder?.id === row.dirId) return { kind: "over", outcome: outcomeOfUndoneWrite("deletion", fault) };
    return { kind: "seen", seen: "gone" };
  },

  conclude(ctx, { dirId: id, remotePath, why }) {
    const path = ctx.world.state.dir(id)?.localPath ?? remotePath;
    ctx.notes.folderIds.delete(remotePath);
    const event = { kind: "remove-folder-remote", side: "remote", id, path, detail: why } as const;
    return { outcome: DONE, change: { removes: { dir: id }, event } };
  },
};

function blockUndeletable(
  ctx: CycleContext,
  key: DirId,
  path: LocalPath,
  { code, requestId }: Pick<OutcomeOf<"refused">, "code" | "requestId">,
): Outcome {
  const detail = "this service cannot delete folders; the empty folder stays on the service";
  return refuseWithBlock(ctx, { code, detail, requestId }, { key, path, reason: "folder-stays" });
}

export function forgetFolder(
  ctx: CycleContext,
  { dirId }: Pick<ActionOf<"remove-folder-local">, "dirId">,
  event?: EventFields,
): Outcome {
  return commit(ctx, {
    ...(dirId === null ? {} : { removes: { dir: dirId } }),
    ...(event === undefined ? {} : { event }),
  });
}

/**
 * @returns null if no folder has the path; `open` if the read failed, so that the journal row stays
 * open
 */
export async function findFolder(
  { world }: CycleContext,
  path: RemotePath,
): Promise<
  { readonly kind: "found"; readonly folder: FolderResource | null } | (EffectResult<never> & { kind: "open" })
> {
  const folderAnswer = await world.remote.findFolder(toService(world, path));
  if (!folderAnswer.ok) return { kind: "open", outcome: outcomeOfFailedRead(folderAnswer.fault) };
  return { kind: "found", folder: folderAnswer.value };
}

/**
 * Returns the new record of a local folder. Returns stale if another record has the same local
 * folder. The plan then found the other record's folder at a new path that is not recorded yet.
 * With two records of one folder, each plan after a crash would move the folder back or forth
 * (I11).
 */
function readFolderRecord(
  { world: { disk, state }, notes }: CycleContext,
  id: DirId,
  localPath: LocalPath,
  remotePath: RemotePath,
): ValueOrOutcome<FolderRecord> {
  const pathState = disk.look(localPath);
  if (pathState.kind !== "folder") return withOutcome(stale("the folder was removed meanwhile"));
  const { dev, ino, birthMs } = pathState;
  const otherRecord = state.dirAt(localPath);
  if (otherRecord !== null && otherRecord.id !== id && isSameInodeAndBirth(otherRecord, pathState))
    return withOutcome(stale("the former folder at its path is not recorded at its new path yet"));
  notes.folderIds.set(remotePath, id);
  return withValue({ id, localPath, remotePath, dev, ino, birthMs });
}

/**
 * Records the new paths of a folder and of everything below it. Either side may have moved the
 * folder.
 */
export async function recordFolder(
  ctx: CycleContext,
  { dirId, localPath, remotePath, carries }: Omit<ActionOf<"link-folder">, "kind" | "why">,
  event?: EventFields,
): Promise<Outcome> {
  const recordResult = readFolderRecord(ctx, dirId, localPath, remotePath);
  if (recordResult.kind === "end") return recordResult.outcome;
  const { value: dir } = recordResult;
  // One transaction records several folders. Later steps create or move items in these folders, and
  // need the records.
  await ctx.group.commit(() => {
    moveFormerFolder(ctx, dir);
    const earlierRecord = ctx.world.state.dir(dirId);
    if (earlierRecord !== null && carries === null) moveRecordsBelow(ctx, earlierRecord, dir);
    for (const id of earlierRecord === null ? [] : (carries ?? [])) moveRecord(ctx, id, earlierRecord!, dir);
    writeChange(ctx, { dir, ...(event === undefined ? {} : { event }) });
  }, "soon");
  return DONE;
}

function moveRecordsBelow({ world: { state, links } }: CycleContext, from: FolderRecord, to: FolderRecord): void {
  if (from.localPath !== to.localPath) {
    // After a crash, a document's record may have the folder's new path on the service, although
    // the folder's record has the old path.
    for (const remoteFolder of new Set([from.remotePath, to.remotePath]))
      state.moveMembers("local", from.localPath, to.localPath, remoteFolder);
    links?.forms.known.recordMoved(from.localPath, to.localPath);
  }
  if (from.remotePath !== to.remotePath) state.moveMembers("remote", from.remotePath, to.remotePath, to.localPath);
}

/**
 * Handles another record that has both paths of the new record. The folder of that record was
 * removed locally and moved on the service, so the record gets the folder's current path on the
 * service. With the same paths in two records, base could not show to which folder a document
 * belongs.
 */
function moveFormerFolder({ world: { state }, notes }: CycleContext, dir: FolderRecord): void {
  const formerRecord = state
    .foldersAt(dir.localPath)
    .find(({ id, remotePath }) => id !== dir.id && remotePath === dir.remotePath);
  if (formerRecord === undefined) return;
  const currentPath = notes.folderIds.entries().find(([, id]) => id === formerRecord.id)?.[0];
  if (currentPath !== undefined)
    state.moveMembers("remote", formerRecord.remotePath, currentPath, formerRecord.localPath);
}

/** Records the new path of a document, and the new path of its conflict copy. */
function moveRecord({ world: { state, links } }: CycleContext, id: DocId, from: FolderRecord, to: FolderRecord): void {
  const [record, conflict] = [state.record(id), state.conflict(id)];
  if (record !== null) {
    const localPath = rebaseIfWithin(record.localPath, from.localPath, to.localPath);
    if (localPath !== record.localPath) links?.forms.known.recordMoved(record.localPath, localPath);
    state.putRecord({
      ...record,
      localPath,
      remotePath: rebaseIfWithin(record.remotePath, from.remotePath, to.remotePath),
    });
  }
  if (conflict !== null) {
    const newestCopyPath = rebaseIfWithin(conflict.newestCopyPath, from.localPath, to.localPath);
    if (newestCopyPath !== conflict.newestCopyPath)
      links?.forms.known.recordMoved(conflict.newestCopyPath, newestCopyPath);
    state.putConflict({ ...conflict, newestCopyPath });
  }
}

function rebaseIfWithin(path: string, from: string, to: string): string {
  return isWithin(path, from) ? rebase(path, from, to) : path;
}

/**
 * Creates the missing folders above a path. A folder is missing if no listing contained it, or if
 * it was deleted and a document in it is restored later.
 * @returns the outcome if a folder could not be created; null on success
 */
export function ensureFolders(ctx: CycleContext, path: LocalPath): Outcome | null {
  for (const folder of ancestorsOf(path)) {
    if (ctx.world.disk.look(folder).kind !== "absent") continue;
    if (hasDisappeared(ctx, folder)) return stale("its folder was removed meanwhile");
    const makeOutcome = ctx.world.disk.makeFolder(folder);
    if (makeOutcome.kind !== "done") return outcomeOfDisk(makeOutcome);
  }
  return null;
}

/**
 * Returns true if a recorded folder is missing although this cycle scanned or created the folder.
 * RACE: somebody moved the folder after the scan. If mdmirror created the folder again, base would
 * take the new folder for the moved folder. Documents in the moved folder would then count as moved
 * by the user.
 */
function hasDisappeared({ notes: { local, made }, world }: CycleContext, path: LocalPath): boolean {
  const dir = world.state.dirAt(path);
  const key = dir === null ? null : toFolderInodeKey(dir);
  if (key === null) return false;
  const scannedFolder = local?.folders.get(path);
  return made.has(key) || (scannedFolder !== undefined && toFolderInodeKey(scannedFolder) === key);
}
