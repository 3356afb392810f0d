import type { Progress } from "../../ports/world.ts";
import type { Action, ActionKind } from "../../model/action.ts";
import { shownName, shownWords } from "../../../common/shown-words.ts";
import type { MirrorEvent } from "../../ports/state.ts";
import { formatLocalTime } from "./times.ts";

export const PHASE_WORDS: Readonly<Record<Parameters<Progress["report"]>[0], string>> = {
  recover: "completing interrupted steps",
  scan: "scanning local files",
  list: "listing documents on the service",
  plan: "planning",
  apply: "applying changes",
};

type ActionWords = { readonly arrow: "→" | "←" | "↔" | "·"; readonly label: string };

export const ACTION_WORDS: Readonly<Record<ActionKind, ActionWords>> = {
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
  "note-facts": { arrow: "·", label: "update the record" },
  forget: { arrow: "·", label: "remove the record (deleted on both sides)" },
  "look-again": { arrow: "·", label: "check again" },
  "link-folder": { arrow: "·", label: "link a folder" },
  "forget-folder": { arrow: "·", label: "remove the record of a folder (deleted on both sides)" },
};

const SIDES = { "→": "remote", "←": "local", "↔": "both", "·": "none" } as const;

/** Returns the side that an action changes; `none` if the action only updates the state file. */
export function readSide(kind: ActionKind): (typeof SIDES)[ActionWords["arrow"]] {
  return SIDES[ACTION_WORDS[kind].arrow];
}

const EMPTYING_WORDS: Readonly<Partial<Record<ActionKind, ActionWords>>> = {
  put: { arrow: "→", label: "empty on the service" },
  "write-local": { arrow: "←", label: "empty locally" },
};

const REVIEW_ACTION_WORDS: ActionWords = { arrow: "→", label: "send to review" };

/**
 * Returns the words for an action. An action that empties a document or sends content to review has
 * words of its own.
 */
export function describeAction(action: Action): ActionWords {
  const emptyingWords = "empties" in action && action.empties === true ? EMPTYING_WORDS[action.kind] : undefined;
  if (emptyingWords !== undefined) return emptyingWords;
  return action.kind === "put" && action.review ? REVIEW_ACTION_WORDS : ACTION_WORDS[action.kind];
}

/** Names of action kinds for programs and `log`, if the internal name is unclear. */
const PUBLIC_KINDS: Readonly<Record<string, string>> = {
  meet: "link-new",
  relink: "note-place",
  "settle-review": "look-at-review",
};

export function toPublicKind(kind: string): string {
  return PUBLIC_KINDS[kind] ?? kind;
}

/** Returns the local path of a document or folder by its id; null without a record of the id. */
export type PathLookup = (id: string) => string | null;

/** Returns the path of an action, never an id. For a move, returns the old and the new path. */
export function readActionPath(action: Action, pathOf: PathLookup): string {
  if ("from" in action) return `${action.from} → ${action.to}`;
  if ("localPath" in action) return action.localPath;
  if (action.kind === "drop-conflict" && action.newestCopyPath !== null) return action.newestCopyPath;
  return pathOf("id" in action ? action.id : action.dirId) ?? "a document that is on neither side";
}

/** Returns an action's path, or both paths of a move, without control characters. */
export function formatActionPath(action: Action, pathOf: PathLookup): string {
  if ("from" in action) return `${shownName(action.from)} → ${shownName(action.to)}`;
  return shownName(readActionPath(action, pathOf));
}

/** Returns an error code of the service and a request id: ` (forbidden, request req_1)`. */
export function formatOrigin(code: string | null, requestId: string | null): string {
  const originParts = [
    ...(code === null ? [] : [shownWords(code)]),
    ...(requestId === null ? [] : [`request ${shownWords(requestId)}`]),
  ];
  return originParts.length === 0 ? "" : ` (${originParts.join(", ")})`;
}

/** Returns a line such as `2026-11-21 09:05:03  run 3  put  notes/plan.md  edited locally (…)`. */
export function formatEvent({ at, run, kind, path, detail, outcome, code, requestId }: MirrorEvent): string {
  const outcomeText = outcome === "done" ? "" : ` [${outcome}]`;
  return `${formatLocalTime(at)}  run ${run}  ${toPublicKind(kind)}  ${path === "" ? "." : shownName(path)}  ${shownWords(detail)}${outcomeText}${formatOrigin(code, requestId)}`;
}
