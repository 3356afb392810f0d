import { findLengthFault, pathLimitText } from "../../contract/api/fields.ts";
import { FOLDERS } from "../../contract/resources.ts";
import { includesLevel } from "./access.ts";
import {
  type Answer,
  DELETED_ANSWER,
  isRefused,
  makeDone,
  refuse,
  type Refused,
  refuseFields,
} from "../requests/answer.ts";
import type { OperationCall, RequestContext } from "../requests/context.ts";
import { answerList, presentFolder } from "./present.ts";
import {
  findFolder,
  findNewParent,
  findTargetFolder,
  findWritableFolder,
  type FolderPlace,
  followFolders,
  makeFolder,
  makeFolders,
  moveProtected,
  refuseOccupied,
} from "./place.ts";
import { type FolderRow, ROOT, type RowRange } from "../store/rows.ts";
import { countCharacters, MAX_PATH_CHARACTERS, MAX_PATH_NAMES } from "../../contract/limits.ts";
import { isWithin, joinPath } from "../../contract/path.ts";
import { applyKeptGrants, keepGrants, moveKeptGrants } from "../keys/kept-grants.ts";

export function listFolders(call: OperationCall<"listFolders">): Promise<Answer> {
  const { access } = call.context;
  return answerList(call, FOLDERS, {
    select: (range) => selectFolders(call, range),
    folderOf: ({ seq }) => seq,
    show: (row) => (includesLevel(access.folder(row.seq), "read") ? presentFolder(row) : null),
  });
}

async function selectFolders(
  { context, query }: OperationCall<"listFolders">,
  range: RowRange,
): Promise<readonly FolderRow[] | Refused> {
  const { folders } = context.tables;
  const { path, path_prefix: prefix, parent_id: parentId } = query;
  if (path !== undefined) {
    const row = await folders.byPath(range.workspace, path);
    return row === undefined ? [] : [row];
  }
  if (parentId !== undefined) {
    const parent = await findFolder(context, parentId);
    return isRefused(parent) ? parent : folders.inParent({ ...range, parent: parent.seq });
  }
  if (prefix === undefined) return folders.inParent({ ...range, parent: ROOT });
  return prefix === "" ? folders.all(range) : folders.below({ ...range, path: prefix });
}

export async function readFolder({ context, id }: OperationCall<"readFolder">): Promise<Answer> {
  const row = await findFolder(context, id);
  return isRefused(row) ? row : makeDone(200, presentFolder(row));
}

export async function createFolder({ context, body }: OperationCall<"createFolder">): Promise<Answer> {
  const { tables, workspace } = context;
  await tables.lockStructure(workspace.seq);
  const parent = "path" in body ? null : await findTargetFolder(context, body.parentId);
  if (isRefused(parent)) return parent;
  const path = "path" in body ? body.path : joinPath(parent!.path, body.name);
  const names = path.split("/");
  const followedPath =
    parent === null ? await followFolders(context, names.slice(0, -1)) : { from: parent, missing: [] };
  if (isRefused(followedPath)) return followedPath;
  // The path of the parent and the new name are both legal, but the path of the new folder may be
  // too long.
  if (findLengthFault(path, "folder") !== null) return refuseTooLongPath("/name");
  if ((await tables.folders.byPath(workspace.seq, path)) !== undefined) return refuseOccupied(path);
  const parentFolder = await makeFolders(context, followedPath);
  if (isRefused(parentFolder)) return parentFolder;
  const newFolder = await makeFolder(context, parentFolder, names.at(-1)!);
  return isRefused(newFolder) ? newFolder : makeDone(201, presentFolder(newFolder));
}

function refuseTooLongPath(pointer: string): Refused {
  return refuseFields([{ code: "too_long", pointer, detail: pathLimitText("folder") }]);
}

export async function patchFolder({ context, id, body }: OperationCall<"patchFolder">): Promise<Answer> {
  await context.tables.lockStructure(context.workspace.seq);
  const row = await findWritableFolder(context, id);
  if (isRefused(row)) return row;
  const parent = await findNewParent(context, row, body);
  if (isRefused(parent)) return parent;
  if ("name" in body) return placeFolder(context, row, parent, body.name, "/name");
  return placeFolder(context, row, parent, row.name, "/parentId");
}

/**
 * ASSUMES: a request to move a folder below itself is answered 400 invalid_request (contract test
 * "refuses to move a folder below itself").
 */
async function placeFolder(
  context: RequestContext,
  row: FolderRow,
  parent: FolderPlace,
  name: string,
  pointer: string,
): Promise<Answer> {
  if (isWithin(parent.path, row.path)) {
    return refuseFields([{ code: "invalid_format", pointer, detail: "A folder cannot be moved below itself." }]);
  }
  const path = joinPath(parent.path, name);
  if (path === row.path) return makeDone(200, presentFolder(row));
  const { tables, workspace } = context;
  if ((await tables.folders.byPath(workspace.seq, path)) !== undefined) return refuseOccupied(path);
  await tables.lockTree(workspace.seq, row.path);
  const refusal = await refuseTooLongPaths(context, row, path, pointer);
  if (refusal !== null) return refusal;
  return moveProtected(context, await tables.files.protectedInTree(workspace.seq, row.path), async () => {
    await tables.folders.place(workspace.seq, row, { parent: parent.seq, name, path });
    await moveKeptGrants(context, row.path, path);
    const grantRefusal = await applyKeptGrants(context, path);
    if (grantRefusal !== null) return grantRefusal;
    return makeDone(200, presentFolder({ ...row, parent: parent.seq, parentId: parent.id, name, path }));
  });
}

async function refuseTooLongPaths(
  { tables, workspace }: RequestContext,
  row: FolderRow,
  path: string,
  pointer: string,
): Promise<Refused | null> {
  const { longest, slashes } = await tables.folders.extent(workspace.seq, row.path);
  const characters = countCharacters(longest) - countCharacters(row.path) + countCharacters(path);
  const nameCount = slashes - countSlashes(row.path) + countSlashes(path) + 1;
  return characters > MAX_PATH_CHARACTERS.folder || nameCount > MAX_PATH_NAMES.folder
    ? refuseTooLongPath(pointer)
    : null;
}

function countSlashes(path: string): number {
  return path.split("/").length - 1;
}

/**
 * ASSUMES: to delete a folder, a key needs edit access to all items below the folder. A folder with
 * a protected file below it cannot be deleted. The refusal is then `file_protected`, as for a
 * request to delete only that file (contract tests "refuses a recursive delete …").
 */
export async function deleteFolder({ context, id, query }: OperationCall<"deleteFolder">): Promise<Answer> {
  const { tables, workspace } = context;
  await tables.lockStructure(workspace.seq);
  const row = await findWritableFolder(context, id);
  if (isRefused(row)) return row;
  await tables.lockTree(workspace.seq, row.path);
  const isEmpty = await tables.folders.isEmpty(workspace.seq, row.seq);
  if (!isEmpty && !query.recursive)
    return refuse("folder_not_empty", "The folder still has contents; nothing was removed.");
  const refusal = isEmpty ? null : await refuseDeletionBelow(context, row);
  if (refusal !== null) return refusal;
  await keepGrants(context, await tables.grants.within(workspace.seq, row.path));
  await tables.folders.removeTree(workspace.seq, row);
  return DELETED_ANSWER;
}

/** Returns the refusal if an item below the folder cannot be deleted; otherwise null. */
async function refuseDeletionBelow(context: RequestContext, row: FolderRow): Promise<Refused | null> {
  const { tables, workspace } = context;
  if (!(await mayWriteBelow(context, row))) {
    return refuse("forbidden", "This key may not remove everything in the folder; nothing was removed.");
  }
  if (await tables.changes.treeHasReview(workspace.seq, row.path)) {
    return refuse("changes_in_review", "A file in the folder has changes in review; nothing was removed.");
  }
  if ((await tables.files.protectedInTree(workspace.seq, row.path)).length === 0) return null;
  return refuse("file_protected", "A file in the folder is protected; nothing was removed.");
}

async function mayWriteBelow({ tables, workspace, access }: RequestContext, row: FolderRow): Promise<boolean> {
  if (access.everywhere !== null) return true;
  const rangeBelow = { workspace: workspace.seq, path: row.path, after: 0, count: Number.MAX_SAFE_INTEGER };
  const folders = await tables.folders.below(rangeBelow);
  await access.loadAncestors([row.seq, ...folders.map(({ seq }) => seq)]);
  if (!folders.every(({ seq }) => includesLevel(access.folder(seq), "edit"))) return false;
  return (await tables.files.inTree(rangeBelow)).every((file) => includesLevel(access.file(file), "edit"));
}
