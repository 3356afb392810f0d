import { isJsonObject, type JsonObject } from "../../src/contract/json.ts";
import type { WireRequest, WireResponse } from "../../src/contract/wire.ts";
import { splitTarget } from "../../src/server/router.ts";
import type { Variant, VariantState } from "./variant.ts";
import { EMPTY_PAGE } from "./requests.ts";

/** The half of a variant that looks at answers. */
export function shapeResponse(
  request: WireRequest,
  response: WireResponse,
  variant: Variant,
  state: VariantState,
): WireResponse {
  if (response.status >= 300 || response.body === "" || request.path.startsWith("/admin")) return response;
  if (!shapesAnswers(variant)) return response;
  const { path } = splitTarget(request.path);
  if (variant.changeIdMovesOnRename) countRename(request, path, state);
  const body = JSON.parse(response.body) as JsonObject;
  const isPut = request.method === "PUT";
  const shaped = Array.isArray(body["data"])
    ? shapePage(request, body, variant, state)
    : shapeItem(body, variant, state);
  const cut =
    variant.documentedMembersOnly && isPut ? (response.status === 202 ? {} : { content: shaped["content"] }) : shaped;
  return { ...response, body: JSON.stringify(variant.unknownMembers ? { ...cut, xUnknown: { nested: [1] } } : cut) };
}

function shapesAnswers(variant: Variant): boolean {
  const { leadingSlashes, documentedMembersOnly, unknownMembers, changeIdMovesOnRename, maxPageSize } = variant;
  return (
    (leadingSlashes ?? documentedMembersOnly ?? unknownMembers ?? changeIdMovesOnRename ?? maxPageSize) !== undefined
  );
}

function countRename(request: WireRequest, path: string, state: VariantState): void {
  const id = /^\/v1\/files\/([^/]+)$/.exec(path)?.[1];
  if (request.method !== "PATCH" || id === undefined || /"protected"/.test(request.body ?? "")) return;
  state.renames.set(id, (state.renames.get(id) ?? 0) + 1);
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

function shapeItem(item: JsonObject, variant: Variant, state: VariantState): JsonObject {
  const { id, path, lastChangeId } = item;
  const renames = typeof id === "string" ? (state.renames.get(id) ?? 0) : 0;
  return {
    ...item,
    ...(variant.leadingSlashes && typeof path === "string" ? { path: `/${path}` } : {}),
    ...(renames > 0 && typeof lastChangeId === "string" ? { lastChangeId: `${lastChangeId}-r${renames}` } : {}),
  };
}

/**
 * The first page, and about half of the others; by the request alone, so that the same listing
 * always has the same pages.
 */
function precedesEmpty(request: WireRequest): boolean {
  const cursor = new URLSearchParams(splitTarget(request.path).query).get("cursor");
  return cursor === null || cursor.charCodeAt(cursor.length - 1) % 2 === 0;
}
