import { mapName } from "../../contract/names.ts";
import { isTemporaryName, lastingName, localNameFor, numberedName, ownNameOf } from "../../model/local-name.ts";
import type { Row, Side } from "../match/row.ts";
import { nameOf } from "../../model/path.ts";
import { type PlanDraft, keyOf } from "./plan-draft.ts";
import { idOf } from "./places.ts";
import { isFolderStopped, isStopped, standingHold } from "./remembered.ts";

/**
 * Names that were nobody's wish, and that no rule leads away from (what would is held): they are
 * taken back. What a plan cut short has left at a temporary one gets the name it was made of, or
 * the next number of that which is free; what has its id's digits in its name, because its own was
 * taken here, gets that when it is free.
 */

/** LIMIT: numbers tried for a name before it is left as it is. */
const MAX_NUMBER = 99;

const SIDES = ["local", "remote"] as const;

export function isLeftOver(row: Row): boolean {
  if (standInFor(row) !== null) return true;
  return SIDES.some((side) => isTemporaryName(row[side].goal?.name ?? ""));
}

/**
 * Names for what stays at a temporary one, the best first. None: it may not be renamed, or not yet.
 */
export function* lastingNames(draft: PlanDraft, row: Row, side: Side): Generator<string> {
  const { goal } = row[side];
  const own = side === "local" ? standInFor(row) : null;
  if (own !== null && draft.policy.direction !== "push-only" && !isMoveStopped(draft, row)) yield own;
  if (goal === null || !isTemporaryName(goal.name) || !mayBeNamed(draft, row, side)) return;
  const kind = row.kind === "document" ? "file" : "folder";
  const there = row[side === "local" ? "remote" : "local"].goal?.name;
  const other =
    there ?? (row.link === null ? goal.name : nameOf(row.link[side === "local" ? "remotePath" : "localPath"]));
  const legal = (name: string): string | null =>
    side === "local" ? localNameFor(name, kind, idOf(row)) : mapName(name, kind, draft.policy.refusedCharacters);
  const best = isTemporaryName(other) ? lastingName(goal.name) : other;
  for (let number = 1; number <= MAX_NUMBER; number++) {
    const name = legal(number === 1 ? best : numberedName(best, kind, number));
    if (name !== null) yield name;
  }
}

/** The name that it would have here, were its place not taken when it came. */
function standInFor(row: Row): string | null {
  const { local, remote, link } = row;
  if (link === null || local.now === null || local.goal === null || remote.now === null || remote.goal === null)
    return null;
  const kind = row.kind === "document" ? "file" : "folder";
  return ownNameOf(local.goal.name, remote.goal.name, kind, idOf(row));
}

function isMoveStopped(draft: PlanDraft, row: Row): boolean {
  return row.kind === "document" && isStopped(draft, row, "move-local");
}

function mayBeNamed(draft: PlanDraft, row: Row, side: Side): boolean {
  const { link } = row;
  const now = row[side].now;
  if (link === null || now === null || row.local.now === null) return false;
  // What is gone from the service, and held here for its edit, will not come by a name from there.
  if (row.remote.now === null && (side === "remote" || !isHeldAlone(row))) return false;
  if (draft.policy.direction === (side === "local" ? "push-only" : "pull-only")) return false;
  // Seen for the first time, it may be another mirror's, which is about to move it on: base learns
  // of it, and the next look decides.
  const known = nameOf(side === "local" ? link.localPath : link.remotePath) === now.name;
  if (row.kind === "folder") {
    if (side === "local") return known || draft.holds.has(link.id);
    if (!draft.policy.folderMoves || !(known || draft.holds.has(link.id))) return false;
    return isRootHold(draft, link.id) || !isFolderStopped(draft, link.id, "move");
  }
  if (!known && !draft.holds.has(keyOf(row))) return false;
  if (side === "local") return !isStopped(draft, row, "move-local");
  // It goes nowhere near the root.
  return standingHold(draft, row)?.reason === "no-move-to-root" || !isStopped(draft, row, "move-remote");
}

function isHeldAlone(row: Row): boolean {
  if (row.kind === "folder" || row.remote.goal !== null) return false;
  return row.remote.seen.kind === "gone" || row.remote.seen.kind === "outside";
}

function isRootHold(draft: PlanDraft, key: string): boolean {
  return draft.trees.base.holds.get(key)?.reason === "no-move-to-root";
}
