import { isJsonObject, member } from "../contract/json.ts";
import type { WireRequest, WireResponse } from "../contract/wire.ts";
import { type Exchange, parseOrNull } from "./world.ts";

/** Error for a request that got no answer, because the connection failed or was lost. */
export class NoAnswerError extends Error {}

/** Error for a missing operation that the contract does not require of a service. */
export class NotOfferedError extends Error {
  readonly operation: string;

  constructor(operation: string) {
    super(`${operation} is not offered`);
    this.operation = operation;
  }
}

/** Operations that the published contract mentions without their path. A service may lack them. */
const OPTIONAL: readonly (readonly [method: RegExp, path: RegExp, shown: string])[] = [
  [/^POST$/, /^\/v1\/search\/(hybrid|regex)$/, "/v1/search"],
  [/^(GET|PATCH|DELETE)$/, /^\/v1\/folders\/[^/]+$/, "/v1/folders/{id}"],
];

/** The last request that was answered, and the status of its answer. */
type LastAnswer = { readonly request: string | null; readonly status: number | null };

/** Matches the path of an operation that changes one document or folder. */
const CHANGES_ONE = /^\/v1\/(?:files|folders)\/([^/?]+)/;

/**
 * Returns a function that sends requests, but only such that change nothing outside the folders of
 * the cases. The names of these folders begin with `prefix`. The tested service may ignore a
 * filter, and list documents that no case created. If a request would change an item that was
 * listed outside these folders, the function throws and sends nothing. It also throws for an item
 * without a path, unless the item was created by this function.
 */
export function withChangesBelow(exchange: Exchange, prefix: string): Exchange {
  const foreign = new Set<string>();
  const created = new Set<string>();
  const rememberOwner = (item: ShownItem) => {
    const isOwn = typeof item.path === "string" ? isBelow(item.path, prefix) : created.has(item.id);
    if (isOwn) foreign.delete(item.id);
    else foreign.add(item.id);
  };
  return async (request) => {
    if (foreign.has(idToChange(request)))
      throw new Error(`not sent: ${request.method} ${request.path} changes an item that no case created`);
    const response = await exchange(request);
    const items = itemsOf(response.body);
    if (request.method === "POST" && response.status === 201) for (const { id } of items) created.add(id);
    for (const item of items) rememberOwner(item);
    return response;
  };
}

/** Returns the id of the item that a request would change; "" if it would change none. */
function idToChange({ method, path }: WireRequest): string {
  return method === "GET" ? "" : (CHANGES_ONE.exec(path)?.[1] ?? "");
}

/**
 * Returns true if a path is below a folder of the cases. A tested service may omit the leading
 * slash.
 */
export function isBelow(path: string, prefix: string): boolean {
  return path.replace(/^\//, "").startsWith(prefix);
}

type ShownItem = { readonly id: string; readonly path?: unknown };

/** Returns the documents and folders in an answer, which is a list or a single item. */
function itemsOf(body: string): readonly ShownItem[] {
  const answer = parseOrNull(body);
  if (!isJsonObject(answer)) return [];
  const data = member(answer, "data");
  const items: readonly unknown[] = Array.isArray(data) ? data : [answer];
  return items.filter((item): item is ShownItem => isJsonObject(item) && typeof member(item, "id") === "string");
}

/**
 * Returns a function that sends requests and remembers the last answer. The returned function
 * throws NotOfferedError if the service lacks an optional operation.
 */
export function rememberLastAnswer(exchange: Exchange): { observe: Exchange; last: () => LastAnswer } {
  let last: LastAnswer = { request: null, status: null };
  return {
    async observe(request) {
      const response = await exchange(request);
      last = { request: `${request.method} ${request.path}`, status: response.status };
      const lacking = lackingOperation(request, response);
      if (lacking !== null) throw new NotOfferedError(lacking);
      return response;
    },
    last: () => last,
  };
}

/**
 * Matches the error codes for a missing document or workspace. An answer about a missing operation
 * never has them.
 */
const MISSING_TARGET = /"code"\s*:\s*"(file|folder|workspace)_not_found"/;

function lackingOperation({ method, path }: WireRequest, { status, body }: WireResponse): string | null {
  const isLacking = status === 405 || status === 501 || (status === 404 && !MISSING_TARGET.test(body));
  if (!isLacking) return null;
  const found = OPTIONAL.find(([methods, paths]) => methods.test(method) && paths.test(path.split("?", 1)[0]!));
  return found === undefined ? null : `${method} ${found[2]}`;
}

/**
 * LIMIT: number of times that a request is sent again if the service answers with `Retry-After`.
 */
const MAX_REPETITIONS = 20;

/**
 * Returns a function that sends requests. If an answer has `Retry-After`, the function waits for
 * that time and sends the request again.
 */
export function waitingForRetryAfter(exchange: Exchange, sleep: (ms: number) => Promise<void>): Exchange {
  return async (request) => {
    for (let waits = 0; ; waits++) {
      const response = await exchange(request);
      const seconds = Number(response.headers["retry-after"] ?? Number.NaN);
      const isRefused = response.status === 429 || response.status === 503;
      if (!isRefused || Number.isNaN(seconds) || waits === MAX_REPETITIONS) return response;
      await sleep(seconds * 1_000);
    }
  };
}
