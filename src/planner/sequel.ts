import type { Action, ActionKind } from "../model/action.ts";
import { parentOf } from "../model/path.ts";

/**
 * Whether an action that ended well may leave something for the pass after: a run goes on after it.
 * All others leave the document as both sides are to have it, so that a run needs no further look
 * to say that it is in sync (I02).
 */
const SEQUELS: Readonly<Record<ActionKind, boolean | "from-another-folder">> = {
  // What came of it is sent or brought by the next pass.
  merge: true,
  meet: true,
  "settle-review": true,
  "renew-conflict": true,
  "end-conflict": true,
  "look-again": true,
  // What was held back by it (an ignore rule, a place outside, a protection) is looked at again.
  "note-facts": true,
  // The folder that it left may be empty now, and is to go, or to be made on the other side.
  "delete-remote": true,
  "trash-local": true,
  "forget-folder": true,
  "remove-folder-local": true,
  "move-local": "from-another-folder",
  "move-folder-local": "from-another-folder",
  "create-local": false,
  "write-local": false,
  "create-remote": false,
  put: false,
  forget: false,
  "rename-remote": false,
  "reparent-remote": false,
  relink: false,
  "move-sidecar": false,
  "drop-conflict": false,
  "make-folder-local": false,
  "make-folder-remote": false,
  "link-folder": false,
  "rename-folder-remote": false,
  "reparent-folder-remote": false,
  "remove-folder-remote": false,
};

// Of a temporary name, or one that gives way: by the next pass it may have its own again.
const MADE_NAME = /-[0-9a-f]{8}(?:\.md)?$/;

function pathsOf(action: Action): readonly string[] {
  return [
    ...("localPath" in action ? [action.localPath] : []),
    ...("remotePath" in action ? [action.remotePath] : []),
    ...("from" in action ? [action.from, action.to] : []),
  ];
}

export function hasSequel(action: Action): boolean {
  if (pathsOf(action).some((path) => MADE_NAME.test(path))) return true;
  const sequel = SEQUELS[action.kind];
  if (sequel !== "from-another-folder") return sequel;
  return "from" in action && parentOf(action.from) !== parentOf(action.to);
}
