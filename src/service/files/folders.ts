import type { JsonObject } from "../../contract/json.ts";
import { pathSegments } from "../../contract/names.ts";
import { FOLDERS } from "../../contract/routes.ts";
import { includes } from "./access.ts";
import { type Answer, done, isRefused, type Refused, refuseFields } from "../requests/answer.ts";
import { type Member, memberErrors, readObject } from "../requests/body.ts";
import type { Call, RequestContext } from "../requests/context.ts";
import { pathTooLong, readName, readParent, readPath, readPathId } from "../requests/input.ts";
import { type Chosen, envelope, type PageRequest, readPage, readSelector } from "./lists.ts";
import { findFolder, findPlace, findRoute, makeFolder, makeFolders, occupied, type Place, pathIn } from "./place.ts";
import { presentFolder } from "./present.ts";
import { type FolderRow, ROOT } from "../store/rows.ts";

/**
 * GET /v1/folders
 * ASSUMES: it takes the parameters of the list of files, and answers a page in the same way
 * (contract tests of folders).
 */
export async function listFolders(call: Call): Promise<Answer> {
  const selector = readSelector(call, "folder");
  if (isRefused(selector)) return selector;
  const page = readPage(call, FOLDERS, selector);
  if (isRefused(page)) return page;
  const rows = await selectFolders(call, selector, page);
  if (isRefused(rows)) return rows;
  await call.context.access.know(rows.map(({ seq }) => seq));
  const readable = (row: FolderRow) => includes(call.context.access.folder(row.seq), "read");
  return done(200, envelope(call, FOLDERS, page, rows, readable, presentFolder));
}

async function selectFolders(
  { context }: Call,
  selector: Chosen,
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
export async function readFolder(call: Call): Promise<Answer> {
  const id = readPathId(call, "dir_");
  if (isRefused(id)) return id;
  const row = await findFolder(call.context, id);
  return isRefused(row) ? row : done(200, presentFolder(row));
}

const REQUIRED: Member = { type: "string", required: true };
const BY_PATH = { path: REQUIRED };
const IN_PARENT = { parentId: { type: "string-or-null", required: true }, name: REQUIRED } as const;

/** POST /v1/folders */
export async function createFolder(call: Call): Promise<Answer> {
  const members = readObject(call.body);
  if (isRefused(members)) return members;
  const byPath = Object.hasOwn(members, "path");
  if (byPath && (Object.hasOwn(members, "parentId") || Object.hasOwn(members, "name"))) {
    const detail = "A folder is created by path, or by parentId and name, not by both.";
    return refuseFields([{ code: "mutually_exclusive", pointer: "/path", detail }]);
  }
  const errors = memberErrors(members, byPath ? BY_PATH : IN_PARENT);
  if (errors.length > 0) return refuseFields(errors);
  return byPath ? createByPath(call.context, members["path"] as string) : createInParent(call.context, members);
}

async function createByPath(context: RequestContext, sent: string): Promise<Answer> {
  const path = readPath(sent, "folder", "/path");
  if (isRefused(path)) return path;
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

async function createInParent(context: RequestContext, members: JsonObject): Promise<Answer> {
  const name = readName(members["name"] as string, "folder", "/name");
  if (isRefused(name)) return name;
  const parentId = readParent(context, members["parentId"] as string | null);
  if (isRefused(parentId)) return parentId;
  await context.tables.lockStructure(context.workspace.seq);
  const parent = await findPlace(context, parentId);
  if (isRefused(parent)) return parent;
  const path = pathIn(parent, name);
  // The parent's path and one more name: each is legal, but together they may be too long.
  if (isRefused(readPath(path, "folder", "/name"))) return pathTooLong("folder", "/name");
  if (await isTaken(context, path)) return occupied(path);
  return createIn(context, parent, name);
}

async function createIn(context: RequestContext, parent: Place, name: string): Promise<Answer> {
  const made = await makeFolder(context, parent, name);
  return isRefused(made) ? made : done(201, presentFolder(made));
}
