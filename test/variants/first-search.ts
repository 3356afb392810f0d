import { isJsonObject, type JsonObject } from "../../src/contract/json.ts";
import { SEARCH_HYBRID_PATH, SEARCH_REGEX_PATH } from "../../src/contract/routes.ts";
import type { WireRequest, WireResponse } from "../../src/contract/wire.ts";
import { withBody } from "./requests.ts";

/** The search of the first version of the service. */

const FIRST_PATH = "/v1/search";

export function isFirstSearch({ method, path }: WireRequest): boolean {
  return method === "POST" && (path === FIRST_PATH || path === SEARCH_REGEX_PATH);
}

/** Translates a request of the first version into one of the present service. */
export function asSearchNow(request: WireRequest, members: JsonObject | null): WireRequest {
  if (request.path === FIRST_PATH) return { ...request, path: SEARCH_HYBRID_PATH };
  if (members === null) return request;
  const { pattern, ...rest } = members;
  return { ...request, body: JSON.stringify({ ...rest, ...(pattern === undefined ? {} : { query: pattern }) }) };
}

/**
 * Translates an answer of the present service into one of the first version, also a refusal of the
 * pattern.
 */
export function asFirstAnswer(request: WireRequest, response: WireResponse): WireResponse {
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
