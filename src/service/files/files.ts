import { nameOf } from "../../contract/path.ts";
import { FILES } from "../../contract/routes.ts";
import { includesLevel } from "./access.ts";
import { type Answer, makeDone, makeDoneFromJson, isRefused } from "../requests/answer.ts";
import { type OperationCall, newId } from "../requests/context.ts";
import type { FileRow, RowRange } from "../store/rows.ts";
import { applyKeptGrants } from "../keys/kept-grants.ts";
import { answerList } from "./lists.ts";
import {
  findTargetFolder,
  followFoldersOfFile,
  makeFolders,
  refuseUnknownFile,
  refuseOccupied,
  joinFolderPath,
} from "./place.ts";
import { judgeLinks } from "./judge-links.ts";
import { makeFileJson, presentFile } from "./present.ts";

export function listFiles(call: OperationCall<"listFiles">): Promise<Answer> {
  const { access } = call.context;
  return answerList(call, FILES, {
    select: (range) => selectFiles(call, range),
    folderOf: ({ folder }) => folder,
    show: (row) => (includesLevel(access.file(row), "read") ? presentFile(row) : null),
  });
}

async function selectFiles(
  { context, query }: OperationCall<"listFiles">,
  range: RowRange,
): Promise<readonly FileRow[]> {
  const { files, folders } = context.tables;
  const { path, path_prefix: prefix, parent_id: parentId } = query;
  if (path !== undefined) {
    const row = await files.byPath(range.workspace, path);
    return row === undefined ? [] : [row];
  }
  if (parentId !== undefined) {
    const folder = await folders.byId(range.workspace, parentId);
    return folder === undefined ? [] : files.inFolder({ ...range, folder: folder.seq });
  }
  return prefix === undefined || prefix === "" ? files.all(range) : files.inTree({ ...range, path: prefix });
}

export async function readFile({ context, id }: OperationCall<"readFile">): Promise<Answer> {
  const shownFile = await context.tables.files.shown(context.workspace.seq, id, makeFileJson);
  if (shownFile === undefined || !includesLevel(await context.access.levelOfFile(shownFile.row), "read"))
    return refuseUnknownFile();
  return makeDoneFromJson(200, shownFile.json);
}

/**
 * ASSUMES: a request that creates a file by its path also creates the missing folders (contract
 * test "creates a file by path with its missing folders").
 */
export async function createFile({ context, body }: OperationCall<"createFile">): Promise<Answer> {
  const { tables, workspace } = context;
  const parent = "path" in body ? null : await findTargetFolder(context, body.parentId);
  if (isRefused(parent)) return parent;
  const path = "path" in body ? body.path : joinFolderPath(parent!, body.name);
  const place = await tables.files.placeFor(workspace.seq, path);
  const route = parent === null ? await followFoldersOfFile(context, path, place) : { from: parent, missing: [] };
  if (isRefused(route)) return route;
  const linkRefusal = await judgeLinks(context, body.content);
  if (linkRefusal !== null) return linkRefusal;
  if (place.isTaken === 1 && route.missing.length === 0) return refuseOccupied(path);
  const hasKeptGrants = place.hasKeptGrants === 1;
  if (hasKeptGrants) await tables.lockStructure(workspace.seq);
  const folder = await makeFolders(context, route);
  if (isRefused(folder)) return folder;
  const [id, changeId] = [newId(context, "doc_"), newId(context, "chg_")];
  const newFile = { workspace: workspace.seq, id, folder, name: nameOf(path) };
  await tables.files.insert({ ...newFile, changeId, text: body.content, at: context.now() }, hasKeptGrants);
  const refusal = hasKeptGrants ? await applyKeptGrants(context, path) : null;
  if (refusal !== null) return refusal;
  return makeDone(201, presentFile({ id, path, folderId: folder.id, protected: 0, changeId }));
}
