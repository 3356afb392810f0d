import type { WireRequest, WireResponse } from "../contract/wire.ts";

export type WireResult =
  | { readonly kind: "answer"; readonly response: WireResponse }
  /**
   * The service answered with success (2xx), but the body could not be read. It was too large, not
   * UTF-8, or badly compressed. `why` is the reason; `response.body` is empty.
   */
  | { readonly kind: "unreadable"; readonly response: WireResponse; readonly why: string }
  /** The request was certainly not sent, for example because the connection was refused. */
  | NoAnswer<"not-sent">
  /**
   * At least a part of the request was sent, but no answer came. The requested change may have
   * happened.
   */
  | NoAnswer<"lost">;

type NoAnswer<K extends string> = {
  readonly kind: K;
  readonly why: string;
  /** True if the time limit of the request ended the exchange. */
  readonly timedOut?: true;
};

/** Result of a request for a stream of events. */
export type StreamEnd =
  /** A stream was answered and has ended. `why` is the reason for its end. */
  | { readonly kind: "ended"; readonly why: string }
  /** The service did not open a stream. It sent a complete answer, or no answer came. */
  | WireResult;

export type StreamBounds = {
  /** Milliseconds within which the headers of the answer must arrive. */
  readonly deadlineMs: number;
  /** Milliseconds without data after which the stream is ended. */
  readonly silenceMs: number;
  /** Limit in bytes for the body of an answer, if the answer is not a stream. */
  readonly maxBytes: number;
  readonly signal: AbortSignal;
};

/**
 * Sends single requests. Does not repeat them and does not follow redirects. `maxBytes` limits the
 * decompressed body.
 */
export interface Wire {
  send(request: WireRequest, bounds: { readonly deadlineMs: number; readonly maxBytes: number }): Promise<WireResult>;
  /**
   * Opens a stream of events (status 200, `text/event-stream`). Calls `onBytes` for bytes when they
   * arrive. Undefined if this wire cannot open streams.
   */
  stream?(request: WireRequest, bounds: StreamBounds, onBytes: (bytes: Buffer) => void): Promise<StreamEnd>;
  close(): Promise<void>;
}
