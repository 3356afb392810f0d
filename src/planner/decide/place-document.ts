import type { Drift } from "../drift/drift.ts";
import type { DocumentBody, Place } from "../match/body.ts";
import { type Desk, holdDocument, keepHold } from "./desk.ts";
import { isDirectionOff } from "./gates.ts";
import { localWish, placeRule, remoteWish, samePlace, type Wish } from "./places.ts";
import { isStopped, standingHold } from "./remembered.ts";

/**
 * Decides the place of a document that both sides have; content was decided apart. Leaves as `goal`
 * where the plan shall put it.
 */
export function placeDocument(desk: Desk, body: DocumentBody, drift: Drift): void {
  if (body.link === null || body.local.now === null || body.remote.now === null) return;
  if (body.local.goal === null || body.remote.goal === null) return;
  const rule = placeRule(body, drift.place);
  if (rule === "stay") return;
  if (rule === "follow-local") {
    followLocal(desk, body);
    return;
  }
  const wish = localWish(desk, body);
  if (rule === "agree" && isAgreed(desk, body, wish)) {
    desk.whys.set(body, "moved alike on both sides");
    return;
  }
  followRemote(desk, body, wish, rule === "agree" ? "moved on both sides" : "moved on the service");
}

function isAgreed(desk: Desk, body: DocumentBody, wish: Wish): boolean {
  if (wish.kind === "place" && samePlace(wish.place, body.local.now)) return true;
  const there = remoteWish(desk, body);
  return there.kind === "place" && samePlace(there.place, body.remote.now);
}

function followLocal(desk: Desk, body: DocumentBody): void {
  const wish = remoteWish(desk, body);
  if (wish.kind === "barred") {
    holdDocument(desk, body, wish.reason, wish.detail);
    return;
  }
  if (samePlace(wish.place, body.remote.now)) {
    desk.whys.set(body, "its name on the service stays");
    return;
  }
  if (isDirectionOff(desk, body, "pull-only", "moved here")) return;
  if (isRootBarred(desk, body, wish.place)) return;
  const standing = standingHold(desk, body);
  // Only a move to the root is what such a hold is about; another move ends it.
  if (standing?.reason !== "no-move-to-root" && isStopped(desk, body, "move-remote")) return;
  body.remote.goal = wish.place;
  desk.whys.set(body, "moved here");
}

/**
 * `parentId` is a folder's id and the root has none: where the deployment takes no null, edits
 * travel and the place does not.
 */
function isRootBarred(desk: Desk, body: DocumentBody, to: Place): boolean {
  if (to.parent !== desk.forest.root || body.remote.now?.parent === desk.forest.root) return false;
  const standing = standingHold(desk, body);
  if (standing?.reason === "no-move-to-root") {
    keepHold(desk, standing);
    return true;
  }
  if (desk.policy.movesToRoot) return false;
  holdDocument(desk, body, "no-move-to-root", "the service cannot move a document to the root of the workspace");
  return true;
}

function followRemote(desk: Desk, body: DocumentBody, wish: Wish, why: string): void {
  if (wish.kind === "barred") {
    holdDocument(desk, body, wish.reason, wish.detail);
    return;
  }
  if (samePlace(wish.place, body.local.now)) {
    desk.whys.set(body, "its name here stays");
    return;
  }
  if (isDirectionOff(desk, body, "push-only", why) || isStopped(desk, body, "move-local")) return;
  body.local.goal = wish.place;
  desk.whys.set(body, why);
}
