/**
 * Restores files that a power loss damaged. After a restart of the machine, a file that was not
 * flushed may be missing, empty, zeroed or cut off at a sector. mdmirror assumes that no user
 * deleted or shortened such a file, and writes the content again from the content store.
 */

import type { DocumentRecord, Stamp } from "../../model/record.ts";
import type { Policy } from "../../model/policy.ts";
import { deriveExpectedPath, findFolders } from "../../planner/match/folder-paths.ts";
import { toFileInodeKey } from "../../planner/match/evidence.ts";
import { findLocalPlaces } from "../../planner/local-places.ts";
import { once } from "../../../common/once.ts";
import type { LocalFile, LocalTree, Trees } from "../../model/tree.ts";
import {
  flushFiles,
  hasRestarted,
  isDamagedByPowerLoss,
  isZeroed,
  mayBeCutOff,
  mayBeLost,
} from "../apply/durability.ts";
import { META } from "../run/meta.ts";
import { type CycleContext, makeTextFinder } from "../run/cycle-context.ts";
import { runLocalEffect } from "../apply/run-effect.ts";
import { writeFile } from "../apply/write-file.ts";
import { recordEvent, chooseTrashPlace } from "../run/world.ts";
import { joinPath, type LocalPath, nameOf, parentOf, pathKey } from "../../../contract/path.ts";
import type { ArrivingFile } from "../../ports/state.ts";
import { fetchText, outcomeOfDisk, findOpenReason } from "../apply/effect.ts";

/**
 * Records the boot of the machine in which damaged files were restored.
 * ORDER: all damaged files are restored before the boot is recorded. If a cycle recorded the boot
 * and then ended early, a file that a power loss removed would count as deleted by the user.
 */
export function rememberBoot({ world: { state, bootId } }: CycleContext): void {
  if (bootId === null || state.meta(META.boot) === bootId) return;
  // The transaction is flushed, because a power loss could remove the recorded boot during the
  // first sync. Without a recorded boot, mdmirror does not notice a restart of the machine, and
  // does not look for damaged files.
  state.transactSafely(() => state.setMeta(META.boot, bootId));
}

type FoundFile = {
  /** Path of the file. For a missing file: the recorded path, after moves of the folders above. */
  readonly path: LocalPath;
  readonly file: LocalFile | undefined;
  /** True if another document's file is at the path. */
  readonly isTaken: boolean;
};

type DamagedFile = FoundFile & { readonly record: DocumentRecord };

/**
 * Restores damaged files. Returns true if damaged files existed, so that the folder is scanned
 * again.
 */
export function restoreDamagedFiles(ctx: CycleContext, trees: Trees, policy: Policy): boolean {
  const damagedFiles = [...findDamagedFiles(ctx, trees, policy)];
  for (const file of damagedFiles) {
    const why = file.isTaken ? "another file is at its path" : restoreFile(ctx, file);
    if (why !== null) forgetRecord(ctx, file.record, why);
  }
  return damagedFiles.length > 0;
}

/**
 * Returns the local tree with the damaged files as they would be after a restore. Restores nothing.
 * Missing files stay missing.
 */
export function withRestoredFiles(ctx: CycleContext, trees: Trees, policy: Policy): LocalTree {
  const { local } = trees;
  const restoredFiles = [...findDamagedFiles(ctx, trees, policy)].flatMap(({ record, file, isTaken }): LocalFile[] =>
    file === undefined || isTaken ? [] : [{ ...file, digest: record.localDigest, textFault: null, empty: false }],
  );
  if (restoredFiles.length === 0) return local;
  return { ...local, files: new Map([...local.files, ...restoredFiles.map((file) => [file.path, file] as const)]) };
}

/**
 * Finds damaged files. After a restart of the machine, any file that was not flushed may be
 * damaged. Without a restart, the disk may have been lost and mounted again. A file then counts as
 * damaged only if nobody has changed the file since mdmirror wrote it.
 */
function* findDamagedFiles(ctx: CycleContext, trees: Trees, policy: Policy): Generator<DamagedFile> {
  const { base, local } = trees;
  const isRestarted = hasRestarted(ctx.world);
  const findFile = makeFileFinder(ctx, trees, policy);
  for (const record of base.records.values()) {
    if (!mayBeLost(record) || local.unseen.has(record.localPath)) continue;
    if (!isRestarted && !lacksLastWrite(record, local.files.get(record.localPath))) continue;
    const foundFile = findFile(record);
    if (foundFile.isTaken || isDamaged(ctx, record, foundFile)) yield { record, ...foundFile };
  }
}

/**
 * Returns a function that finds the file of a record. A moved file is found by inode. Other files
 * are found at their path, else by the planner's match. A match needs equal content, because an
 * editor may have saved the file under a new name or in a renamed folder. Otherwise a similar new
 * file of the user would get the document's id.
 */
function makeFileFinder(ctx: CycleContext, trees: Trees, policy: Policy): (record: DocumentRecord) => FoundFile {
  const { base, local } = trees;
  const toInodeKey = (stamp: Stamp | null) => (local.inodesTrusted ? toFileInodeKey(stamp) : null);
  const ownersByInode = once(
    () => new Map(Array.from(base.records.values(), (record) => [toInodeKey(record.stamp), record] as const)),
  );
  const filesByInode = once(
    () => new Map(Array.from(local.files.values(), (file) => [toInodeKey(file.stamp), file] as const)),
  );
  const filesByPathKey = once(
    () => new Map(Array.from(local.files.values(), (file) => [pathKey(file.path, local.disk), file] as const)),
  );
  const folders = once(() => findFolders(trees, policy));
  const places = once(() => findLocalPlaces(trees, policy, makeTextFinder(ctx)));
  const dirsByPath = once(() => new Map(Array.from(base.dirs.values(), (dir) => [dir.localPath, dir] as const)));
  const findByMatch = ({ id, localPath, localDigest }: DocumentRecord): LocalFile | undefined => {
    const { found } = places();
    const path = found.get(id);
    const file = path === undefined ? undefined : local.files.get(path);
    if (file === undefined || file.digest === localDigest) return file;
    const dir = dirsByPath().get(parentOf(localPath));
    const folder = dir === undefined ? undefined : found.get(dir.id);
    return folder !== undefined && file.path === joinPath(folder, nameOf(localPath)) ? file : undefined;
  };
  // On a disk without birth times, a new file may have the inode of a lost file. Therefore the
  // inode proves a file only together with the content.
  const isProven = ({ localDigest }: DocumentRecord, file: LocalFile): boolean => {
    if (file.stamp.birthMs !== 0 || file.digest === localDigest) return true;
    const text = file.empty ? null : ctx.world.state.text(localDigest);
    return text !== null && isDamagedByPowerLoss(ctx.world, file, text);
  };
  return (record) => {
    const { id, localPath, stamp } = record;
    const key = toInodeKey(stamp);
    const fileByInode = key === null ? undefined : filesByInode().get(key);
    const movedFile = fileByInode !== undefined && isProven(record, fileByInode) ? fileByInode : undefined;
    const derivedPath = deriveExpectedPath(localPath, folders());
    const expectedPath = derivedPath ?? localPath;
    const fileAtPath = filesByPathKey().get(pathKey(expectedPath, local.disk));
    // If another folder has the folder's name now, the file at the old path proves nothing.
    const file = movedFile ?? (derivedPath === null ? undefined : fileAtPath) ?? findByMatch(record);
    if (file === undefined) return { path: expectedPath, file, isTaken: fileAtPath !== undefined };
    const fileKey = toInodeKey(file.stamp);
    const owner = fileKey === null ? undefined : ownersByInode().get(fileKey);
    return { path: file.path, file, isTaken: owner !== undefined && owner.id !== id && isProven(owner, file) };
  };
}

/**
 * Returns true if a file differs from the content that mdmirror wrote, although nobody has changed
 * the file since. A change by a user would be later than mdmirror's write. If the write was lost,
 * the file has the time of that write or an earlier time.
 */
function lacksLastWrite({ stamp, localDigest }: DocumentRecord, file: LocalFile | undefined): boolean {
  if (file === undefined || stamp === null || file.digest === localDigest) return false;
  return file.stamp.ino === stamp.ino && file.stamp.mtimeMs <= stamp.mtimeMs;
}

function isDamaged(ctx: CycleContext, record: DocumentRecord, { path, file }: FoundFile): boolean {
  if (file === undefined) return ctx.world.disk.look(path).kind === "absent";
  if (file.digest === record.localDigest) return false;
  if (file.empty) return true;
  const text = ctx.world.state.text(record.localDigest);
  return text !== null && isDamagedByPowerLoss(ctx.world, file, text);
}

/**
 * Removes the record of a file that cannot be restored, because the missing file would count as
 * deleted by the user. Without a record, the document counts as new on the service, and the next
 * plan downloads the document. If a damaged file is still at the path, the next plan opens a
 * conflict.
 */
function forgetRecord({ world, run }: CycleContext, { id, localPath: path }: DocumentRecord, why: string): void {
  const detail = `damaged by a power loss and not restored (${why}); mdmirror downloads the document again`;
  world.log.write("warn", "not-restored", { path, detail: why });
  world.state.transact(() => {
    world.state.removeConflict(id);
    world.state.removeRecord(id);
    recordEvent(world, run, { kind: "recover", side: "local", id, path, detail });
  });
}

/**
 * Restores a damaged file. If the content store lacks the file's content, moves the file to the
 * trash.
 * @returns the reason why the file was not restored, as a clause; null on success
 */
function restoreFile(ctx: CycleContext, { record, path, file: torn }: DamagedFile): string | null {
  const { disk, state } = ctx.world;
  const text = state.text(record.localDigest);
  const trashPath = chooseTrashPlace(ctx.world, path);
  if (text === null) {
    if (torn !== undefined) disk.trash(path, torn.digest, trashPath);
    return "its content is not in the content store";
  }
  const outcome = runLocalEffect(ctx, writeFile, {
    id: record.id,
    path,
    text,
    expect: torn?.digest ?? null,
    base: record,
    next: null,
    trash: trashPath,
    event: { kind: "recover", side: "local", detail: "damaged by a power loss; restored from the history" },
  });
  if (outcome.kind === "done" && torn === undefined) ctx.notes.returned.add(path);
  if (outcome.kind === "done") return null;
  return "detail" in outcome ? outcome.detail : outcome.kind;
}

/**
 * Result of the check of a new file.
 * - `put-away`: the file was damaged, and is now in the trash.
 * - `open`: the file could not be compared with its document, so the journal row of the file stays
 *   open.
 */
type NewFileResult = "whole" | "put-away" | { readonly kind: "open"; readonly path: LocalPath; readonly why: string };

/**
 * Moves damaged new files to the trash, so that the next plan creates them again. Only a restart of
 * the machine can damage new files, because a file gets its name only when the file is complete.
 * Undamaged new files stay: the planner matches them to their documents.
 * @returns `changed`: true if files went to the trash, so that the folder must be scanned again;
 * `open`: the paths that could not be compared, each with the reason
 */
export async function recoverNewFiles(
  ctx: CycleContext,
  local: LocalTree,
): Promise<{ readonly changed: boolean; readonly open: ReadonlyMap<LocalPath, string> }> {
  const { state } = ctx.world;
  const isRestarted = hasRestarted(ctx.world);
  const allResults: NewFileResult[] = [];
  for (const { intentId, intent } of state.intents()) {
    if (intent.kind !== "create") continue;
    const rowResults: NewFileResult[] = [];
    for (const file of isRestarted ? intent.files : []) rowResults.push(await trashIfDamaged(ctx, file, local));
    if (rowResults.every((end) => typeof end === "string")) {
      // ORDER: files are flushed before the journal row is removed. Otherwise another power loss
      // could damage a file again, or undo a move to the trash, without a journal row that names
      // the file.
      await flushFiles(
        ctx.world,
        intent.files.map(({ path }) => path),
      );
      state.removeIntent(intentId);
    }
    allResults.push(...rowResults);
  }
  const openPaths = allResults.flatMap((end) => (typeof end === "string" ? [] : [[end.path, end.why] as const]));
  return { changed: allResults.includes("put-away"), open: new Map(openPaths) };
}

async function trashIfDamaged(ctx: CycleContext, { id, path }: ArrivingFile, local: LocalTree): Promise<NewFileResult> {
  const file = local.files.get(path);
  if (file === undefined || !mayBeCutOff(file)) return "whole";
  if (file.empty) return trashNewFile(ctx, id, file);
  const remoteResult = await fetchText(ctx, id, path);
  if (remoteResult.kind === "end") {
    const why = findOpenReason(remoteResult.outcome);
    return why === null ? "whole" : { kind: "open", path, why };
  }
  const isDamaged = hasZeros(ctx, path) || isDamagedByPowerLoss(ctx.world, file, remoteResult.value.text);
  return isDamaged ? trashNewFile(ctx, id, file) : "whole";
}

function hasZeros({ world: { disk } }: CycleContext, path: LocalPath): boolean {
  const readOutcome = disk.read(path);
  return readOutcome.kind === "done" && isZeroed(readOutcome.value.text);
}

function trashNewFile(ctx: CycleContext, id: ArrivingFile["id"], { path, digest }: LocalFile): NewFileResult {
  const diskOutcome = ctx.world.disk.trash(path, digest, chooseTrashPlace(ctx.world, path));
  if (diskOutcome.kind !== "done")
    return { kind: "open", path, why: findOpenReason(outcomeOfDisk(diskOutcome)) ?? diskOutcome.detail };
  const detail = "damaged by a power loss; moved to the trash, because its document is downloaded again";
  recordEvent(ctx.world, ctx.run, { kind: "recover", side: "local", id, path, detail });
  return "put-away";
}
