import type { HoldReason } from "../../model/hold.ts";
import type { Link } from "../../model/link.ts";
import type { DocumentBody } from "../match/body.ts";
import type { LocalFile } from "../../model/tree.ts";
import { isOccupied } from "./absence.ts";
import { type Desk, holdDocument } from "./desk.ts";
import { hasNewMarkers } from "./markers.ts";

/** What stops an action before it is drafted, and says so by a hold. */

export const TEXT_FAULTS = {
  "not-utf-8": "the text is not UTF-8",
  "holds-nul": "the text holds a NUL character",
  "too-large": "the text is longer than the service takes",
} as const satisfies Partial<Record<HoldReason, string>>;

/**
 * Texts that are never sent as they are: what the service cannot hold, and what a merge tool has
 * not finished.
 */
export function isTextHeld(desk: Desk, body: DocumentBody, link: Link | null, here: LocalFile): boolean {
  if (here.textFault !== null) {
    holdDocument(desk, body, here.textFault, TEXT_FAULTS[here.textFault], { digest: here.digest });
    return true;
  }
  if (link === null) return false;
  const text = desk.texts(here.digest);
  if (text === null || !hasNewMarkers(text, desk.texts(link.digest))) return false;
  holdDocument(desk, body, "conflict-markers", "the text holds conflict markers", { digest: here.digest });
  return true;
}

export function isDirectionOff(desk: Desk, body: DocumentBody, off: "pull-only" | "push-only", what: string): boolean {
  if (desk.policy.direction !== off) return false;
  holdDocument(desk, body, "direction-off", `${what}; this mirror is ${off}`);
  return true;
}

/** In `sync` an absence needs two looks before anything follows from it. */
export function needsSecondLook(desk: Desk, body: DocumentBody, link: Link): boolean {
  if (desk.policy.absentTwice?.has(link.localPath) !== false) return false;
  // Another document stands at its path: no editor is between the two steps of a save there. One
  // that is held may have stood elsewhere.
  if (isOccupied(desk, link.localPath) && !desk.trees.base.holds.has(link.id)) return false;
  holdDocument(desk, body, "second-look", "absent in one look; a second look decides");
  return true;
}
