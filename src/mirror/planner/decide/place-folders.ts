import { whoMoved } from "../drift/place-change.ts";
import {
  type FolderRow,
  isMoving,
  otherSide,
  type Place,
  samePlace,
  type Side,
  SIDES,
  wantAt,
  wantInPlace,
} from "../match/row.ts";
import { isInside } from "../match/forest.ts";
import { pathKey } from "../../../contract/path.ts";
import { ONE_WAY } from "../../model/block.ts";
import { DIRECTION_WITHOUT } from "./gates.ts";
import { type PlanDraft, blockFolder } from "./plan-draft.ts";
import { isFolderStopped } from "./remembered.ts";
import { isInPlace, localWish, placeRule, remoteWish, type WantedPlace } from "./places.ts";

/** Decides the places of folders, before those of documents, which they can block. */

export function placeFolders(draft: PlanDraft): void {
  for (const folder of draft.forest.folders) wantInPlace(folder);
  for (const folder of draft.forest.folders) if (isOnBoth(folder) && folder.link !== null) placeFolder(draft, folder);
  breakCycles(draft);
}

export function isOnBoth(folder: FolderRow): boolean {
  return folder.localSeen === "present" && folder.local.now !== null && folder.remote.now !== null;
}

function placeFolder(draft: PlanDraft, folder: FolderRow): void {
  if (!draft.policy.folderMoves && isRespelled(draft, folder)) {
    // The disk treats both names as one, and the service cannot change its own: base records the
    // local spelling.
    if (folder.localPath !== folder.link!.localPath) draft.whys.set(folder, "spelled differently on this disk");
    return;
  }
  const rule = placeRule(folder, whoMoved(draft.forest, folder));
  if (rule === "stay") return;
  const wishes = { local: localWish(draft, folder), remote: remoteWish(draft, folder) };
  if (rule === "agree" && SIDES.some((side) => isInPlace(wishes[side], folder[side].now))) {
    draft.whys.set(folder, "moved alike on both sides");
    return;
  }
  const side = rule === "follow-local" ? "remote" : "local";
  followTo(draft, folder, side, wishes[side]);
}

const MOVED_ON: Readonly<Record<Side, string>> = { local: "moved locally", remote: "moved on the service" };

/** @param side side on which the folder will move, because it moved on the other */
function followTo(draft: PlanDraft, folder: FolderRow, side: Side, wish: WantedPlace): void {
  if (wish.kind === "barred") {
    blockFolder(draft, folder, wish.reason, wish.detail);
    return;
  }
  const why = MOVED_ON[otherSide(side)];
  if (!samePlace(wish.place, folder[side].now)) {
    if (isMoveHeld(draft, folder, side, wish.place, why)) return;
    wantAt(folder, side, wish.place);
  }
  draft.whys.set(folder, why);
}

/** Returns true if a folder's move is stopped, which leaves a block. */
function isMoveHeld(draft: PlanDraft, folder: FolderRow, side: Side, to: Place, why: string): boolean {
  const off = DIRECTION_WITHOUT[side];
  if (draft.policy.direction === off) {
    blockFolder(draft, folder, "direction-off", `${why}; ${ONE_WAY[off]}`);
    return true;
  }
  if (side === "remote" && isRootBarred(draft, folder, to.parent)) return true;
  // An earlier PATCH of this folder that no read has settled yet (I08).
  const open = draft.trees.remote.unsettled?.get(folder.dirId!);
  if (open !== undefined) {
    blockFolder(draft, folder, "not-seen", open);
    return true;
  }
  return side === "remote" && isFolderStopped(draft, folder.dirId!, "move", folder.localPath);
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
  blockFolder(draft, folder, "no-move-to-root", "the service cannot move a folder to the root of the workspace");
  return true;
}

/**
 * Drops local moves that together with the service's would put folders inside each other; those
 * folders go to the service's places.
 */
function breakCycles(draft: PlanDraft): void {
  // Dropping one move may close a circle with another, so this repeats; each is dropped at most
  // once.
  for (let folder = findCircling(draft); folder !== undefined; folder = findCircling(draft)) {
    wantAt(folder, "remote", folder.remote.now);
    const wish = localWish(draft, folder);
    if (wish.kind === "place") wantAt(folder, "local", wish.place);
    draft.whys.set(folder, "its local move and a move on the service would put two folders inside each other");
  }
  // A circle that remains comes from two moves on the service, of which this cycle saw only one:
  // the next cycle decides.
  for (const folder of draft.forest.folders)
    for (const side of SIDES) {
      if (!isMoving(folder, side) || !isWithinItself(folder, folder[side].goal!, side)) continue;
      wantAt(folder, side, folder[side].now);
      draft.whys.delete(folder);
    }
}

/** Returns a folder whose move on the service would put it inside itself, on either side. */
function findCircling({ forest }: PlanDraft): FolderRow | undefined {
  for (const folder of forest.folders) {
    const goal = folder.remote.goal;
    if (samePlace(goal, folder.remote.now)) continue;
    if (isWithinItself(folder, goal!, "remote") || isWithinItself(folder, goal!, "local")) return folder;
  }
  return undefined;
}

function isWithinItself(folder: FolderRow, goal: Place, side: Side): boolean {
  return isInside(goal.parent, folder, (at) => finalParent(at, side));
}

/**
 * Returns the folder above a folder after the plan. If a side does not have the folder yet, it is
 * created at the other side's place.
 */
function finalParent(folder: FolderRow, side: Side): FolderRow | null {
  return (folder[side].goal ?? folder[otherSide(side)].goal)?.parent ?? null;
}
