import type { WireRequest, WireResponse } from "../contract/wire.ts";
import type { Exchange } from "./world.ts";

/** Thrown if a request gets no answer: the connection failed or was lost. */
export class NoAnswer extends Error {}

/** Thrown if the service lacks an operation that the contract does not demand. */
export class NotOffered extends Error {
  readonly operation: string;

  constructor(operation: string) {
    super(`${operation} is not offered`);
    this.operation = operation;
  }
}

/** Operations that the published contract mentions without their path. */
const OPTIONAL: readonly (readonly [method: RegExp, path: RegExp, shown: string])[] = [
  [/^POST$/, /^\/v1\/search\/(hybrid|regex)$/, "/v1/search"],
  [/^(GET|PATCH|DELETE)$/, /^\/v1\/folders\/[^/]+$/, "/v1/folders/{id}"],
];

export type Observed = {
  readonly observe: Exchange;
  /** Returns the last request that was answered, and the status of its answer. */
  readonly last: () => { readonly request: string | null; readonly status: number | null };
};

/**
 * Returns an exchange that keeps its last answer.
 * @throws NotOffered (the exchange) if the service lacks an optional operation
 */
export function observed(exchange: Exchange): Observed {
  let last: ReturnType<Observed["last"]> = { request: null, status: null };
  return {
    async observe(request) {
      const response = await exchange(request);
      last = { request: `${request.method} ${request.path}`, status: response.status };
      const lacking = lackingOperation(request, response);
      if (lacking !== null) throw new NotOffered(lacking);
      return response;
    },
    last: () => last,
  };
}

/** Codes of a missing document or workspace. A missing operation has another one, or none. */
const MISSING_THING = /"code"\s*:\s*"(file|folder|workspace)_not_found"/;

function lackingOperation({ method, path }: WireRequest, { status, body }: WireResponse): string | null {
  const isLacking = status === 405 || status === 501 || (status === 404 && !MISSING_THING.test(body));
  if (!isLacking) return null;
  const found = OPTIONAL.find(([methods, paths]) => methods.test(method) && paths.test(path.split("?", 1)[0]!));
  return found === undefined ? null : `${method} ${found[2]}`;
}

/** LIMIT: so often a request is repeated that the service refuses for now. */
const MOST_WAITS = 20;

/** Returns an exchange that waits as long as a refusal for now asks for, then sends again. */
export function patient(exchange: Exchange, sleep: (ms: number) => Promise<void>): Exchange {
  return async (request) => {
    for (let waits = 0; ; waits++) {
      const response = await exchange(request);
      const seconds = Number(response.headers["retry-after"] ?? Number.NaN);
      const isRefused = response.status === 429 || response.status === 503;
      if (!isRefused || Number.isNaN(seconds) || waits === MOST_WAITS) return response;
      await sleep(seconds * 1_000);
    }
  };
}
