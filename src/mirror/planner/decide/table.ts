/**
 * Tables that decide what happens to a document. One has a cell for each combination of the
 * contents on both sides, the others for each change of place. If a cell is missing, the code does
 * not compile.
 */

import type { LocalDrift, RemoteDrift, Drift, WhoMoved } from "../drift/place-change.ts";

export type ContentCell = `${LocalDrift}/${RemoteDrift}` | "created/created" | "created/never" | "never/created";

export function toContentCell({ local, remote }: Drift): ContentCell {
  return `${local}/${remote}` as ContentCell;
}

export const CONTENT_RULES = {
  "unchanged/unchanged": "nothing",
  "unchanged/edited": "write-local",
  "unchanged/gone": "trash-local",
  "unchanged/unseen": "block-not-seen",
  "unchanged/outside": "leave-subtree",
  "edited/unchanged": "put",
  "edited/edited": "merge",
  "edited/gone": "post-as-new",
  "edited/unseen": "block-not-seen",
  "edited/outside": "block-outside",
  // Before the deletion, mdmirror reads the document on the service again. If the document was
  // moved on the service, mdmirror restores it locally instead, because somebody still uses it.
  "deleted/unchanged": "delete-remote",
  "deleted/edited": "come-back",
  "deleted/gone": "forget",
  "deleted/unseen": "block-not-seen",
  // mdmirror never deletes a document outside the linked part of the workspace.
  "deleted/outside": "leave-subtree",
  "created/created": "meet",
  "created/never": "post",
  "never/created": "create-local",
  "unknown/unchanged": "block-unreadable",
  "unknown/edited": "block-unreadable",
  "unknown/gone": "block-unreadable",
  "unknown/unseen": "block-unreadable",
  "unknown/outside": "block-unreadable",
} as const satisfies Record<ContentCell, string>;

export type ContentRule = (typeof CONTENT_RULES)[ContentCell];

/**
 * Rule for a place. `agree`: both sides moved the document or folder; if the two places differ, the
 * place on the service wins.
 */
export type PlaceRule = "stay" | "follow-local" | "follow-remote" | "agree";

export const PLACE_RULES: Readonly<Record<WhoMoved, PlaceRule>> = {
  nobody: "stay",
  local: "follow-local",
  remote: "follow-remote",
  both: "agree",
};

/**
 * Rules for a document that was deleted locally. If it was moved on the service, it is restored,
 * because somebody uses it.
 */
export const DELETED_RULES: Readonly<Record<WhoMoved, "delete-remote" | "come-back">> = {
  nobody: "delete-remote",
  local: "delete-remote",
  remote: "come-back",
  both: "come-back",
};
