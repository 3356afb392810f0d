import { type Action, type ActionKind, subjectOf } from "../model/action.ts";
import type { BlockReason } from "../model/block.ts";
import { hasDigitsOf, isTemporaryName } from "../model/local-name.ts";
import { once } from "../../common/once.ts";
import { type LocalPath, nameOf, parentOf } from "../../contract/path.ts";
import type { Trees } from "../model/tree.ts";
import type { Plan } from "./plan-types.ts";

/**
 * Kinds of action that may leave work for the next cycle when they succeed, so that the run
 * continues. All other kinds leave the document in its final state on both sides, so that a run
 * needs no further scan to be in sync (I02).
 */
const SEQUELS: Readonly<Record<ActionKind, boolean | "leaves-a-folder">> = {
  // The next cycle sends or fetches the result.
  merge: true,
  meet: true,
  "settle-review": true,
  "renew-conflict": true,
  "end-conflict": true,
  "look-again": true,
  // The next cycle decides again about a document whose ignore rule or protection changed, or that
  // came back from outside the linked folder or left it.
  "note-facts": true,
  // The folder that the document left may be empty now; then it is removed, or created on the other
  // side.
  "delete-remote": "leaves-a-folder",
  "trash-local": "leaves-a-folder",
  "forget-folder": true,
  "remove-folder-local": true,
  "move-local": "leaves-a-folder",
  "move-folder-local": "leaves-a-folder",
  "move-conflict-copy": "leaves-a-folder",
  "drop-conflict": "leaves-a-folder",
  "create-local": false,
  "write-local": false,
  "create-remote": false,
  put: false,
  forget: false,
  "rename-remote": false,
  "reparent-remote": false,
  relink: false,
  "make-folder-local": false,
  "make-folder-remote": false,
  "link-folder": false,
  "rename-folder-remote": false,
  "reparent-folder-remote": false,
  "remove-folder-remote": false,
};

/**
 * Returns true if mdmirror chose a name in this action: a temporary name, or one with digits of the
 * id. The next cycle may be able to restore the original name.
 */
function hasChosenName(action: Action): boolean {
  const { id } = subjectOf(action);
  return pathsOf(action).some((path) => {
    const name = nameOf(path);
    return isTemporaryName(name) || (id !== null && hasDigitsOf(name, id));
  });
}

function pathsOf(action: Action): readonly string[] {
  return [
    ...("localPath" in action ? [action.localPath] : []),
    ...("remotePath" in action ? [action.remotePath] : []),
    ...("from" in action ? [action.from, action.to] : []),
  ];
}

/** Reasons for blocks that another step of the plan may have ended. */
const ENDABLE: ReadonlySet<BlockReason> = new Set([
  "path-taken",
  "path-pending",
  "name-clash",
  "type-clash",
  "folder-blocked",
  "gone-or-unreadable",
]);

/**
 * Returns a function that is true for actions that leave work for the next cycle.
 * @param plan a plan that may have been carried out completely
 * @param trees the trees of that plan
 */
export function leavesMoreWork(plan: Plan, trees: Trees): (action: Action) => boolean {
  const isPlain = once(() => !mayMoveMore(plan));
  const lasting = once(() => lastingFolders(trees));
  const mayBeLeftEmpty = (folder: LocalPath) => !isPlain() || !(folder === "" || lasting().has(folder));
  const waiting = once(
    () => new Set(plan.blocks.flatMap(({ key, reason, path }) => (reason === "path-taken" ? [key, path] : [key]))),
  );
  return (action) => leavesWork(action, mayBeLeftEmpty) || mayEndABlock(action, waiting);
}

/**
 * Returns true if a block may end with an action. If a document or folder moved, its block may end,
 * because the path that it needs may be free now. If a new file was uploaded, a document that waits
 * for the file's path may get it in the next cycle.
 * @param waiting keys of blocks, and paths for which documents wait
 */
function mayEndABlock(action: Action, waiting: () => ReadonlySet<string>): boolean {
  switch (action.kind) {
    case "move-local":
      return waiting().has(action.id);
    case "move-folder-local":
      return waiting().has(action.dirId);
    case "create-remote":
      return waiting().has(action.localPath);
    default:
      return false;
  }
}

function leavesWork(action: Action, mayBeLeftEmpty: (folder: LocalPath) => boolean): boolean {
  if (hasChosenName(action)) return true;
  const sequel = SEQUELS[action.kind];
  if (sequel !== "leaves-a-folder") return sequel;
  const folder = folderLeft(action);
  return folder !== null && mayBeLeftEmpty(folder);
}

/** Returns the folder from which an action takes a file or folder; null if there is none. */
function folderLeft(action: Action): LocalPath | null {
  if (action.kind === "drop-conflict") return action.newestCopyPath && parentOf(action.newestCopyPath);
  if ("localPath" in action) return parentOf(action.localPath);
  const [from, to] = "from" in action ? [parentOf(action.from), parentOf(action.to)] : [null, null];
  return from === to ? null : from;
}

/**
 * Returns recorded folders that both sides show at base's place. They stay, whether empty or not.
 */
function lastingFolders({ base, local, remote }: Trees): ReadonlySet<LocalPath> {
  const lasting = new Set<LocalPath>();
  for (const { id, localPath, remotePath } of base.dirs.values())
    if (local.folders.has(localPath) && remote.folders.get(id)?.path === remotePath) lasting.add(localPath);
  return lasting;
}

/** Returns true if a plan changes folders, or has a block that may end with one of its steps. */
function mayMoveMore({ steps, blocks }: Plan): boolean {
  return steps.some(({ action }) => action.kind.includes("folder")) || blocks.some(({ reason }) => ENDABLE.has(reason));
}
