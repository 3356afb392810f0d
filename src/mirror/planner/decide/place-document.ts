import type { PlaceChange } from "../drift/place-change.ts";
import { type DocumentRow, type Place, samePlace, SIDES, wantAt } from "../match/row.ts";
import { type PlanDraft, holdDocument, keepHold } from "./plan-draft.ts";
import { isDirectionOff } from "./gates.ts";
import { isMet, localWish, placeRule, remoteWish, type Wish } from "./places.ts";
import { isStopped, remainingHold } from "./remembered.ts";

/**
 * Decides the place of a document that both sides have, independently of its content. Sets `goal`.
 */
export function placeDocument(draft: PlanDraft, row: DocumentRow, drift: PlaceChange): void {
  if (row.link === null || SIDES.some((side) => row[side].now === null || row[side].goal === null)) return;
  const rule = placeRule(row, drift.place);
  if (rule === "stay") return;
  if (rule === "follow-local") {
    followLocal(draft, row);
    return;
  }
  const wish = localWish(draft, row);
  if (rule === "agree" && (isMet(wish, row.local.now) || isMet(remoteWish(draft, row), row.remote.now))) {
    draft.whys.set(row, "moved alike on both sides");
    return;
  }
  followRemote(draft, row, wish, rule === "agree" ? "moved on both sides" : "moved on the service");
}

function followLocal(draft: PlanDraft, row: DocumentRow): void {
  const wish = remoteWish(draft, row);
  if (wish.kind === "barred") {
    holdDocument(draft, row, wish.reason, wish.detail);
    return;
  }
  if (samePlace(wish.place, row.remote.now)) {
    draft.whys.set(row, "its name on the service stays");
    return;
  }
  if (isDirectionOff(draft, row, "pull-only", "moved locally")) return;
  if (isRootBarred(draft, row, wish.place)) return;
  const standing = remainingHold(draft, row);
  // Such a block concerns a move to the root alone; another move ends it.
  if (standing?.reason !== "no-move-to-root" && isStopped(draft, row, "move-remote")) return;
  wantAt(row, "remote", wish.place);
  draft.whys.set(row, "moved locally");
}

/**
 * A move to the root needs `parentId: null`. If the deployment refuses that, edits are sent and the
 * move is not.
 */
function isRootBarred(draft: PlanDraft, row: DocumentRow, to: Place): boolean {
  if (to.parent !== draft.forest.root || row.remote.now?.parent === draft.forest.root) return false;
  const standing = remainingHold(draft, row);
  if (standing?.reason === "no-move-to-root") {
    keepHold(draft, standing);
    return true;
  }
  if (draft.policy.movesToRoot) return false;
  holdDocument(draft, row, "no-move-to-root", "the service cannot move a document to the root of the workspace");
  return true;
}

function followRemote(draft: PlanDraft, row: DocumentRow, wish: Wish, why: string): void {
  if (wish.kind === "barred") {
    holdDocument(draft, row, wish.reason, wish.detail);
    return;
  }
  if (samePlace(wish.place, row.local.now)) {
    draft.whys.set(row, "its local name stays");
    return;
  }
  if (isDirectionOff(draft, row, "push-only", why) || isStopped(draft, row, "move-local")) return;
  wantAt(row, "local", wish.place);
  draft.whys.set(row, why);
}
