import { countCharacters, MAX_PATH_CHARACTERS, MAX_PATH_NAMES } from "../../contract/limits.ts";
import { parentOf } from "../../contract/path.ts";
import { includes } from "./access.ts";
import { type Answer, DELETED, done, isRefused, type Refused, refuse, refuseFields } from "../requests/answer.ts";
import type { Call, RequestContext } from "../requests/context.ts";
import { pathTooLong } from "./folders.ts";
import type { FolderRow } from "../store/rows.ts";
import { applyKeptGrants, keepGrants, moveKeptGrants } from "../keys/kept-grants.ts";
import { findPlace, findWritableFolder, occupied, type FolderPlace, pathIn, moveProtected } from "./place.ts";
import { presentFolder } from "./present.ts";

/** PATCH /v1/folders/{id}. Requests have the same form as those of PATCH /v1/files/{id}. */
export async function patchFolder({ context, id, body }: Call<"patchFolder">): Promise<Answer> {
  await context.tables.lockStructure(context.workspace.seq);
  const row = await findWritableFolder(context, id);
  if (isRefused(row)) return row;
  if ("name" in body) {
    const parent = { seq: row.parent, id: row.parentId, path: parentOf(row.path) };
    return placeFolder(context, row, parent, body.name, "/name");
  }
  const parent = await findPlace(context, body.parentId);
  return isRefused(parent) ? parent : placeFolder(context, row, parent, row.name, "/parentId");
}

/**
 * Renames or moves a folder.
 * ASSUMES: a move of a folder below itself is answered 400 invalid_request (contract test "refuses
 * to move a folder below itself").
 */
async function placeFolder(
  context: RequestContext,
  row: FolderRow,
  parent: FolderPlace,
  name: string,
  pointer: string,
): Promise<Answer> {
  if (parent.path === row.path || parent.path.startsWith(`${row.path}/`)) {
    return refuseFields([{ code: "invalid_format", pointer, detail: "A folder cannot be moved below itself." }]);
  }
  const path = pathIn(parent, name);
  if (path === row.path) return done(200, presentFolder(row));
  const { tables, workspace } = context;
  if ((await tables.folders.byPath(workspace.seq, path)) !== undefined) return occupied(path);
  await tables.lockTree(workspace.seq, row.path);
  const refusal = await tooLongBelow(context, row, path, pointer);
  if (refusal !== null) return refusal;
  return moveProtected(context, await tables.files.protectedInTree(workspace.seq, row.path), async () => {
    await tables.folders.place(workspace.seq, row, { parent: parent.seq, name, path });
    await moveKeptGrants(context, row.path, path);
    const refused = await applyKeptGrants(context, path);
    if (refused !== null) return refused;
    return done(200, presentFolder({ ...row, parent: parent.seq, parentId: parent.id, name, path }));
  });
}

async function tooLongBelow(
  { tables, workspace }: RequestContext,
  row: FolderRow,
  path: string,
  pointer: string,
): Promise<Refused | null> {
  const below = await tables.folders.extentBelow(workspace.seq, row.path);
  const longest = below?.longest ?? row.path;
  const deepest = below?.slashes ?? slashes(row.path);
  const characters = countCharacters(longest) - countCharacters(row.path) + countCharacters(path);
  const names = deepest - slashes(row.path) + slashes(path) + 1;
  return characters > MAX_PATH_CHARACTERS.folder || names > MAX_PATH_NAMES.folder ? pathTooLong(pointer) : null;
}

function slashes(path: string): number {
  return path.split("/").length - 1;
}

/**
 * DELETE /v1/folders/{id}[?recursive=true].
 * ASSUMES: the key needs edit access to everything below the folder. A protected file below the
 * folder is refused with `file_protected`, as if the file were deleted alone (contract tests
 * "refuses a recursive delete …").
 */
export async function deleteFolder({ context, id, query }: Call<"deleteFolder">): Promise<Answer> {
  const { tables, workspace } = context;
  await tables.lockStructure(workspace.seq);
  const row = await findWritableFolder(context, id);
  if (isRefused(row)) return row;
  await tables.lockTree(workspace.seq, row.path);
  const empty = await tables.folders.isEmpty(workspace.seq, row.seq);
  if (!empty && !query.recursive)
    return refuse("folder_not_empty", "The folder still has contents; nothing was removed.");
  const kept = empty ? null : await keptBelow(context, row);
  if (kept !== null) return kept;
  await keepGrants(context, await tables.grants.within(workspace.seq, row.path));
  await tables.folders.removeTree(workspace.seq, row);
  return DELETED;
}

/**
 * Returns the reason why an item below the folder cannot be deleted; null if all can be deleted.
 */
async function keptBelow(context: RequestContext, row: FolderRow): Promise<Refused | null> {
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
  const all = { workspace: workspace.seq, path: row.path, after: 0, count: Number.MAX_SAFE_INTEGER };
  const folders = await tables.folders.below(all);
  await access.loadAncestors([row.seq, ...folders.map(({ seq }) => seq)]);
  if (!folders.every(({ seq }) => includes(access.folder(seq), "edit"))) return false;
  return (await tables.files.inTree(all)).every((file) => includes(access.file(file), "edit"));
}
