import { pathLengthFault, pathLimitText } from "../../contract/api/fields.ts";
import { pathSegments } from "../../contract/names.ts";
import { FOLDERS } from "../../contract/routes.ts";
import { includes } from "./access.ts";
import { type Answer, done, isRefused, type Refused, refuseFields } from "../requests/answer.ts";
import type { Call, RequestContext } from "../requests/context.ts";
import { type Selection, pageOf, type PageRequest, readPage, selectorOf } from "./lists.ts";
import {
  findFolder,
  findPlace,
  findRoute,
  makeFolder,
  makeFolders,
  occupied,
  type FolderPlace,
  pathIn,
} from "./place.ts";
import { presentFolder } from "./present.ts";
import { type FolderRow, ROOT } from "../store/rows.ts";

/** GET /v1/folders */
export async function listFolders(call: Call<"listFolders">): Promise<Answer> {
  const selector = selectorOf(call.query);
  const page = readPage(call, FOLDERS, selector);
  if (isRefused(page)) return page;
  const rows = await selectFolders(call, selector, page);
  if (isRefused(rows)) return rows;
  const { access } = call.context;
  const seqs = rows.map(({ seq }) => seq);
  await access.loadAncestors(seqs);
  const items = rows.map((row) => (includes(access.folder(row.seq), "read") ? presentFolder(row) : null));
  return pageOf(call.context, FOLDERS, page, seqs, items);
}

async function selectFolders(
  { context }: Call<"listFolders">,
  selector: Selection,
  page: PageRequest,
): Promise<readonly FolderRow[] | Refused> {
  const { workspace } = context;
  const { folders } = context.tables;
  const at = { workspace: workspace.seq, after: page.after, count: page.limit + 1 };
  switch (selector.kind) {
    case "none":
      return folders.inParent({ ...at, parent: ROOT });
    case "path-prefix":
      return selector.path === "" ? folders.all(at) : folders.below({ ...at, path: selector.path });
    case "parent-id": {
      const parent = await findFolder(context, selector.id);
      return isRefused(parent) ? parent : folders.inParent({ ...at, parent: parent.seq });
    }
    case "path": {
      const row = await folders.byPath(workspace.seq, selector.path);
      return row === undefined ? [] : [row];
    }
  }
}

/** GET /v1/folders/{id} */
export async function readFolder({ context, id }: Call<"readFolder">): Promise<Answer> {
  const row = await findFolder(context, id);
  return isRefused(row) ? row : done(200, presentFolder(row));
}

/** POST /v1/folders */
export async function createFolder({ context, body }: Call<"createFolder">): Promise<Answer> {
  return "path" in body ? createByPath(context, body.path) : createInParent(context, body);
}

async function createByPath(context: RequestContext, path: string): Promise<Answer> {
  const names = pathSegments(path);
  await context.tables.lockStructure(context.workspace.seq);
  const route = await findRoute(context, names.slice(0, -1));
  if (isRefused(route)) return route;
  if (await isTaken(context, path)) return occupied(path);
  const parent = await makeFolders(context, route);
  return isRefused(parent) ? parent : createIn(context, parent, names.at(-1)!);
}

async function isTaken({ tables, workspace }: RequestContext, path: string): Promise<boolean> {
  return (await tables.folders.byPath(workspace.seq, path)) !== undefined;
}

async function createInParent(
  context: RequestContext,
  { parentId, name }: { readonly parentId: string | null; readonly name: string },
): Promise<Answer> {
  await context.tables.lockStructure(context.workspace.seq);
  const parent = await findPlace(context, parentId);
  if (isRefused(parent)) return parent;
  const path = pathIn(parent, name);
  // The parent's path and one more name are legal alone, but together may be too long.
  if (pathLengthFault(path, "folder") !== null) return pathTooLong("/name");
  if (await isTaken(context, path)) return occupied(path);
  return createIn(context, parent, name);
}

async function createIn(context: RequestContext, parent: FolderPlace, name: string): Promise<Answer> {
  const made = await makeFolder(context, parent, name);
  return isRefused(made) ? made : done(201, presentFolder(made));
}

/** Returns the refusal of a folder whose path would be too long. */
export function pathTooLong(pointer: string): Refused {
  return refuseFields([{ code: "too_long", pointer, detail: pathLimitText("folder") }]);
}
