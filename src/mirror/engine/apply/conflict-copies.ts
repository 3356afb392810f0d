/** Finds, names and removes the files that show the service's version while a conflict is open. */

import type { Outcome } from "../../model/action.ts";
import type { DocId } from "../../../contract/ids.ts";
import type { Digest } from "../../../contract/digest.ts";
import type { Conflict, ShownVersion } from "../../model/record.ts";
import type { LocalPath } from "../../../contract/path.ts";
import { type ConflictCopy, listConflictCopies, makeTheirsCopyPath } from "../../model/names.ts";
import type { PathState } from "../../ports/disk.ts";
import type { Intent } from "../../ports/state.ts";
import { recordEvent, chooseTrashPlace } from "../run/world.ts";
import type { CycleContext } from "../run/cycle-context.ts";
import {
  DONE,
  leaveOpen,
  makeLocalOrigin,
  outcomeOfDisk,
  stale,
  storeConflictCopy,
  storeFileText,
  type ValueOrOutcome,
  withOutcome,
  withValue,
} from "./effect.ts";
import type { EffectResult } from "./run-effect.ts";

/**
 * Chooses the path of the conflict copy for a new version. Skips each path that another conflict
 * has recorded for a copy, even without a file at the path. A missing copy counts as removed by the
 * user.
 * @param before the versions for which this conflict has recorded copies so far
 * @returns the path of the new copy; the versions in `before`, followed by the new version, whose
 * copy is not written yet
 */
export function chooseCopyPath(
  { world: { state, disk } }: CycleContext,
  id: DocId,
  document: LocalPath,
  before: readonly ShownVersion[],
  version: Pick<ShownVersion, "changeId" | "digest">,
): Pick<Conflict, "shown" | "newestCopyPath"> {
  const newVersion = { ...version, ino: 0, dev: 0 };
  const shownVersions = [...before, newVersion];
  for (;;) {
    const newestCopyPath = makeTheirsCopyPath(document, shownVersions.length, disk.names().maxNameBytes);
    if (!state.isCopyOfOther(id, newestCopyPath)) return { shown: shownVersions, newestCopyPath };
    shownVersions.push(newVersion);
  }
}

type CopyFile = Extract<PathState, { kind: "file" }> & { readonly path: LocalPath };
type FoundCopy = CopyFile | { readonly kind: "absent" | "unknown" };

/**
 * Finds a conflict copy. Prefers a file with the copy's inode, at the recorded path or at one of
 * `places`. Otherwise returns a file with the copy's content. For the newest version, the file at
 * the recorded path may also have other content.
 * Skips a file with the inode of another conflict's copy. When two folders swap paths, the record
 * of each copy has the path of the other copy for a while.
 * @param places further paths at which the caller expects the copy
 */
export function findCopy(
  { world: { disk, state } }: CycleContext,
  { id }: Conflict,
  { version, path: recorded, isNewest }: ConflictCopy,
  places: readonly LocalPath[],
): FoundCopy {
  const files: CopyFile[] = [];
  for (const path of new Set([recorded, ...places])) {
    const pathState = disk.look(path);
    if (pathState.kind === "unknown") return { kind: "unknown" };
    if (pathState.kind === "file") files.push({ ...pathState, path });
  }
  const isCandidate = ({ path, stamp, digest }: CopyFile) =>
    ((isNewest && path === recorded) || digest === version.digest) && !state.isCopyInodeOfOther(id, stamp);
  const hasCopyInode = ({ stamp }: CopyFile) => stamp.ino === version.ino && stamp.dev === version.dev;
  return files.find(hasCopyInode) ?? files.find(isCandidate) ?? { kind: "absent" };
}

/**
 * Returns a version without the inode of its conflict copy, because the copy was removed. If the
 * user edited the copy instead, returns the version with the current inode of the copy. The user
 * can then still choose this copy by moving it over the document.
 */
export function withoutCopyOnDisk(version: ShownVersion, copy: FoundCopy): ShownVersion {
  const isEdited = version.ino !== 0 && copy.kind === "file" && copy.digest !== version.digest;
  return isEdited ? { ...version, ino: copy.stamp.ino, dev: copy.stamp.dev } : { ...version, ino: 0, dev: 0 };
}

/**
 * Moves a copy to the trash, unless it is the newest copy of an open conflict. If the disk refuses
 * the move, the journal row stays open.
 */
export function removeUnrecorded(
  { world }: CycleContext,
  { id, path, writes }: Extract<Intent, { kind: "conflict-copy" }>,
): EffectResult<never> {
  const { disk, state } = world;
  const conflict = state.conflict(id);
  if (conflict?.newestCopyPath === path || disk.look(path).kind !== "file") return { kind: "over", outcome: DONE };
  // ORDER: the record of the newer copy is flushed before the old copy is moved. Otherwise, after a
  // power cut, the missing old copy would count as removed by the user.
  if (conflict !== null) state.transactSafely(() => state.putConflict(conflict));
  const trashOutcome = disk.trash(path, writes, chooseTrashPlace(world, path));
  return trashOutcome.kind === "fault"
    ? leaveOpen(`mdmirror cannot remove a conflict copy whose conflict ended: ${trashOutcome.detail}`)
    : { kind: "over", outcome: DONE };
}

/**
 * Writes a conflict copy. Any other file at the path goes to the trash first.
 * @returns the outcome if the copy could not be written; null on success
 */
export function writeConflictCopy(ctx: CycleContext, path: LocalPath, text: string, digest: Digest): Outcome | null {
  const { disk } = ctx.world;
  const pathState = disk.look(path);
  if (pathState.kind === "file" && pathState.digest === digest) return null;
  if (pathState.kind === "file") {
    const usersDigest = storeFileText(ctx.world, path, makeLocalOrigin(path, null, RENAMED_FOR_COPY));
    const placeInTrash = chooseTrashPlace(ctx.world, path);
    const moveOutcome = disk.trash(path, pathState.digest, placeInTrash);
    if (moveOutcome.kind !== "done") return outcomeOfDisk(moveOutcome);
    reportRenamedFile(ctx, path, placeInTrash, usersDigest);
  } else if (pathState.kind !== "absent")
    return stale(`${path} is taken, so no conflict copy can be saved at this path`);
  const createOutcome = disk.create(path, text);
  return createOutcome.kind === "done" ? null : outcomeOfDisk(createOutcome);
}

function reportRenamedFile(ctx: CycleContext, path: LocalPath, place: string, before: Digest | null): void {
  const keptPath = `.mdmirror/${place}`;
  const detail = `renamed to ${keptPath}, because the other version of a conflict needs its name`;
  ctx.notes.tally.movedOutOfWay.push({ path, keptAs: keptPath });
  recordEvent(ctx.world, ctx.run, { kind: "trash-local", side: "local", id: null, path, detail, before });
}

const RENAMED_FOR_COPY = "the file that was renamed for the other version of a conflict";

/**
 * Moves all copies of a conflict to the trash, including copies that the user edited.
 * @param seen path at which the plan found the newest copy; null if it found none, or if there is
 * no plan
 * @returns paths of the moved copies below `.mdmirror/`
 */
export function trashConflictCopies(
  ctx: CycleContext,
  conflict: Conflict,
  document: LocalPath,
  seen: LocalPath | null = null,
): ValueOrOutcome<readonly string[]> {
  const { state, disk } = ctx.world;
  const { maxNameBytes } = disk.names();
  const recordedPath = state.record(conflict.id)?.localPath ?? document;
  const trashPaths: string[] = [];
  for (const copy of listConflictCopies(conflict, recordedPath, maxNameBytes)) {
    const expectedPaths = [recordedPath, document].map((path) => makeTheirsCopyPath(path, copy.nth, maxNameBytes));
    const foundCopy = findCopy(
      ctx,
      conflict,
      copy,
      copy.isNewest && seen !== null ? [seen, ...expectedPaths] : expectedPaths,
    );
    if (foundCopy.kind !== "file") continue;
    storeConflictCopy(ctx.world, conflict.id, foundCopy.path);
    const placeInTrash = chooseTrashPlace(ctx.world, foundCopy.path);
    const trashOutcome = disk.trash(foundCopy.path, foundCopy.digest, placeInTrash);
    if (trashOutcome.kind !== "done") return withOutcome(outcomeOfDisk(trashOutcome));
    trashPaths.push(placeInTrash);
  }
  return withValue(trashPaths);
}
