import type { WireRequest, WireResponse } from "../../src/contract/wire.ts";
import type { BodyFault } from "../../src/service/requests/input.ts";
import type { ServiceWire } from "../../src/service/service.ts";
import { refuse, toWire } from "../../src/service/requests/answer.ts";
import { DOCS_BASE, readMembers, REQUEST_ID, shapeRequest, shapeResponse, tightenIds, withBody } from "./traits.ts";
import type { Ask, Variant, VariantState } from "./variant.ts";
import { SharedServiceFaults } from "./shared-service.ts";
import { isJsonObject, type JsonObject } from "../../src/contract/json.ts";
import { SEARCH_HYBRID_PATH, SEARCH_REGEX_PATH } from "../../src/contract/resources.ts";

/** Thrown by `handle` if the connection is lost. Over HTTP the socket is destroyed instead. */
class ConnectionLost extends Error {
  override readonly name = "ConnectionLost";
}

function tightened(request: WireRequest): WireRequest {
  const body = request.body === null ? null : tightenIds(request.body);
  return { ...request, path: tightenIds(request.path), body };
}

/**
 * Withdraws the review of an edit that did not merge, and returns a refusal of the edit; null for
 * other answers.
 */
async function refusedConflict(
  { status, body }: WireResponse,
  { withdraw }: VariantState,
): Promise<WireResponse | null> {
  if (status !== 202) return null;
  const { id, reason } = JSON.parse(body) as { readonly id: string; readonly reason: string };
  if (reason !== "conflict") return null;
  if (withdraw === undefined) throw new Error("conflictsRefused needs a way to withdraw a review");
  await withdraw(id);
  const detail = "The file changed since the base and the two versions cannot be combined; nothing was saved.";
  return toWire(refuse("edit_conflict", detail), REQUEST_ID, DOCS_BASE);
}

/**
 * Wraps a service's `handle`. The result can be served over HTTP like the service itself.
 * @param state given if a backup must restore it together with the service
 */
export function varyService(
  handle: ServiceWire,
  variant: Variant,
  state: VariantState = { requests: 0, renames: new Map() },
): ServiceWire {
  const sharedFaults = new SharedServiceFaults(variant, state);
  const exchange = async (sent: WireRequest, fault: BodyFault | null): Promise<WireResponse> => {
    const request = variant.looseIds ? tightened(sent) : sent;
    const { authorization, "x-api-key": apiKey } = request.headers;
    const headers = { ...(authorization ? { authorization } : {}), ...(apiKey ? { "x-api-key": apiKey } : {}) };
    const ask: Ask = (method, path, body) =>
      handle({ method, path, headers, body: body === undefined ? null : JSON.stringify(body) });
    if (variant.firstSearch && isFirstSearch(request)) {
      const found = asFirstAnswer(request, await handle(asSearchNow(request, readMembers(request.body)), fault));
      return shapeResponse(request, found, variant, state);
    }
    const shaped = await shapeRequest(request, variant, ask);
    if ("status" in shaped) return shaped;
    const response = await handle(shaped, fault);
    const refused = variant.conflictsRefused ? await refusedConflict(response, state) : null;
    return refused ?? shapeResponse(request, response, variant, state);
  };
  return async (request, fault = null) => {
    state.requests++;
    const befalls = variant.fault?.(request, state.requests) ?? null;
    if (befalls === "drop-before") throw new ConnectionLost("lost before the request was executed");
    if (befalls !== null && befalls !== "drop-after") return befalls;
    const response = sharedFaults.refuses(request) ?? sharedFaults.shapes(request, await exchange(request, fault));
    if (befalls === "drop-after") throw new ConnectionLost("lost after the request was executed");
    return response;
  };
}

/** The search of the first version of the service. */

const FIRST_PATH = "/v1/search";

function isFirstSearch({ method, path }: WireRequest): boolean {
  return method === "POST" && (path === FIRST_PATH || path === SEARCH_REGEX_PATH);
}

/** Translates a request of the first version into one of the present service. */
function asSearchNow(request: WireRequest, members: JsonObject | null): WireRequest {
  if (request.path === FIRST_PATH) return { ...request, path: SEARCH_HYBRID_PATH };
  if (members === null) return request;
  const { pattern, ...rest } = members;
  return { ...request, body: JSON.stringify({ ...rest, ...(pattern === undefined ? {} : { query: pattern }) }) };
}

/**
 * Translates an answer of the present service into one of the first version, also a refusal of the
 * pattern.
 */
function asFirstAnswer(request: WireRequest, response: WireResponse): WireResponse {
  const isRegex = request.path === SEARCH_REGEX_PATH;
  if (response.status !== 200) {
    return isRegex ? { ...response, body: response.body.replaceAll('"/query"', '"/pattern"') } : response;
  }
  const page = JSON.parse(response.body) as { readonly data: readonly JsonObject[] };
  const data = page.data.map(({ content: _, sources, ...file }) => {
    const found = (sources as readonly unknown[]).map(withoutNaming);
    return { ...file, [isRegex ? "matches" : "snippets"]: found };
  });
  return withBody(response, { ...page, url: request.path, data });
}

function withoutNaming(source: unknown): unknown {
  if (!isJsonObject(source)) return source;
  const { object: _, fileId: __, ...rest } = source;
  return rest;
}
