import { whoMoved } from "../drift/drift.ts";
import type { FolderRow, Side } from "../match/row.ts";
import { isInside } from "../match/forest.ts";
import { pathKey } from "../../model/path.ts";
import { type PlanDraft, holdFolder } from "./plan-draft.ts";
import { isFolderStopped } from "./remembered.ts";
import { localWish, placeRule, remoteWish, samePlace } from "./places.ts";

/** Places of folders. Decided before the documents', which they may bar. */

export function placeFolders(draft: PlanDraft): void {
  for (const folder of draft.forest.folders) {
    folder.local.goal = folder.local.now;
    folder.remote.goal = folder.remote.now;
  }
  for (const folder of draft.forest.folders) if (isOnBoth(folder) && folder.link !== null) placeFolder(draft, folder);
  breakCycles(draft);
}

export function isOnBoth(folder: FolderRow): boolean {
  return folder.localSeen === "present" && folder.local.now !== null && folder.remote.now !== null;
}

function placeFolder(draft: PlanDraft, folder: FolderRow): void {
  if (!draft.policy.folderMoves && isRespelled(draft, folder)) {
    // The disk takes both names for one, and the service has no way to change its own: base learns
    // how it is spelled here.
    if (folder.localPath !== folder.link!.localPath) draft.whys.set(folder, "spelled otherwise here");
    return;
  }
  const rule = placeRule(folder, whoMoved(draft.forest, folder));
  if (rule === "stay") return;
  const here = localWish(draft, folder);
  const there = remoteWish(draft, folder);
  if (rule === "agree") {
    const agreed =
      (here.kind === "place" && samePlace(here.place, folder.local.now)) ||
      (there.kind === "place" && samePlace(there.place, folder.remote.now));
    if (agreed) {
      draft.whys.set(folder, "moved alike on both sides");
      return;
    }
  }
  const side: Side = rule === "follow-local" ? "remote" : "local";
  const wish = side === "remote" ? there : here;
  if (wish.kind === "barred") {
    holdFolder(draft, folder, wish.reason, wish.detail);
    return;
  }
  if (!samePlace(wish.place, folder[side].now)) {
    const off = side === "remote" ? "pull-only" : "push-only";
    if (draft.policy.direction === off) {
      holdFolder(
        draft,
        folder,
        "direction-off",
        `moved ${side === "remote" ? "here" : "on the service"}; this mirror is ${off}`,
      );
      return;
    }
    if (side === "remote" && isRootBarred(draft, folder, wish.place.parent)) return;
    // An earlier PATCH of this folder, of which no read has told yet (I08).
    const open = draft.trees.remote.unsettled?.get(folder.dirId!);
    if (open !== undefined) {
      holdFolder(draft, folder, "not-seen", open);
      return;
    }
    if (side === "remote" && isFolderStopped(draft, folder.dirId!, "move", folder.localPath)) return;
    folder[side].goal = wish.place;
  }
  draft.whys.set(folder, side === "remote" ? "moved here" : "moved on the service");
}

function isRespelled({ trees }: PlanDraft, { local, remote }: FolderRow): boolean {
  const [here, there] = [local.now!, remote.now!];
  const { disk } = trees.local;
  return (
    here.parent === there.parent && here.name !== there.name && pathKey(here.name, disk) === pathKey(there.name, disk)
  );
}

function isRootBarred(draft: PlanDraft, folder: FolderRow, to: FolderRow): boolean {
  const fromRoot = folder.remote.now?.parent === draft.forest.root;
  if (to !== draft.forest.root || fromRoot || draft.policy.movesToRoot) return false;
  holdFolder(draft, folder, "no-move-to-root", "the service cannot move a folder to the root of the workspace");
  return true;
}

/**
 * Local moves that with the remote's would close a circle of folders are dropped: those folders go
 * where the service has them.
 */
function breakCycles(draft: PlanDraft): void {
  // A folder that a side has not yet will be made where the other has it.
  const finalParent = (side: Side) => (folder: FolderRow) =>
    (folder[side].goal ?? folder[side === "local" ? "remote" : "local"].goal)?.parent ?? null;
  const circles = (folder: FolderRow): boolean => {
    if (samePlace(folder.remote.goal, folder.remote.now)) return false;
    const parent = folder.remote.goal!.parent;
    return isInside(parent, folder, finalParent("remote")) || isInside(parent, folder, finalParent("local"));
  };
  // Dropping one may close a circle with another, so until none is left; each is dropped once at
  // most.
  for (let folder = findFolder(draft, circles); folder !== undefined; folder = findFolder(draft, circles)) {
    folder.remote.goal = folder.remote.now;
    const wish = localWish(draft, folder);
    if (wish.kind === "place") folder.local.goal = wish.place;
    draft.whys.set(folder, "its move here and another on the service would close a circle");
  }
  // What still circles is two moves of the service that this pass saw half of: left for the next.
  for (const folder of draft.forest.folders)
    for (const side of ["local", "remote"] as const) {
      const goal = folder[side].goal;
      if (goal === null || samePlace(goal, folder[side].now) || !isInside(goal.parent, folder, finalParent(side)))
        continue;
      folder[side].goal = folder[side].now;
      draft.whys.delete(folder);
    }
}

function findFolder(draft: PlanDraft, wanted: (folder: FolderRow) => boolean): FolderRow | undefined {
  for (const folder of draft.forest.folders) if (wanted(folder)) return folder;
  return undefined;
}
