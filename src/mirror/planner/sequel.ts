import { type Action, type ActionKind, getSubject } from "../model/action.ts";
import type { BlockReason } from "../model/block.ts";
import { hasDigitsOfId, isTemporaryName } from "../model/names.ts";
import { once } from "../../common/once.ts";
import { type LocalPath, nameOf, parentOf } from "../../contract/path.ts";
import type { Trees } from "../model/tree.ts";
import type { Plan } from "./plan-types.ts";

/**
 * Kinds of actions after which another cycle may be needed. False: the document has its final state
 * on both sides after the action, so the run is in sync without another scan (I02).
 */
const FOLLOW_UP_WORK: Readonly<Record<ActionKind, boolean | "leaves-a-folder">> = {
  merge: true,
  meet: true,
  "settle-review": true,
  "renew-conflict": true,
  "end-conflict": true,
  "look-again": true,
  // A document with a new protection, ignore rule or place needs another plan.
  "note-facts": true,
  // The deletion may empty the folder of the document. The next cycle then removes the folder, or
  // creates the folder on the other side.
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
 * Returns true if an action uses a name that mdmirror chose instead of the user: a temporary name,
 * or a name with digits of the id. The next cycle may replace such a name.
 */
function hasProvisionalName(action: Action): boolean {
  const { id } = getSubject(action);
  return listPaths(action).some((path) => {
    const name = nameOf(path);
    return isTemporaryName(name) || (id !== null && hasDigitsOfId(name, id));
  });
}

function listPaths(action: Action): readonly string[] {
  return [
    ...("localPath" in action ? [action.localPath] : []),
    ...("remotePath" in action ? [action.remotePath] : []),
    ...("from" in action ? [action.from, action.to] : []),
  ];
}

const REASONS_ENDED_BY_MOVES: ReadonlySet<BlockReason> = new Set([
  "path-taken",
  "path-pending",
  "name-clash",
  "type-clash",
  "folder-blocked",
  "gone-or-unreadable",
]);

/**
 * Returns a function that says whether another cycle is needed after an action.
 * @param plan the plan that was carried out, completely or in part
 */
export function leavesMoreWork(plan: Plan, trees: Trees): (action: Action) => boolean {
  const keepsAllFolders = once(() => !mayNeedMoreMoves(plan));
  const getLastingFolders = once(() => listLastingFolders(trees));
  const mayBeLeftEmpty = (folder: LocalPath) =>
    !keepsAllFolders() || !(folder === "" || getLastingFolders().has(folder));
  const getAwaitedKeys = once(
    () => new Set(plan.blocks.flatMap(({ key, reason, path }) => (reason === "path-taken" ? [key, path] : [key]))),
  );
  return (action) => leavesWork(action, mayBeLeftEmpty) || mayEndABlock(action, getAwaitedKeys);
}

/**
 * Returns true if a block may end after an action, in two cases:
 * - A blocked document or folder was moved locally. The path that the item needs may be free now.
 * - A new file was uploaded under another name. The next cycle gives the file this name, so the old
 *   path becomes free.
 *
 * @param waiting keys of the blocks, and the paths of blocks with the reason `path-taken`
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
  if (hasProvisionalName(action)) return true;
  const followUp = FOLLOW_UP_WORK[action.kind];
  if (followUp !== "leaves-a-folder") return followUp;
  const folder = findSourceFolder(action);
  return folder !== null && mayBeLeftEmpty(folder);
}

function findSourceFolder(action: Action): LocalPath | null {
  if (action.kind === "drop-conflict") return action.newestCopyPath && parentOf(action.newestCopyPath);
  if ("localPath" in action) return parentOf(action.localPath);
  const [from, to] = "from" in action ? [parentOf(action.from), parentOf(action.to)] : [null, null];
  return from === to ? null : from;
}

/**
 * Lists the local paths of folders that both sides have as recorded. These folders stay even if
 * they become empty.
 */
function listLastingFolders({ base, local, remote }: Trees): ReadonlySet<LocalPath> {
  const lastingPaths = new Set<LocalPath>();
  for (const { id, localPath, remotePath } of base.dirs.values())
    if (local.folders.has(localPath) && remote.folders.get(id)?.path === remotePath) lastingPaths.add(localPath);
  return lastingPaths;
}

function mayNeedMoreMoves({ steps, blocks }: Plan): boolean {
  return (
    steps.some(({ action }) => action.kind.includes("folder")) ||
    blocks.some(({ reason }) => REASONS_ENDED_BY_MOVES.has(reason))
  );
}
