import type { WireRequest, WireResponse } from "../../src/contract/wire.ts";
import { isJsonObject, type JsonObject } from "../../src/contract/json.ts";
import { splitPath } from "../../src/contract/names.ts";
import { refuse, type Refused, toWire } from "../../src/service/requests/answer.ts";
import { splitRequestTarget } from "../../src/service/requests/router.ts";
import type { Ask, Variant, VariantState } from "./variant.ts";

/**
 * Ids of another form than the service's own: each gets some more letters. Ids that have them
 * already stay the same, as do requests without them.
 */

const MORE = "looser";
const STRICT = /"((?:doc|dir|chg)_[a-z0-9]{14})"/g;
const LOOSE = new RegExp(`((?:doc|dir|chg)_[a-z0-9]{14})${MORE}`, "g");

/**
 * Adds the letters to all ids.
 * @param json an answer of the service
 */
function loosenIds(json: string): string {
  return json.replace(STRICT, `"$1${MORE}"`);
}

/** Returns a service whose ids have this form for all its clients. */
export function loosenService(answer: (request: WireRequest) => WireResponse): (request: WireRequest) => WireResponse {
  return (request) => {
    const body = request.body === null ? null : tightenIds(request.body);
    const response = answer({ ...request, path: tightenIds(request.path), body });
    return { ...response, body: loosenIds(response.body) };
  };
}

/**
 * Removes the letters from all ids.
 * @param text path or body of a client's request
 */
export function tightenIds(text: string): string {
  return text.replace(LOOSE, "$1");
}

/** The part of a variant that handles requests: changes them, or answers them itself. */

export const REQUEST_ID = "req_variant";
export const DOCS_BASE = "https://mdmirror.invalid/docs";

const EMPTY_PAGE = "emp_";
const RENAMED = /-r\d+$/;

/** Returns the response with another body. */
export function withBody({ status, headers }: WireResponse, body: object): WireResponse {
  return { status, headers, body: JSON.stringify(body) };
}

/** Returns the request for the service, or the variant's own answer. */
export async function shapeRequest(
  request: WireRequest,
  variant: Variant,
  ask: Ask,
): Promise<WireRequest | WireResponse> {
  const { path } = splitRequestTarget(request.path);
  if (
    variant.noFolderPatchOrDelete !== undefined &&
    /^(PATCH|DELETE) \/v1\/folders\//.test(`${request.method} ${path}`)
  ) {
    return noSuchMethod(variant.noFolderPatchOrDelete);
  }
  if (request.method === "GET" && variant.noTree && asksForTree(request)) return noTree();
  if (request.method === "GET" && variant.maxPageSize !== undefined && /^\/v1\/(files|folders)$/.test(path)) {
    return shortPage(request, { ...variant, maxPageSize: variant.maxPageSize }, ask);
  }
  const members = readMembers(request.body);
  return members === null ? request : shapeRequestBody(request, members, variant, ask);
}

function asksForTree(request: WireRequest): boolean {
  return new URLSearchParams(splitRequestTarget(request.path).query).get("path_prefix") === "/";
}

function noTree(): WireResponse {
  const detail = "path_prefix: the name is empty.";
  const error = { code: "invalid_name", pointer: "/path_prefix", detail } as const;
  return toWire(refuse("invalid_request", detail, [error]), REQUEST_ID, DOCS_BASE);
}

async function shapeRequestBody(
  request: WireRequest,
  members: JsonObject,
  variant: Variant,
  ask: Ask,
): Promise<WireRequest | WireResponse> {
  const refused = refuseMembers(members, variant);
  if (refused !== null) return toWire(refused, REQUEST_ID, DOCS_BASE);
  const { path, content, baseChangeId } = members;
  if (variant.noCreateFolders && typeof path === "string" && !(await hasParent(path, ask))) {
    return toWire(refuse("folder_not_found", "The parent folder is not there."), REQUEST_ID, DOCS_BASE);
  }
  const changed = {
    ...members,
    ...(variant.normalise && typeof content === "string" ? { content: normaliseText(content) } : {}),
    ...(typeof baseChangeId === "string" ? { baseChangeId: baseChangeId.replace(RENAMED, "") } : {}),
  };
  return { ...request, body: JSON.stringify(changed) };
}

/** Returns the refusal of a body that only the variant refuses; null if it accepts the body. */
function refuseMembers({ parentId, path, name }: JsonObject, variant: Variant): Refused | null {
  if (variant.noMoveToRoot && parentId === null) {
    const detail = "parentId must be a folder id.";
    return refuse("invalid_request", detail, [{ code: "wrong_type", pointer: "/parentId", detail }]);
  }
  const [pointer, named] = typeof name === "string" ? ["/name", name] : ["/path", path];
  if (typeof named !== "string" || !holdsOneOf(named, variant.refusedCharacters ?? "")) return null;
  const detail = "The name holds a shell metacharacter.";
  return refuse("invalid_request", detail, [{ code: "invalid_name", pointer, detail }]);
}

function holdsOneOf(text: string, characters: string): boolean {
  return [...characters].some((each) => text.includes(each));
}

export function readMembers(body: string | null): JsonObject | null {
  if (body === null || body === "") return null;
  try {
    const value: unknown = JSON.parse(body);
    return isJsonObject(value) ? value : null;
  } catch {
    return null;
  }
}

export function normaliseText(text: string): string {
  const plain = text
    .replace(/^\ufeff/, "")
    .replaceAll("\r\n", "\n")
    .normalize("NFC");
  return plain === "" || plain.endsWith("\n") ? plain : `${plain}\n`;
}

async function hasParent(path: string, ask: Ask): Promise<boolean> {
  const parent = splitPath(path).slice(0, -1).join("/");
  if (parent === "") return true;
  const listed = await ask("GET", `/v1/folders?path=${encodeURIComponent(parent)}`);
  return listed.status !== 200 || (JSON.parse(listed.body) as { data: unknown[] }).data.length > 0;
}

/**
 * Limits the page size. If the cursor stands for an empty page, returns one, unless the service's
 * cursor in it is invalid for the query.
 */
async function shortPage(
  request: WireRequest,
  variant: { readonly maxPageSize: number },
  ask: Ask,
): Promise<WireRequest | WireResponse> {
  const { path, query } = splitRequestTarget(request.path);
  const parameters = new URLSearchParams(query);
  const sent = parameters.get("limit");
  if (sent === null || (/^\d+$/.test(sent) && Number(sent) > variant.maxPageSize && Number(sent) <= 1_000)) {
    parameters.set("limit", String(variant.maxPageSize));
  }
  const cursor = parameters.get("cursor");
  if (cursor === null || !cursor.startsWith(EMPTY_PAGE)) return { ...request, path: `${path}?${parameters}` };
  const within = cursor.slice(EMPTY_PAGE.length);
  parameters.set("cursor", within);
  const response = await ask("GET", `${path}?${parameters}`);
  if (response.status !== 200) return response;
  const page = JSON.parse(response.body) as object;
  return withBody(response, { ...page, data: [], hasMore: true, nextCursor: within });
}

function noSuchMethod(status: 404 | 405): WireResponse {
  const answer = toWire(refuse("not_found", "There is no such endpoint."), REQUEST_ID, DOCS_BASE);
  if (status === 404) return answer;
  const problem = {
    ...(JSON.parse(answer.body) as object),
    status,
    code: "method_not_allowed",
    title: "Method not allowed",
  };
  return { ...answer, status, body: JSON.stringify(problem) };
}

/** The part of a variant that changes answers. */
export function shapeResponse(
  request: WireRequest,
  response: WireResponse,
  variant: Variant,
  state: VariantState,
): WireResponse {
  if (response.status >= 300 || response.body === "" || request.path.startsWith("/admin")) return response;
  if (!shapesAnswers(variant)) return response;
  const { path } = splitRequestTarget(request.path);
  if (variant.changeIdMovesOnRename) countRename(request, path, state);
  const body = JSON.parse(variant.looseIds ? loosenIds(response.body) : response.body) as JsonObject;
  const shaped = shapeAnswerBody(request, response.status, body, variant, state);
  return withBody(response, variant.unknownMembers ? { ...shaped, xUnknown: { nested: [1] } } : shaped);
}

function shapeAnswerBody(
  request: WireRequest,
  status: number,
  body: JsonObject,
  variant: Variant,
  state: VariantState,
): JsonObject {
  if (Array.isArray(body["data"])) return shapePage(request, body, variant, state);
  if (request.method !== "PUT") return shapeItem(body, variant, state);
  if (status === 202) return shapeReview(request, body, variant);
  const { file, content } = body;
  const shaped = shapeItem(file as JsonObject, variant, state);
  if (variant.documentedMembersOnly) return { content };
  return variant.flatEdits ? { ...shaped, content } : { ...body, file: shaped };
}

function shapeReview(request: WireRequest, body: JsonObject, variant: Variant): JsonObject {
  if (variant.documentedMembersOnly) return {};
  if (!variant.flatEdits) return body;
  const { baseChangeId } = JSON.parse(request.body!) as JsonObject;
  return { id: body["id"], fileId: (body["fileIds"] as readonly string[])[0], baseChangeId, status: "in_review" };
}

/** The switches that change answers. */
const SHAPING = [
  "noLeadingSlashes",
  "flatEdits",
  "documentedMembersOnly",
  "looseIds",
  "unknownMembers",
  "changeIdMovesOnRename",
  "maxPageSize",
] as const satisfies readonly (keyof Variant)[];

function shapesAnswers(variant: Variant): boolean {
  return SHAPING.some((name) => variant[name] !== undefined);
}

function countRename(request: WireRequest, path: string, state: VariantState): void {
  const id = /^\/v1\/files\/([^/]+)$/.exec(path)?.[1];
  if (request.method !== "PATCH" || id === undefined || /"protected"/.test(request.body ?? "")) return;
  // A new number is greater than all earlier ones, so no change id is used twice, even after a
  // restored backup.
  state.lastRename = 1 + Math.max(state.lastRename ?? 0, ...state.renames.values());
  state.renames.set(id, state.lastRename);
}

/** Returns a file's change id as clients see it: with the number of its last rename. */
export function shownChangeId(id: string, changeId: string, { renames }: VariantState): string {
  const rename = renames.get(tightenIds(id));
  return rename === undefined ? changeId : `${changeId}-r${rename}`;
}

function shapePage(request: WireRequest, page: JsonObject, variant: Variant, state: VariantState): JsonObject {
  const data = (page["data"] as readonly unknown[]).map((item) =>
    isJsonObject(item) ? shapeItem(item, variant, state) : item,
  );
  const items = variant.unknownMembers ? data.map((item) => ({ ...(item as object), xUnknown: null })) : data;
  const cursor = page["nextCursor"];
  const empty = variant.maxPageSize !== undefined && typeof cursor === "string" && precedesEmpty(request);
  return { ...page, data: items, nextCursor: empty ? EMPTY_PAGE + cursor : cursor };
}

/** Members of a file and of a folder. */
const DOCUMENTED = ["id", "path", "lastChangeId", "protected", "content"];

function shapeItem(item: JsonObject, variant: Variant, state: VariantState): JsonObject {
  const { id, path, lastChangeId } = item;
  const shown = variant.documentedMembersOnly
    ? Object.fromEntries(Object.entries(item).filter(([name]) => DOCUMENTED.includes(name)))
    : item;
  return {
    ...shown,
    ...(variant.noLeadingSlashes && typeof path === "string" ? withoutSlashes(shown) : {}),
    ...(typeof id === "string" && typeof lastChangeId === "string"
      ? { lastChangeId: shownChangeId(id, lastChangeId, state) }
      : {}),
  };
}

function withoutSlashes({ path, parentPath }: JsonObject): JsonObject {
  return {
    path: (path as string).slice(1),
    ...(typeof parentPath === "string" ? { parentPath: parentPath.slice(1) } : {}),
  };
}

/**
 * Returns true for the first page and about half of the others. Depends on the request alone, so
 * that a listing always has the same pages.
 */
function precedesEmpty(request: WireRequest): boolean {
  const cursor = new URLSearchParams(splitRequestTarget(request.path).query).get("cursor");
  return cursor === null || cursor.charCodeAt(cursor.length - 1) % 2 === 0;
}
