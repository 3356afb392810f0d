import type { Action, ActionKind } from "../../model/action.ts";
import { shownName } from "../../../common/shown-name.ts";

/** The names of actions outside of the engine. */

export type Words = { readonly arrow: "→" | "←" | "↔" | "·"; readonly label: string };

export const ACTION_WORDS: Readonly<Record<ActionKind, Words>> = {
  "create-remote": { arrow: "→", label: "create on the service" },
  put: { arrow: "→", label: "update on the service" },
  "rename-remote": { arrow: "→", label: "rename on the service" },
  "reparent-remote": { arrow: "→", label: "move on the service" },
  "delete-remote": { arrow: "→", label: "delete on the service" },
  "make-folder-remote": { arrow: "→", label: "create folder on the service" },
  "rename-folder-remote": { arrow: "→", label: "rename folder on the service" },
  "reparent-folder-remote": { arrow: "→", label: "move folder on the service" },
  "remove-folder-remote": { arrow: "→", label: "remove folder on the service" },
  "end-conflict": { arrow: "→", label: "resolve a conflict" },
  "create-local": { arrow: "←", label: "create locally" },
  "write-local": { arrow: "←", label: "update locally" },
  "move-local": { arrow: "←", label: "move locally" },
  "trash-local": { arrow: "←", label: "move to the local trash" },
  "make-folder-local": { arrow: "←", label: "create folder locally" },
  "move-folder-local": { arrow: "←", label: "move folder locally" },
  "remove-folder-local": { arrow: "←", label: "remove folder locally" },
  "renew-conflict": { arrow: "←", label: "update a conflict copy" },
  "move-conflict-copy": { arrow: "←", label: "move a conflict copy" },
  "drop-conflict": { arrow: "←", label: "end a conflict" },
  merge: { arrow: "↔", label: "merge (edited on both sides)" },
  meet: { arrow: "↔", label: "merge or link (new on both sides)" },
  "settle-review": { arrow: "↔", label: "check a review" },
  relink: { arrow: "·", label: "record a move" },
  "note-facts": { arrow: "·", label: "record facts" },
  forget: { arrow: "·", label: "forget (deleted on both sides)" },
  "look-again": { arrow: "·", label: "check again" },
  "link-folder": { arrow: "·", label: "link a folder" },
  "forget-folder": { arrow: "·", label: "forget a folder (deleted on both sides)" },
};

/** The words for an action that takes a document's text from one side. */
const EMPTYING: Readonly<Partial<Record<ActionKind, Words>>> = {
  put: { arrow: "→", label: "empty on the service" },
  "write-local": { arrow: "←", label: "empty locally" },
};

const TO_REVIEW: Words = { arrow: "→", label: "send to review" };

/**
 * Returns the words for an action: those of its kind, unless it empties a document or sends a text
 * to review.
 */
export function actionWords(action: Action): Words {
  const emptying = "empties" in action && action.empties === true ? EMPTYING[action.kind] : undefined;
  if (emptying !== undefined) return emptying;
  return action.kind === "put" && action.review ? TO_REVIEW : ACTION_WORDS[action.kind];
}

/**
 * Kinds whose names only developers would understand: the names that programs and `log` get
 * instead.
 */
const PUBLIC_KINDS: Readonly<Record<string, string>> = {
  meet: "link-new",
  relink: "note-place",
  "settle-review": "look-at-review",
};

/** The name of an action, event or rule outside of the engine. */
export function publicKind(kind: string): string {
  return PUBLIC_KINDS[kind] ?? kind;
}

/** Where base has a document or folder here, by its id; null: base does not know it. */
export type PathOf = (id: string) => string | null;

/** The path of an action as the user knows it, never an id; a move shows both ends. */
export function actionPath(action: Action, pathOf: PathOf): string {
  if ("from" in action) return `${action.from} → ${action.to}`;
  if ("localPath" in action) return action.localPath;
  if (action.kind === "drop-conflict" && action.sidecarPath !== null) return action.sidecarPath;
  return pathOf("id" in action ? action.id : action.dirId) ?? "a document that is on neither side";
}

/** The path of an action; of a move, both paths. */
export function actionName(action: Action, pathOf: PathOf): string {
  if ("from" in action) return `${shownName(action.from)} → ${shownName(action.to)}`;
  return shownName(actionPath(action, pathOf));
}
