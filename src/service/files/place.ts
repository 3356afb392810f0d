import { joinPath, parentOf } from "../../contract/path.ts";
import { Access, findItemAt, includesLevel } from "./access.ts";
import { isRefused, type Refused, refuse, type Answer } from "../requests/answer.ts";
import { type RequestContext, newId } from "../requests/context.ts";
import { applyKeptGrants } from "../keys/kept-grants.ts";
import type { NewFilePlace } from "../store/files-table.ts";
import { type FileRow, type FolderRow, type GrantRow, type ItemRow, ROOT } from "../store/rows.ts";

/** A folder into which a file or folder can be put. The root has no id and an empty path. */
export type FolderPlace = { readonly seq: number; readonly id: string | null; readonly path: string };

const ROOT_PLACE: FolderPlace = { seq: ROOT, id: null, path: "" };

/** Returns the folder with this id; a refusal if it does not exist, or the key cannot read it. */
export async function findFolder(context: RequestContext, id: string): Promise<FolderRow | Refused> {
  const row = await context.tables.folders.byId(context.workspace.seq, id);
  if (row !== undefined && includesLevel(await context.access.levelOfFolder(row.seq), "read")) return row;
  return refuse("folder_not_found", "There is no such folder, or none that this key can read.");
}

/** Returns the file with this id; a refusal if it does not exist, or the key cannot read it. */
export async function findFile(context: RequestContext, id: string): Promise<FileRow | Refused> {
  const row = await context.tables.files.byId(context.workspace.seq, id);
  if (row !== undefined && includesLevel(await context.access.levelOfFile(row), "read")) return row;
  return refuseUnknownFile();
}

export function refuseUnknownFile(): Refused {
  return refuse("file_not_found", "There is no such file, or none that this key can read.");
}

/**
 * Returns the file with this id. The refusal is 404 if the key cannot read the file, and 403 if the
 * key can only read it.
 */
export async function findWritableFile(context: RequestContext, id: string): Promise<FileRow | Refused> {
  const row = await findFile(context, id);
  return isRefused(row) ? row : (findWriteRefusal(context, row) ?? row);
}

/**
 * Returns the refusal if the key may read a file but may not write to it; otherwise null. The
 * caller must first call `access.loadAncestors` with the folder of the file.
 */
export function findWriteRefusal({ access }: RequestContext, file: FileRow): Refused | null {
  if (includesLevel(access.file(file), "edit")) return null;
  return refuse("forbidden", "This key may read the file, but not write to it.");
}

export async function findWritableFolder(context: RequestContext, id: string): Promise<FolderRow | Refused> {
  const row = await findFolder(context, id);
  if (isRefused(row) || includesLevel(context.access.folder(row.seq), "edit")) return row;
  return refuse("forbidden", "This key may read the folder, but not write to it.");
}

/** Returns the folder with this id, or the root for null, if the key may write to the folder. */
export async function findTargetFolder(
  context: RequestContext,
  parentId: string | null,
): Promise<FolderPlace | Refused> {
  if (parentId !== null) return findWritableFolder(context, parentId);
  if (includesLevel(context.access.folder(ROOT), "edit")) return ROOT_PLACE;
  return refuse("forbidden", "This key may not write to the root.");
}

/** Returns the folder that contains an item after a rename, or after a move to another folder. */
export async function findNewParent(
  context: RequestContext,
  { parent, parentId, path }: ItemRow,
  change: { readonly name: string } | { readonly parentId: string | null },
): Promise<FolderPlace | Refused> {
  if ("name" in change) return { seq: parent, id: parentId, path: parentOf(path) };
  return findTargetFolder(context, change.parentId);
}

/** Returns the file or folder at a path; null if there is none that the key can read. */
export async function findReadableItem(context: RequestContext, path: string) {
  const item = await findItemAt(context, path);
  return item !== undefined && includesLevel(await context.access.levelOf(item), "read") ? item : null;
}

/** Deepest folder that exists on a path, and the names of the missing folders below it. */
type FollowedPath = { readonly from: FolderPlace; readonly missing: readonly string[] };

/**
 * Follows folder names from the root to the last folder that exists. Refuses the request if the key
 * may not write to that folder.
 */
export async function followFolders(
  context: RequestContext,
  names: readonly string[],
): Promise<FollowedPath | Refused> {
  const existingFolders = names.length === 0 ? [] : await context.tables.folders.along(context.workspace.seq, names);
  return makeFollowedPath(context, existingFolders.at(-1) ?? ROOT_PLACE, names.slice(existingFolders.length));
}

/**
 * Follows the folder names in the path of a new file. If folders are missing, first locks the
 * folder tree of the workspace, because another request may be creating the same folders.
 */
export async function followFoldersOfFile(
  context: RequestContext,
  path: string,
  { folder, folderId }: Pick<NewFilePlace, "folder" | "folderId">,
): Promise<FollowedPath | Refused> {
  const parent = parentOf(path);
  if (parent === "") return makeFollowedPath(context, ROOT_PLACE, []);
  if (folder !== null) return makeFollowedPath(context, { seq: folder, id: folderId, path: parent }, []);
  await context.tables.lockStructure(context.workspace.seq);
  return followFolders(context, parent.split("/"));
}

async function makeFollowedPath(
  context: RequestContext,
  from: FolderPlace,
  missing: readonly string[],
): Promise<FollowedPath | Refused> {
  if (includesLevel(await context.access.levelOfFolder(from.seq), "edit")) return { from, missing };
  return refuse("forbidden", "This key may not create anything at this path.");
}

export async function makeFolders(
  context: RequestContext,
  { from, missing }: FollowedPath,
): Promise<FolderPlace | Refused> {
  let currentFolder = from;
  for (const name of missing) {
    const newFolder = await makeFolder(context, currentFolder, name);
    if (isRefused(newFolder)) return newFolder;
    currentFolder = newFolder;
  }
  return currentFolder;
}

export async function makeFolder(
  context: RequestContext,
  parent: FolderPlace,
  name: string,
): Promise<FolderRow | Refused> {
  const path = joinPath(parent.path, name);
  const id = newId(context, "dir_");
  const workspace = context.workspace.seq;
  const seq = await context.tables.folders.insert({ workspace, id, parent: parent.seq, name, path });
  const refusal = await applyKeptGrants(context, path);
  if (refusal !== null) return refusal;
  return { seq, id, parent: parent.seq, parentId: parent.id, name, path };
}

export function refuseOccupied(path: string): Refused {
  return refuse("path_already_exists", `Something is already at /${path}; nothing was overwritten.`);
}

/**
 * Moves files, some of which are protected. Protection does not apply to keys with Full access to
 * the file. So a move that gives a key Full access would let that key bypass the protection. Only a
 * caller with Full access to the file may make such a move.
 * ASSUMES: for other callers, such a move is answered 403 forbidden (contract test "keeps review
 * protection from being moved away").
 * @param files protected files that move
 * @param move makes the move in the transaction of the request; a refusal rolls the move back
 */
export async function moveProtected(
  context: RequestContext,
  files: readonly FileRow[],
  move: () => Promise<Answer>,
): Promise<Answer> {
  const { access, tables, workspace } = context;
  await access.loadAncestors(files.map(({ parent }) => parent));
  const guardedFiles = files.filter((file) => !includesLevel(access.file(file), "full"));
  if (guardedFiles.length === 0) return move();
  // Only keys with a grant below the root are checked. Any other key has the same access to all
  // files, so a move does not change the access of such a key.
  const grantsByKey = [...Map.groupBy(await tables.grants.local(workspace.id), ({ key }) => key).values()];
  const fullAccessBefore: ReadonlySet<number>[] = [];
  for (const grants of grantsByKey) fullAccessBefore.push(await filesWithFullAccess(context, grants, guardedFiles));
  const answer = await move();
  if (answer.kind === "refused") return answer;
  const movedFiles = await tables.files.bySeqs(guardedFiles.map(({ seq }) => seq));
  for (const [index, grants] of grantsByKey.entries()) {
    const fullAccessAfter = await filesWithFullAccess(context, grants, movedFiles);
    const gainedFile = guardedFiles.find(({ seq }) => fullAccessAfter.has(seq) && !fullAccessBefore[index]!.has(seq));
    if (gainedFile === undefined) continue;
    const detail = `${gainedFile.path} is protected: this move would lift its protection and needs Full access to it.`;
    return refuse("forbidden", detail);
  }
  return answer;
}

async function filesWithFullAccess(
  { tables }: RequestContext,
  grants: readonly GrantRow[],
  files: readonly FileRow[],
): Promise<ReadonlySet<number>> {
  const access = new Access(grants, tables.folders);
  await access.loadAncestors(files.map(({ parent }) => parent));
  return new Set(files.flatMap((file) => (includesLevel(access.file(file), "full") ? [file.seq] : [])));
}
