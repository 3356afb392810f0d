import { isJsonObject, type JsonObject } from "../../src/contract/json.ts";
import type { WireRequest, WireResponse } from "../../src/contract/wire.ts";
import { splitRequestTarget } from "../../src/service/requests/router.ts";
import { loosenIds, tightenIds } from "./loose-ids.ts";
import type { Variant, VariantState } from "./variant.ts";
import { EMPTY_PAGE, withBody } from "./requests.ts";

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
