/**
 * One exchange with the service, independent of any transport: tests send it in process, and HTTP
 * carries it.
 */

/** Header names are lower case. */
export type WireHeaders = Readonly<Record<string, string>>;

export type WireRequest = {
  readonly method: string;
  /** Path and query as in the request line, percent-encoded: `/v1/files?limit=10`. */
  readonly path: string;
  readonly headers: WireHeaders;
  /** Body of the request as JSON; null if it has no body. */
  readonly body: string | null;
};

export type WireResponse = {
  readonly status: number;
  readonly headers: WireHeaders;
  /** Body of the answer as JSON; empty for 204. */
  readonly body: string;
};
