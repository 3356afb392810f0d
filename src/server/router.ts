import { SEARCH_HYBRID_PATH, SEARCH_REGEX_PATH } from "../contract/routes.ts";
import type { WireRequest } from "../contract/wire.ts";
import { type Answer, isRefused, refuse } from "./answer.ts";
import type { BodyFault } from "./body.ts";
import type { Call, RequestContext } from "./context.ts";
import { deleteFile, patchFile, putContent } from "./file-writes.ts";
import { createFile, listFiles, readFile } from "./files.ts";
import { deleteFolder, patchFolder } from "./folder-writes.ts";
import { createFolder, listFolders, readFolder } from "./folders.ts";
import { LIST_PARAMETERS } from "./lists.ts";
import { readQuery } from "./query.ts";
import { searchHybrid, searchRegex } from "./search.ts";

type Endpoint = {
  readonly method: string;
  /** With `{id}` for the segment that is an id. */
  readonly path: string;
  readonly parameters: readonly string[];
  /** A POST that only reads. */
  readonly reads?: true;
  readonly run: (call: Call) => Answer;
};

const ENDPOINTS: readonly Endpoint[] = [
  { method: "GET", path: "/v1/files", parameters: LIST_PARAMETERS, run: listFiles },
  { method: "POST", path: "/v1/files", parameters: [], run: createFile },
  { method: "GET", path: "/v1/files/{id}", parameters: [], run: readFile },
  { method: "PATCH", path: "/v1/files/{id}", parameters: [], run: patchFile },
  { method: "DELETE", path: "/v1/files/{id}", parameters: [], run: deleteFile },
  { method: "PUT", path: "/v1/files/{id}/content", parameters: [], run: putContent },
  { method: "GET", path: "/v1/folders", parameters: LIST_PARAMETERS, run: listFolders },
  { method: "POST", path: "/v1/folders", parameters: [], run: createFolder },
  { method: "GET", path: "/v1/folders/{id}", parameters: [], run: readFolder },
  { method: "PATCH", path: "/v1/folders/{id}", parameters: [], run: patchFolder },
  { method: "DELETE", path: "/v1/folders/{id}", parameters: ["recursive"], run: deleteFolder },
  { method: "POST", path: SEARCH_HYBRID_PATH, parameters: [], reads: true, run: searchHybrid },
  { method: "POST", path: SEARCH_REGEX_PATH, parameters: [], reads: true, run: searchRegex },
];

/** Splits a request target into its path and its query. */
export function splitTarget(target: string): { readonly path: string; readonly query: string } {
  const cut = target.indexOf("?");
  return cut < 0 ? { path: target, query: "" } : { path: target.slice(0, cut), query: target.slice(cut + 1) };
}

/**
 * The values of `{…}` in a path.
 * @returns null when the path does not match; an id with invalid percent-encoding is returned as it
 * was sent
 */
export function matchPath(pattern: string, path: string): string[] | null {
  const wanted = pattern.split("/");
  const sent = path.split("/");
  if (wanted.length !== sent.length) return null;
  const values: string[] = [];
  for (const [i, part] of wanted.entries()) {
    const segment = sent[i]!;
    if (part.startsWith("{")) {
      if (segment === "") return null;
      values.push(decodeSegment(segment));
    } else if (part !== segment) return null;
  }
  return values;
}

function decodeSegment(segment: string): string {
  try {
    return decodeURIComponent(segment);
  } catch {
    return segment;
  }
}

/**
 * Runs the endpoint of an authenticated request; a write runs in one transaction, which is kept
 * unless it is refused.
 * ASSUMES: an unknown path and a method that a path does not take answer `404 not_found` (contract
 * test "answers not_found …").
 */
export function route(context: RequestContext, request: WireRequest, fault: BodyFault | null): Answer {
  const target = splitTarget(request.path);
  for (const endpoint of ENDPOINTS) {
    if (endpoint.method !== request.method) continue;
    const values = matchPath(endpoint.path, target.path);
    if (values === null) continue;
    const query = readQuery(target.query, endpoint.parameters);
    if (isRefused(query)) return query;
    const call: Call = { context, id: values[0] ?? "", query, body: { text: request.body, fault } };
    if (endpoint.method === "GET" || endpoint.reads) return endpoint.run(call);
    return context.store.transact(
      () => endpoint.run(call),
      (answer) => answer.kind === "done",
    );
  }
  return refuse("not_found", "There is no such endpoint.");
}
