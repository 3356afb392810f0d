/**
 * One exchange with the service, apart from any transport: what a test sends in process and what
 * HTTP carries.
 */

/** Header names are lower case. */
export type WireHeaders = Readonly<Record<string, string>>;

export type WireRequest = {
  readonly method: string;
  /** Path and query as they stand in the request line, percent-encoded: `/v1/files?limit=10`. */
  readonly path: string;
  readonly headers: WireHeaders;
  /** JSON text, or null without a body. */
  readonly body: string | null;
};

export type WireResponse = {
  readonly status: number;
  readonly headers: WireHeaders;
  /** JSON text; empty for 204. */
  readonly body: string;
  /**
   * The lines of a body of which each ends with a line feed, without it, where they are at hand: a
   * long text in one piece takes fresh memory, and is copied again by whoever takes it apart.
   */
  readonly lines?: readonly string[];
};

/** A response of lines. Its body is put together whenever it is asked for. */
export function responseInLines(status: number, headers: WireHeaders, lines: readonly string[]): WireResponse {
  return {
    status,
    headers,
    lines,
    get body() {
      return lines.map((line) => `${line}\n`).join("");
    },
  };
}
