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
   * The body in parts, one after the other, where it is made of many: in one piece a long text
   * takes fresh memory, and is copied again by whoever writes it.
   */
  readonly parts?: string[];
};

/** A response in parts. Its body is put together whenever it is asked for. */
export function responseInParts(status: number, headers: WireHeaders, parts: string[]): WireResponse {
  return {
    status,
    headers,
    parts,
    get body() {
      return parts.join("");
    },
  };
}
