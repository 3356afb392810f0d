import { findLengthFault, pathLimitText } from "../../contract/api/fields.ts";
import { FOLDERS } from "../../contract/routes.ts";
import { includesLevel } from "./access.ts";
import { type Answer, makeDone, isRefused, type Refused, refuseFields } from "../requests/answer.ts";
import type { OperationCall } from "../requests/context.ts";
import { answerList } from "./lists.ts";
import {
  findFolder,
  findTargetFolder,
  followFolders,
  makeFolder,
  makeFolders,
  refuseOccupied,
  joinFolderPath,
} from "./place.ts";
import { presentFolder } from "./present.ts";
import { type FolderRow, ROOT, type RowRange } from "../store/rows.ts";

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
  const path = "path" in body ? body.path : joinFolderPath(parent!, body.name);
  const names = path.split("/");
  const route = parent === null ? await followFolders(context, names.slice(0, -1)) : { from: parent, missing: [] };
  if (isRefused(route)) return route;
  // The path of the parent and the new name are both legal, but the path made of them may be too
  // long.
  if (findLengthFault(path, "folder") !== null) return refuseTooLongPath("/name");
  if ((await tables.folders.byPath(workspace.seq, path)) !== undefined) return refuseOccupied(path);
  const parentFolder = await makeFolders(context, route);
  if (isRefused(parentFolder)) return parentFolder;
  const newFolder = await makeFolder(context, parentFolder, names.at(-1)!);
  return isRefused(newFolder) ? newFolder : makeDone(201, presentFolder(newFolder));
}

export function refuseTooLongPath(pointer: string): Refused {
  return refuseFields([{ code: "too_long", pointer, detail: pathLimitText("folder") }]);
}
