import { SEARCH_HYBRID_PATH, SEARCH_REGEX_PATH } from "../../contract/routes.ts";
import type { WireRequest } from "../../contract/wire.ts";
import { type Answer, isRefused, refuse } from "./answer.ts";
import { type Admit, authenticate } from "./authenticate.ts";
import type { BodyFault } from "./body.ts";
import { type Call, type Continued, type ServerContext, workingIn } from "./context.ts";
import { deleteFile, patchFile, putContent } from "../files/file-writes.ts";
import { createFile, listFiles, readFile } from "../files/files.ts";
import { deleteFolder, patchFolder } from "../files/folder-writes.ts";
import { createFolder, listFolders, readFolder } from "../files/folders.ts";
import { LIST_PARAMETERS } from "../files/lists.ts";
import { decodeSegment, readQuery } from "./query.ts";
import { searchHybrid, searchRegex } from "../search/search.ts";
import type { Tables } from "../store/tables.ts";

type Endpoint = {
  readonly method: string;
  /** With `{id}` for the segment that is an id. */
  readonly path: string;
  readonly parameters: readonly string[];
  /** A POST that only reads. */
  readonly reads?: true;
  readonly run: (call: Call) => Promise<Answer | Continued>;
};

const RECURSIVE = "recursive";

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
  { method: "DELETE", path: "/v1/folders/{id}", parameters: [RECURSIVE], run: deleteFolder },
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

/** What a request came with beside itself. */
export type Carried = {
  readonly fault: BodyFault | null;
  /** The rate limit. */
  readonly admit: Admit;
  /** SHA-256 of its key; null: it has none. */
  readonly hash: Buffer | null;
  /** Whether nobody waits for the answer any more. Left out: somebody does. */
  readonly isGone?: (() => boolean) | undefined;
};

/**
 * Answers a request in one transaction, in which its key is looked up too; a write is kept unless
 * it is refused. A search continues after that transaction, so that nobody waits for it.
 * ASSUMES: an unknown path and a method that a path does not take answer `404 not_found` (contract
 * test "answers not_found …").
 */
export async function route(
  server: ServerContext,
  request: WireRequest,
  { fault, admit, hash, isGone = () => false }: Carried,
): Promise<Answer> {
  const target = splitTarget(request.path);
  const routed = findEndpoint(request.method, target.path);
  const work = async (tables: Tables): Promise<Answer | Continued> => {
    const context = await authenticate(workingIn(server, tables), hash, admit);
    if (isRefused(context)) return context;
    if (routed === null) return refuse("not_found", "There is no such endpoint.");
    const { endpoint, id } = routed;
    const query = readQuery(target.query, endpoint.parameters);
    if (isRefused(query)) return query;
    return endpoint.run({ context, id, query, body: { text: request.body, fault } });
  };
  const isRead = routed === null || routed.endpoint.method === "GET" || routed.endpoint.reads === true;
  const isOfTree = routed?.endpoint.parameters.includes(RECURSIVE) === true && target.query !== "";
  const answer = isRead
    ? await server.store.read(work)
    : await server.store.write(work, ({ kind }) => kind === "done", isOfTree ? "tree" : "rows");
  return answer.kind === "continues" ? answer.goOn(server.store, server.turns.paceOf(isGone)) : answer;
}

type Routed = { readonly endpoint: Endpoint; readonly id: string };

export function isAdminPath(path: string): boolean {
  return path === "/admin" || path.startsWith("/admin/");
}

const BY_ROUTE = new Map(ENDPOINTS.map((endpoint) => [`${endpoint.method} ${endpoint.path}`, endpoint]));
/** Where an id stands, among what slashes part. */
const ID_AT = 3;

function findEndpoint(method: string, path: string): Routed | null {
  const parts = path.split("/");
  const id = parts[ID_AT];
  if (id !== undefined && id !== "") {
    parts[ID_AT] = "{id}";
    const endpoint = BY_ROUTE.get(`${method} ${parts.join("/")}`);
    if (endpoint !== undefined) return { endpoint, id: decodeSegment(id) };
  }
  const endpoint = BY_ROUTE.get(`${method} ${path}`);
  return endpoint === undefined || endpoint.path.includes("{") ? null : { endpoint, id: "" };
}
