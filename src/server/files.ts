import type { JsonObject } from "../contract/json.ts";
import { pathSegments } from "../contract/names.ts";
import { FILES } from "../contract/routes.ts";
import { includes } from "./access.ts";
import { type Answer, done, isRefused, type Refused, refuseFields } from "./answer.ts";
import { type Member, memberErrors, readObject } from "./body.ts";
import { type Call, newId, type RequestContext } from "./context.ts";
import type { FileRow } from "./files-table.ts";
import { holdKeptGrants } from "./kept-grants.ts";
import { readContent, readName, readParent, readPath, readPathId } from "./input.ts";
import { type Chosen, envelope, type PageRequest, readPage, readSelector } from "./lists.ts";
import { findFile, findPlace, findRoute, makeFolders, occupied, pathIn, type Place, type Route } from "./place.ts";
import { presentFile, presentWithContent } from "./present.ts";

/** GET /v1/files */
export function listFiles(call: Call): Answer {
  const selector = readSelector(call, "file");
  if (isRefused(selector)) return selector;
  const page = readPage(call, FILES, selector);
  if (isRefused(page)) return page;
  const { context } = call;
  const readable = (row: FileRow) => includes(context.access.file(row), "read");
  return done(200, envelope(call, FILES, page, selectFiles(context, selector, page), readable, presentFile));
}

function selectFiles({ store, workspace }: RequestContext, selector: Chosen, page: PageRequest): readonly FileRow[] {
  const at = { workspace: workspace.seq, after: page.after, count: page.limit + 1 };
  switch (selector.kind) {
    case "none":
      return store.files.all(at);
    case "path-prefix":
      return selector.path === "" ? store.files.all(at) : store.files.inTree({ ...at, path: selector.path });
    case "parent-id": {
      const folder = store.folders.byId(workspace.seq, selector.id);
      return folder === undefined ? [] : store.files.inFolder({ ...at, folder: folder.seq });
    }
    case "path": {
      const row = fileAt(store, workspace.seq, selector.path);
      return row === undefined ? [] : [row];
    }
  }
}

function fileAt(store: RequestContext["store"], workspace: number, path: string): FileRow | undefined {
  const cut = path.lastIndexOf("/");
  if (cut < 0) return store.files.byName(workspace, 0, path);
  const folder = store.folders.byPath(workspace, path.slice(0, cut));
  return folder && store.files.byName(workspace, folder.seq, path.slice(cut + 1));
}

/** GET /v1/files/{id} */
export function readFile(call: Call): Answer {
  const id = readPathId(call, "doc_");
  if (isRefused(id)) return id;
  const row = findFile(call.context, id);
  if (isRefused(row)) return row;
  return done(200, presentWithContent(row, call.context.store.changes.text(row.changeId)));
}

const REQUIRED: Member = { type: "string", required: true };
const BY_PATH = { path: REQUIRED, content: REQUIRED };
const IN_FOLDER = { parentId: { type: "string-or-null", required: true }, name: REQUIRED, content: REQUIRED } as const;

/**
 * POST /v1/files
 * ASSUMES: every member of a shape is required, an empty `content` is legal, and `parentId: null`
 * is the root (contract tests "names each bad field", "creates an empty file", "creates a file in
 * the root by parentId null").
 */
export function createFile(call: Call): Answer {
  const members = readShape(call);
  if (isRefused(members)) return members;
  const content = readContent(members["content"] as string);
  const target =
    typeof members["path"] === "string" ? routeOf(call.context, members["path"]) : folderOf(call.context, members);
  // An invalid path is reported first: content can only be judged for a file.
  if (isRefused(target)) return target;
  if (isRefused(content)) return content;
  const { context } = call;
  const { route, name } = target;
  const path = pathIn(route.from, [...route.missing, name].join("/"));
  if (route.missing.length === 0 && context.store.files.byName(context.workspace.seq, route.from.seq, name)) {
    return occupied(path);
  }
  const folder = makeFolders(context, route);
  return done(201, presentFile(insertFile(context, folder, name, content)));
}

function readShape(call: Call): JsonObject | Refused {
  const members = readObject(call.body);
  if (isRefused(members)) return members;
  const byPath = Object.hasOwn(members, "path");
  if (byPath && (Object.hasOwn(members, "parentId") || Object.hasOwn(members, "name"))) {
    const detail = "A file is created by path, or by parentId and name, not by both.";
    return refuseFields([{ code: "mutually_exclusive", pointer: "/path", detail }]);
  }
  const errors = memberErrors(members, byPath ? BY_PATH : IN_FOLDER);
  return errors.length > 0 ? refuseFields(errors) : members;
}

type Target = { readonly route: Route; readonly name: string };

/**
 * ASSUMES: creating by path makes the missing folders (contract test "creates a file by path with
 * its missing folders").
 */
function routeOf(context: RequestContext, sent: string): Target | Refused {
  const path = readPath(sent, "file", "/path");
  if (isRefused(path)) return path;
  const names = pathSegments(path);
  const route = findRoute(context, names.slice(0, -1));
  return isRefused(route) ? route : { route, name: names.at(-1)! };
}

function folderOf(context: RequestContext, members: JsonObject): Target | Refused {
  const name = readName(members["name"] as string, "file", "/name");
  if (isRefused(name)) return name;
  const parentId = readParent(context, members["parentId"] as string | null);
  if (isRefused(parentId)) return parentId;
  const from = findPlace(context, parentId);
  return isRefused(from) ? from : { route: { from, missing: [] }, name };
}

function insertFile(context: RequestContext, folder: Place, name: string, text: string): FileRow {
  const id = newId(context, "doc_");
  const changeId = newId(context, "chg_");
  const seq = context.store.files.insert(context.workspace.seq, id, folder.seq, name, changeId);
  context.store.changes.insert({ id: changeId, file: seq, baseId: null, status: "saved", text, at: context.now() });
  const path = pathIn(folder, name);
  holdKeptGrants(context, path);
  return { seq, id, folder: folder.seq, folderId: folder.id, name, path, protected: 0, changeId };
}
