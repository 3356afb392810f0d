import { isJsonObject, type JsonObject } from "../../src/contract/json.ts";
import { splitPath } from "../../src/contract/names.ts";
import type { WireRequest, WireResponse } from "../../src/contract/wire.ts";
import { type Refused, refuse, toWire } from "../../src/service/requests/answer.ts";
import { splitRequestTarget } from "../../src/service/requests/router.ts";
import type { Ask, Variant } from "./variant.ts";

/** The part of a variant that handles requests: changes them, or answers them itself. */

export const REQUEST_ID = "req_variant";
export const DOCS_BASE = "https://mdmirror.invalid/docs";

export const EMPTY_PAGE = "emp_";
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
