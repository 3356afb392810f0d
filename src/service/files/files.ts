import { pathSegments } from "../../contract/names.ts";
import { FILES } from "../../contract/routes.ts";
import { includes } from "./access.ts";
import { type Answer, done, doneAsWritten, isRefused, type Refused } from "../requests/answer.ts";
import { type Call, newId, type RequestContext } from "../requests/context.ts";
import type { PlaceFor } from "../store/files-table.ts";
import type { FileRow, RowRange } from "../store/rows.ts";
import { applyKeptGrants } from "../keys/kept-grants.ts";
import { answerList } from "./lists.ts";
import { findRouteOfFile, makeFolders, noFile, occupied, pathIn, routeIn, type FollowedPath } from "./place.ts";
import { judgeLinks } from "./judge-links.ts";
import { fileWithContentJson, presentFile } from "./present.ts";

/** GET /v1/files */
export function listFiles(call: Call<"listFiles">): Promise<Answer> {
  const { access } = call.context;
  return answerList(call, FILES, {
    select: (range) => selectFiles(call, range),
    folderOf: ({ folder }) => folder,
    show: (row) => (includes(access.file(row), "read") ? presentFile(row) : null),
  });
}

async function selectFiles({ context, query }: Call<"listFiles">, range: RowRange): Promise<readonly FileRow[]> {
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

/** GET /v1/files/{id} */
export async function readFile({ context, id }: Call<"readFile">): Promise<Answer> {
  const found = await context.tables.files.shown(context.workspace.seq, id, fileWithContentJson);
  if (found === undefined || !includes(await context.access.levelOfFile(found.row), "read")) return noFile();
  return doneAsWritten(200, found.json);
}

/** POST /v1/files */
export async function createFile({ context, body }: Call<"createFile">): Promise<Answer> {
  const { content } = body;
  const { tables, workspace } = context;
  const target = await ("path" in body ? targetAt(context, body.path) : targetIn(context, body));
  if (isRefused(target)) return target;
  const lost = await judgeLinks(context, content);
  if (lost !== null) return lost;
  const { route, name } = target;
  const { isTaken, hasKeptGrants } = target.place;
  const path = pathIn(route.from, [...route.missing, name].join("/"));
  if (isTaken === 1 && route.missing.length === 0) return occupied(path);
  if (hasKeptGrants === 1) await tables.lockStructure(workspace.seq);
  const folder = await makeFolders(context, route);
  if (isRefused(folder)) return folder;
  const [id, changeId] = [newId(context, "doc_"), newId(context, "chg_")];
  const placed = { workspace: workspace.seq, id, folder, name };
  await tables.files.insert({ ...placed, changeId, text: content, at: context.now() }, hasKeptGrants === 1);
  const refused = hasKeptGrants === 1 ? await applyKeptGrants(context, path) : null;
  if (refused !== null) return refused;
  return done(201, presentFile({ id, path, folderId: folder.id, protected: 0, changeId }));
}

type Target = { readonly route: FollowedPath; readonly name: string; readonly place: PlaceFor };

/**
 * Returns the folder for a new file. ASSUMES: creating by path makes the missing folders (contract
 * test "creates a file by path with its missing folders").
 */
async function targetAt(context: RequestContext, path: string): Promise<Target | Refused> {
  const names = pathSegments(path);
  const place = await context.tables.files.placeFor(context.workspace.seq, path);
  const route = await findRouteOfFile(context, names.slice(0, -1), place);
  return isRefused(route) ? route : { route, name: names.at(-1)!, place };
}

async function targetIn(
  context: RequestContext,
  { parentId, name }: { readonly parentId: string | null; readonly name: string },
): Promise<Target | Refused> {
  const route = await routeIn(context, parentId);
  if (isRefused(route)) return route;
  const place = await context.tables.files.placeFor(context.workspace.seq, pathIn(route.from, name));
  return { route, name, place };
}
