/**
 * Decides the places of documents and folders. Folders come first, because a blocked folder blocks
 * the documents in it.
 */

import { comparePlaces, type PlaceDrift } from "./table.ts";
import {
  type FolderRow,
  isMoving,
  otherSide,
  type Place,
  type PlanRow,
  isSamePlace,
  type Side,
  SIDES,
  setGoal,
  setGoalToCurrent,
} from "../match/row.ts";
import { isInside } from "../match/forest.ts";
import { pathKey } from "../../../contract/path.ts";
import { ONE_WAY_SYNC_CLAUSES } from "../../model/block.ts";
import { DIRECTION_NEVER_CHANGING, findRemainingBlock, isFolderChangeForbidden, isForbidden } from "./gates.ts";
import { type PlanDraft, blockRow, keepBlock } from "./plan-draft.ts";
import { isInPlace, deriveLocalPlace, choosePlaceRule, deriveRemotePlace } from "./places.ts";

export function placeFolders(draft: PlanDraft): void {
  for (const folder of draft.forest.folders) setGoalToCurrent(folder);
  for (const folder of draft.forest.folders)
    if (isOnBothSides(folder) && folder.record !== null) placeFolder(draft, folder);
  breakCycles(draft);
}

export function isOnBothSides(folder: FolderRow): boolean {
  return folder.localSeen === "present" && folder.local.now !== null && folder.remote.now !== null;
}

function placeFolder(draft: PlanDraft, folder: FolderRow): void {
  if (draft.policy.canMoveFolders || !isRespelled(draft, folder))
    placeRow(draft, folder, comparePlaces(draft.forest, folder));
  // The service cannot rename folders, and the disk treats both spellings as one name. Therefore
  // only base gets the new local spelling.
  else if (folder.localPath !== folder.record!.localPath)
    draft.moveReasons.set(folder, "spelled differently on this disk");
}

const MOVED_CLAUSES: Readonly<Record<Side, string>> = { local: "moved locally", remote: "moved on the service" };
const NAME_STAYS_CLAUSES: Readonly<Record<Side, string>> = {
  local: "its local name stays",
  remote: "its name on the service stays",
};

/** Plans the place of a document or folder that both sides have. */
export function placeRow(draft: PlanDraft, row: PlanRow, movedBy: PlaceDrift): void {
  const rule = choosePlaceRule(draft.forest, row, movedBy);
  if (rule === "stay") return;
  const side = rule === "follow-local" ? "remote" : "local";
  const wantedPlace = side === "local" ? deriveLocalPlace(draft, row) : deriveRemotePlace(draft, row);
  if (
    rule === "agree" &&
    (isInPlace(wantedPlace, row.local.now) || isInPlace(deriveRemotePlace(draft, row), row.remote.now))
  ) {
    draft.moveReasons.set(row, "moved alike on both sides");
    return;
  }
  if (wantedPlace.kind === "impossible") {
    blockRow(draft, row, wantedPlace.reason, wantedPlace.detail);
    return;
  }
  const reasonClause = rule === "agree" ? "moved on both sides" : MOVED_CLAUSES[otherSide(side)];
  if (isSamePlace(wantedPlace.place, row[side].now)) {
    draft.moveReasons.set(row, NAME_STAYS_CLAUSES[side]);
    return;
  }
  if (isMoveForbidden(draft, row, side, wantedPlace.place, reasonClause)) return;
  setGoal(row, side, wantedPlace.place);
  draft.moveReasons.set(row, reasonClause);
}

function isMoveForbidden(draft: PlanDraft, row: PlanRow, side: Side, to: Place, why: string): boolean {
  const direction = DIRECTION_NEVER_CHANGING[side];
  if (draft.policy.direction === direction) {
    blockRow(draft, row, "direction-off", `${why}; ${ONE_WAY_SYNC_CLAUSES[direction]}`);
    return true;
  }
  if (side === "remote" && isMoveToRootBlocked(draft, row, to)) return true;
  if (row.kind === "folder") return isFolderMoveForbidden(draft, row, side);
  if (side === "local") return false;
  // The block `no-move-to-root` does not prevent a move to another folder, because such a move ends
  // the block.
  return findRemainingBlock(draft, row)?.reason !== "no-move-to-root" && isForbidden(draft, row, "move-remote");
}

function isFolderMoveForbidden(draft: PlanDraft, folder: FolderRow, side: Side): boolean {
  // mdmirror sent a PATCH of this folder earlier, with an unknown result, so no other move is sent
  // (I08).
  const unsettledReason = draft.trees.remote.unsettled?.get(folder.dirId!);
  if (unsettledReason !== undefined) {
    blockRow(draft, folder, "not-seen", unsettledReason);
    return true;
  }
  return side === "remote" && isFolderChangeForbidden(draft, folder.dirId!, "move", folder.localPath);
}

function isRespelled({ trees }: PlanDraft, { local, remote }: FolderRow): boolean {
  const [localPlace, remotePlace] = [local.now!, remote.now!];
  const { disk } = trees.local;
  return (
    localPlace.parent === remotePlace.parent &&
    localPlace.name !== remotePlace.name &&
    pathKey(localPlace.name, disk) === pathKey(remotePlace.name, disk)
  );
}

/**
 * Blocks a document or folder that the service cannot move to the root. The move needs `parentId:
 * null`, which some deployments refuse. Edits of the document are still sent.
 */
function isMoveToRootBlocked(draft: PlanDraft, row: PlanRow, to: Place): boolean {
  const { root } = draft.forest;
  if (to.parent !== root || row.remote.now?.parent === root) return false;
  const earlierBlock = row.kind === "document" ? findRemainingBlock(draft, row) : null;
  if (earlierBlock?.reason === "no-move-to-root") {
    keepBlock(draft, earlierBlock);
    return true;
  }
  if (draft.policy.canMoveToRoot) return false;
  blockRow(draft, row, "no-move-to-root", `the service cannot move a ${row.kind} to the root of the workspace`);
  return true;
}

const FOLDER_CIRCLE_CLAUSE = "its local move and a move on the service would put two folders inside each other";

/**
 * Prevents moves that would put two folders inside each other, after a local move of one folder and
 * a move of the other on the service. The local move is not sent. If this sync may change local
 * files, the folder gets the place that it has on the service.
 */
function breakCycles(draft: PlanDraft): void {
  // Other planned moves may depend on a dropped move, and may then be part of another circle.
  // Therefore all folders are checked again. Each move is dropped at most once, so the loop ends.
  for (let folder = findFolderInCircle(draft); folder !== undefined; folder = findFolderInCircle(draft)) {
    setGoal(folder, "remote", folder.remote.now);
    draft.moveReasons.delete(folder);
    const wantedPlace = deriveLocalPlace(draft, folder);
    if (
      wantedPlace.kind !== "place" ||
      isMoveForbidden(draft, folder, "local", wantedPlace.place, FOLDER_CIRCLE_CLAUSE)
    )
      continue;
    setGoal(folder, "local", wantedPlace.place);
    draft.moveReasons.set(folder, FOLDER_CIRCLE_CLAUSE);
  }
  // If a circle remains, two folders were moved on the service, and the listing shows only one of
  // these moves. The folders stay in place until the next cycle.
  for (const folder of draft.forest.folders)
    for (const side of SIDES) {
      if (!isMoving(folder, side) || !isWithinItself(folder, folder[side].goal!, side)) continue;
      setGoal(folder, side, folder[side].now);
      draft.moveReasons.delete(folder);
    }
}

/**
 * Returns a folder that a planned move would put inside itself, on either side; undefined without
 * such a move.
 */
function findFolderInCircle({ forest }: PlanDraft): FolderRow | undefined {
  for (const folder of forest.folders) {
    const goal = folder.remote.goal;
    if (isSamePlace(goal, folder.remote.now)) continue;
    if (isWithinItself(folder, goal!, "remote") || isWithinItself(folder, goal!, "local")) return folder;
  }
  return undefined;
}

function isWithinItself(folder: FolderRow, goal: Place, side: Side): boolean {
  return isInside(goal.parent, folder, (above) => findFinalParent(above, side));
}

/**
 * Returns the planned parent of a folder; null for the root. If a side lacks the folder, returns
 * the parent on the other side.
 */
function findFinalParent(folder: FolderRow, side: Side): FolderRow | null {
  return (folder[side].goal ?? folder[otherSide(side)].goal)?.parent ?? null;
}
