import type { Clock } from "../common/clock.ts";
import { isJsonObject, member } from "../contract/json.ts";
import type { WireRequest, WireResponse } from "../contract/wire.ts";
import { type Exchange, parseJson } from "./world.ts";

/** Error for a request that got no answer, because the connection failed or was lost. */
export class NoAnswerError extends Error {}

/** Error for an optional operation of the contract that the service does not have. */
export class NotOfferedError extends Error {
  readonly operation: string;

  constructor(operation: string) {
    super(`${operation} is not offered`);
    this.operation = operation;
  }
}

/**
 * Operations that the published contract mentions without a path. A service need not have these
 * operations.
 */
const OPTIONAL_OPERATIONS: readonly (readonly [method: RegExp, path: RegExp, shown: string])[] = [
  [/^POST$/, /^\/v1\/search\/(hybrid|regex)$/, "/v1/search"],
  [/^(GET|PATCH|DELETE)$/, /^\/v1\/folders\/[^/]+$/, "/v1/folders/{id}"],
];

type LastAnswer = { readonly request: string | null; readonly status: number | null };

const CHANGED_ITEM_PATH = /^\/v1\/(?:files|folders)\/([^/?]+)/;

/**
 * Returns a function that sends requests. Before a request would change an item outside the folders
 * of the cases, the function throws. The names of these folders begin with `prefix`. If a service
 * ignores a filter and lists other documents, a case may try to change one of these documents. An
 * item without a path counts as outside, unless it was created with the returned function.
 */
export function limitChangesTo(exchange: Exchange, prefix: string): Exchange {
  const foreignIds = new Set<string>();
  const createdIds = new Set<string>();
  const noteOwner = (item: ShownItem) => {
    const isOwn = typeof item.path === "string" ? isBelow(item.path, prefix) : createdIds.has(item.id);
    if (isOwn) foreignIds.delete(item.id);
    else foreignIds.add(item.id);
  };
  return async (request) => {
    if (foreignIds.has(readChangedId(request)))
      throw new Error(`not sent: ${request.method} ${request.path} changes an item that no case created`);
    const response = await exchange(request);
    const items = readItems(response.body);
    if (request.method === "POST" && response.status === 201) for (const { id } of items) createdIds.add(id);
    for (const item of items) noteOwner(item);
    return response;
  };
}

/** Returns the id of the item that a request would change; "" if there is no such id. */
function readChangedId({ method, path }: WireRequest): string {
  return method === "GET" ? "" : (CHANGED_ITEM_PATH.exec(path)?.[1] ?? "");
}

/**
 * Returns true if a path begins with `prefix`. The path may have no leading slash, because a tested
 * service may omit it.
 */
export function isBelow(path: string, prefix: string): boolean {
  return path.replace(/^\//, "").startsWith(prefix);
}

type ShownItem = { readonly id: string; readonly path?: unknown };

function readItems(body: string): readonly ShownItem[] {
  const answer = parseJson(body);
  if (!isJsonObject(answer)) return [];
  const data = member(answer, "data");
  const items: readonly unknown[] = Array.isArray(data) ? data : [answer];
  return items.filter((item): item is ShownItem => isJsonObject(item) && typeof member(item, "id") === "string");
}

/**
 * Returns `observe`, which sends requests, and `last`, which returns the last answered request and
 * the status of the answer. `observe` throws NotOfferedError if the service does not have an
 * optional operation.
 */
export function rememberLastAnswer(exchange: Exchange): { observe: Exchange; last: () => LastAnswer } {
  let lastAnswer: LastAnswer = { request: null, status: null };
  return {
    async observe(request) {
      const response = await exchange(request);
      lastAnswer = { request: `${request.method} ${request.path}`, status: response.status };
      const missingOperation = findMissingOperation(request, response);
      if (missingOperation !== null) throw new NotOfferedError(missingOperation);
      return response;
    },
    last: () => lastAnswer,
  };
}

/**
 * Matches the error code of an answer about a missing document or workspace. The answer about a
 * missing operation has another code.
 */
const MISSING_TARGET = /"code"\s*:\s*"(file|folder|workspace)_not_found"/;

function findMissingOperation({ method, path }: WireRequest, { status, body }: WireResponse): string | null {
  const isMissing = status === 405 || status === 501 || (status === 404 && !MISSING_TARGET.test(body));
  if (!isMissing) return null;
  const optionalOperation = OPTIONAL_OPERATIONS.find(
    ([methods, paths]) => methods.test(method) && paths.test(path.split("?", 1)[0]!),
  );
  return optionalOperation === undefined ? null : `${method} ${optionalOperation[2]}`;
}

/**
 * LIMIT: number of times that one request is repeated. Otherwise a service that always answers
 * `Retry-After` would prevent the end of the run.
 */
const MAX_REPETITIONS = 20;

/**
 * Repeats a request that was answered 429 or 503, after the time in `Retry-After`. After `stop`,
 * repeats no request, because the clock no longer waits.
 */
export function waitForRetryAfter(exchange: Exchange, clock: Pick<Clock, "sleep">, stop: AbortSignal): Exchange {
  return async (request) => {
    for (let waitCount = 0; ; waitCount++) {
      const response = await exchange(request);
      const seconds = Number(response.headers["retry-after"] ?? Number.NaN);
      const isRefused = response.status === 429 || response.status === 503;
      if (!isRefused || Number.isNaN(seconds) || waitCount === MAX_REPETITIONS) return response;
      await clock.sleep(seconds * 1_000, stop);
      if (stop.aborted) return response;
    }
  };
}
