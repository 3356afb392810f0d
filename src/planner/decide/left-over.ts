import { mapName } from "../../contract/names.ts";
import { isTemporaryName, lastingName, localNameFor, numberedName, ownNameOf } from "../../model/local-name.ts";
import type { AnyBody, Side } from "../match/body.ts";
import { nameOf } from "../../model/path.ts";
import { type Desk, keyOf } from "./desk.ts";
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

export function isLeftOver(body: AnyBody): boolean {
  if (standInFor(body) !== null) return true;
  return SIDES.some((side) => isTemporaryName(body[side].goal?.name ?? ""));
}

/**
 * Names for what stays at a temporary one, the best first. None: it may not be renamed, or not yet.
 */
export function* lastingNames(desk: Desk, body: AnyBody, side: Side): Generator<string> {
  const { goal } = body[side];
  const own = side === "local" ? standInFor(body) : null;
  if (own !== null && desk.policy.direction !== "push-only" && !isMoveStopped(desk, body)) yield own;
  if (goal === null || !isTemporaryName(goal.name) || !mayBeNamed(desk, body, side)) return;
  const kind = body.kind === "document" ? "file" : "folder";
  const there = body[side === "local" ? "remote" : "local"].goal?.name;
  const other =
    there ?? (body.link === null ? goal.name : nameOf(body.link[side === "local" ? "remotePath" : "localPath"]));
  const legal = (name: string): string | null =>
    side === "local" ? localNameFor(name, kind, idOf(body)) : mapName(name, kind, desk.policy.refusedCharacters);
  const best = isTemporaryName(other) ? lastingName(goal.name) : other;
  for (let number = 1; number <= MAX_NUMBER; number++) {
    const name = legal(number === 1 ? best : numberedName(best, kind, number));
    if (name !== null) yield name;
  }
}

/** The name that it would have here, were its place not taken when it came. */
function standInFor(body: AnyBody): string | null {
  const { local, remote, link } = body;
  if (link === null || local.now === null || local.goal === null || remote.now === null || remote.goal === null)
    return null;
  const kind = body.kind === "document" ? "file" : "folder";
  return ownNameOf(local.goal.name, remote.goal.name, kind, idOf(body));
}

function isMoveStopped(desk: Desk, body: AnyBody): boolean {
  return body.kind === "document" && isStopped(desk, body, "move-local");
}

function mayBeNamed(desk: Desk, body: AnyBody, side: Side): boolean {
  const { link } = body;
  const now = body[side].now;
  if (link === null || now === null || body.local.now === null) return false;
  // What is gone from the service, and held here for its edit, will not come by a name from there.
  if (body.remote.now === null && (side === "remote" || !isHeldAlone(body))) return false;
  if (desk.policy.direction === (side === "local" ? "push-only" : "pull-only")) return false;
  // Seen for the first time, it may be another mirror's, which is about to move it on: base learns
  // of it, and the next look decides.
  const known = nameOf(side === "local" ? link.localPath : link.remotePath) === now.name;
  if (body.kind === "folder") {
    if (side === "local") return known || desk.holds.has(link.id);
    if (!desk.policy.folderMoves || !(known || desk.holds.has(link.id))) return false;
    return isRootHold(desk, link.id) || !isFolderStopped(desk, link.id, "move");
  }
  if (!known && !desk.holds.has(keyOf(body))) return false;
  if (side === "local") return !isStopped(desk, body, "move-local");
  // It goes nowhere near the root.
  return standingHold(desk, body)?.reason === "no-move-to-root" || !isStopped(desk, body, "move-remote");
}

function isHeldAlone(body: AnyBody): boolean {
  if (body.kind === "folder" || body.remote.goal !== null) return false;
  return body.remote.seen.kind === "gone" || body.remote.seen.kind === "outside";
}

function isRootHold(desk: Desk, key: string): boolean {
  return desk.trees.base.holds.get(key)?.reason === "no-move-to-root";
}
