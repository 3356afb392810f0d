/** Requests to the service and answers, independent of HTTP, so that tests need no connection. */

/** Headers of a request or an answer, by name in lower case. */
export type WireHeaders = Readonly<Record<string, string>>;

export type WireRequest = {
  readonly method: string;
  /** Path and query of the request, percent-encoded, such as `/v1/files?limit=10`. */
  readonly path: string;
  readonly headers: WireHeaders;
  /** Body of the request as JSON; null if the request has no body. */
  readonly body: string | null;
};

export type WireResponse = {
  readonly status: number;
  readonly headers: WireHeaders;
  /** Body of the answer as JSON; empty for status 204. */
  readonly body: string;
};

/**
 * Name of the header with the generation of the service. A generation is an opaque string on each
 * answer; it changes only when the service is restored from a backup. Some services never send this
 * header.
 * ASSUMES: the published contract allows additional headers (contract test "names its generation on
 * each answer").
 */
export const GENERATION_HEADER = "x-service-generation";

// LIMIT: a generation has at most 128 characters, all printable ASCII, because clients store
// generations and compare them.
const GENERATION_FORM = /^[\x21-\x7e]{1,128}$/;

export function isGeneration(value: string | undefined): value is string {
  return value !== undefined && GENERATION_FORM.test(value);
}
