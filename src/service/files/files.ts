import type { JsonObject } from "../../contract/json.ts";
import { pathSegments } from "../../contract/names.ts";
import { FILES } from "../../contract/routes.ts";
import { includes } from "./access.ts";
import {
  type Answer,
  done,
  doneAsWritten,
  doneInParts,
  isRefused,
  type Refused,
  refuseFields,
} from "../requests/answer.ts";
import { type Member, memberErrors, readObject } from "../requests/body.ts";
import { type Call, newId, type RequestContext } from "../requests/context.ts";
import type { FileRow } from "../store/rows.ts";
import { holdKeptGrants } from "../keys/kept-grants.ts";
import { readContent, readName, readParent, readPath, readPathId } from "../requests/input.ts";
import { type Chosen, envelope, type PageRequest, readPage, readSelector, writtenEnvelope } from "./lists.ts";
import { findPlace, findRouteToMake, makeFolders, noFile, occupied, pathIn, type Place, type Route } from "./place.ts";
import { judgeLinks } from "./judge-links.ts";
import { fileJson, withContentJson, presentFile } from "./present.ts";
import type { Page } from "../store/tables.ts";

/** GET /v1/files */
export async function listFiles(call: Call): Promise<Answer> {
  const selector = readSelector(call, "file");
  if (isRefused(selector)) return selector;
  const page = readPage(call, FILES, selector);
  if (isRefused(page)) return page;
  const { context } = call;
  const { files } = context.tables;
  if (isOfAll(selector) && files.allShown !== undefined && readsAll(context)) {
    const shown = await files.allShown(rangeOf(context, page), fileJson);
    return doneInParts(200, writtenEnvelope(call, FILES, page, shown));
  }
  const rows = await selectFiles(context, selector, page);
  await context.access.know(rows.map(({ folder }) => folder));
  const readable = (row: FileRow) => includes(context.access.file(row), "read");
  return done(200, envelope(call, FILES, page, rows, readable, presentFile));
}

function isOfAll(selector: Chosen): boolean {
  return selector.kind === "none" || (selector.kind === "path-prefix" && selector.path === "");
}

function readsAll({ access }: RequestContext): boolean {
  return access.everywhere !== null && includes(access.everywhere, "read");
}

/** One row more than the page has tells whether it is the last. */
function rangeOf({ workspace }: RequestContext, { after, limit }: PageRequest): Page {
  return { workspace: workspace.seq, after, count: limit + 1 };
}

async function selectFiles(context: RequestContext, selector: Chosen, page: PageRequest): Promise<readonly FileRow[]> {
  const { tables, workspace } = context;
  const at = rangeOf(context, page);
  switch (selector.kind) {
    case "none":
      return tables.files.all(at);
    case "path-prefix":
      return selector.path === "" ? tables.files.all(at) : tables.files.inTree({ ...at, path: selector.path });
    case "parent-id": {
      const folder = await tables.folders.byId(workspace.seq, selector.id);
      return folder === undefined ? [] : tables.files.inFolder({ ...at, folder: folder.seq });
    }
    case "path": {
      const row = await tables.files.byPath(workspace.seq, selector.path);
      return row === undefined ? [] : [row];
    }
  }
}

/** GET /v1/files/{id} */
export async function readFile({ context, id: sent }: Call): Promise<Answer> {
  const id = readPathId({ context, id: sent }, "doc_");
  if (isRefused(id)) return id;
  const found = await context.tables.files.withText(context.workspace.seq, id, fileJson);
  if (found === undefined || !includes(await context.access.levelOfFile(found.row), "read")) return noFile();
  return doneAsWritten(200, withContentJson(found.shown, found.json));
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
export async function createFile(call: Call): Promise<Answer> {
  const members = readShape(call);
  if (isRefused(members)) return members;
  const content = readContent(members["content"] as string);
  const target = await (typeof members["path"] === "string"
    ? routeOf(call.context, members["path"])
    : folderOf(call.context, members));
  // An invalid path is reported first: content can only be judged for a file.
  if (isRefused(target)) return target;
  if (isRefused(content)) return content;
  const { context } = call;
  const lost = await judgeLinks(context, content);
  if (lost !== null) return lost;
  const { route, name } = target;
  const path = pathIn(route.from, [...route.missing, name].join("/"));
  const { files } = context.tables;
  if (route.missing.length === 0 && (await files.byName(context.workspace.seq, route.from.seq, name)) !== undefined) {
    return occupied(path);
  }
  const folder = await makeFolders(context, route);
  if (isRefused(folder)) return folder;
  const row = await insertFile(context, folder, name, content);
  return isRefused(row) ? row : done(201, presentFile(row));
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
async function routeOf(context: RequestContext, sent: string): Promise<Target | Refused> {
  const path = readPath(sent, "file", "/path");
  if (isRefused(path)) return path;
  const names = pathSegments(path);
  const route = await findRouteToMake(context, names.slice(0, -1));
  return isRefused(route) ? route : { route, name: names.at(-1)! };
}

async function folderOf(context: RequestContext, members: JsonObject): Promise<Target | Refused> {
  const name = readName(members["name"] as string, "file", "/name");
  if (isRefused(name)) return name;
  const parentId = readParent(context, members["parentId"] as string | null);
  if (isRefused(parentId)) return parentId;
  const from = await findPlace(context, parentId);
  return isRefused(from) ? from : { route: { from, missing: [] }, name };
}

async function insertFile(
  context: RequestContext,
  folder: Place,
  name: string,
  text: string,
): Promise<FileRow | Refused> {
  const id = newId(context, "doc_");
  const changeId = newId(context, "chg_");
  const placed = { workspace: context.workspace.seq, folder: folder.seq, name };
  const seq = await context.tables.files.insert({ ...placed, id, changeId, text, at: context.now() });
  const path = pathIn(folder, name);
  const refused = await holdKeptGrants(context, path);
  if (refused !== null) return refused;
  return { seq, id, folder: folder.seq, folderId: folder.id, name, path, protected: 0, changeId };
}
