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
