import { countCharacters, MAX_PATH_CHARACTERS, MAX_PATH_NAMES } from "../contract/limits.ts";
import { includes } from "./access.ts";
import { type Answer, done, isRefused, type Refused, refuse, refuseFields } from "./answer.ts";
import type { Call, RequestContext } from "./context.ts";
import { readOneMember } from "./file-writes.ts";
import type { FolderRow } from "./folders-table.ts";
import { moveProtected } from "./guard-moves.ts";
import { pathTooLong, readName, readParent, readPathId } from "./input.ts";
import { holdKeptGrants, keepGrantsBelow } from "./kept-grants.ts";
import { findPlace, findWritableFolder, occupied, type Place, pathIn } from "./place.ts";
import { presentFolder } from "./present.ts";
import { readFlag } from "./query.ts";

const PATCH_MEMBERS = {
  name: { type: "string", required: false },
  parentId: { type: "string-or-null", required: false },
} as const;

/** PATCH /v1/folders/{id}, in the form of PATCH /v1/files/{id}. */
export function patchFolder(call: Call): Answer {
  const id = readPathId(call, "dir_");
  if (isRefused(id)) return id;
  const members = readOneMember(call, PATCH_MEMBERS);
  if (isRefused(members)) return members;
  const { context } = call;
  if (Object.hasOwn(members, "name")) {
    const name = readName(members["name"] as string, "folder", "/name");
    if (isRefused(name)) return name;
    const row = findWritableFolder(context, id);
    if (isRefused(row)) return row;
    const path = row.path.slice(0, Math.max(0, row.path.length - row.name.length - 1));
    const parent = { seq: row.parent, id: row.parentId, path };
    return placeFolder(context, row, parent, name, "/name");
  }
  const parentId = readParent(context, members["parentId"] as string | null);
  if (isRefused(parentId)) return parentId;
  const row = findWritableFolder(context, id);
  if (isRefused(row)) return row;
  const parent = findPlace(context, parentId);
  return isRefused(parent) ? parent : placeFolder(context, row, parent, row.name, "/parentId");
}

/**
 * ASSUMES: a move below itself is 400 invalid_request (contract test "refuses to move a folder
 * below itself").
 */
function placeFolder(context: RequestContext, row: FolderRow, parent: Place, name: string, pointer: string): Answer {
  if (parent.path === row.path || parent.path.startsWith(`${row.path}/`)) {
    return refuseFields([{ code: "invalid_format", pointer, detail: "A folder cannot be moved below itself." }]);
  }
  const path = pathIn(parent, name);
  if (path === row.path) return done(200, presentFolder(row));
  if (context.store.folders.byPath(context.workspace.seq, path)) return occupied(path);
  const over = tooLongBelow(context, row, path, pointer);
  if (over !== null) return over;
  const { store, workspace } = context;
  return moveProtected(context, store.files.protectedInTree(workspace.seq, row.path), () => {
    store.grants.rebaseKept(workspace.seq, row.path, path);
    store.folders.place(workspace.seq, row, parent.seq, name, path);
    holdKeptGrants(context, path);
    return done(200, presentFolder({ ...row, parent: parent.seq, parentId: parent.id, name, path }));
  });
}

function tooLongBelow(context: RequestContext, row: FolderRow, path: string, pointer: string): Refused | null {
  const { folders } = context.store;
  const longest = folders.longestBelow(context.workspace.seq, row.path) ?? row.path;
  const deepest = folders.deepestBelow(context.workspace.seq, row.path) ?? slashes(row.path);
  const characters = countCharacters(longest) - countCharacters(row.path) + countCharacters(path);
  const names = deepest - slashes(row.path) + slashes(path) + 1;
  return characters > MAX_PATH_CHARACTERS.folder || names > MAX_PATH_NAMES.folder
    ? pathTooLong("folder", pointer)
    : null;
}

function slashes(path: string): number {
  return path.split("/").length - 1;
}

/**
 * DELETE /v1/folders/{id}[?recursive=true]
 * ASSUMES: the key must be able to write everything below, and a protected file below is refused as
 * if deleted alone (contract tests "refuses a recursive delete …").
 */
export function deleteFolder(call: Call): Answer {
  const id = readPathId(call, "dir_");
  if (isRefused(id)) return id;
  const recursive = readFlag(call.query, "recursive");
  if (isRefused(recursive)) return recursive;
  const { context } = call;
  const row = findWritableFolder(context, id);
  if (isRefused(row)) return row;
  const { store, workspace } = context;
  const empty =
    !store.files.hasAny(workspace.seq, row.seq) &&
    store.folders.inParent({ workspace: workspace.seq, parent: row.seq, after: 0, count: 1 }).length === 0;
  if (!empty && !recursive) return refuse("folder_not_empty", "The folder still has contents; nothing was removed.");
  const kept = empty ? null : keptBelow(context, row);
  if (kept !== null) return kept;
  keepGrantsBelow(context, row.path);
  store.files.removeTree(workspace.seq, row.path);
  store.folders.removeTree(workspace.seq, row);
  return done(204);
}

/** Why something below cannot be deleted, or null. */
function keptBelow(context: RequestContext, row: FolderRow): Refused | null {
  const { store, workspace, access } = context;
  const all = { workspace: workspace.seq, path: row.path, after: 0, count: Number.MAX_SAFE_INTEGER };
  const files = store.files.inTree(all);
  const writable =
    access.everywhere !== null ||
    (files.every((file) => includes(access.file(file), "edit")) &&
      store.folders.below(all).every((folder) => includes(access.folder(folder.seq), "edit")));
  if (!writable) return refuse("forbidden", "This key may not remove everything in the folder; nothing was removed.");
  if (store.changes.treeHasReview(workspace.seq, row.path)) {
    return refuse("changes_in_review", "A file in the folder has changes in review; nothing was removed.");
  }
  if (!files.some((file) => file.protected === 1)) return null;
  return refuse("file_protected", "A file in the folder is protected; nothing was removed.");
}
