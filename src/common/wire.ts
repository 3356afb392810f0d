import type { WireRequest, WireResponse } from "../contract/wire.ts";

export type WireResult =
  | { readonly kind: "answer"; readonly response: WireResponse }
  /**
   * A success (2xx) whose body cannot be read, for the reason `why`: it is too large, not UTF-8, or
   * badly compressed. `response.body` is empty.
   */
  | { readonly kind: "unreadable"; readonly response: WireResponse; readonly why: string }
  /**
   * The request was certainly not sent: connection refused, name not found, or the deadline passed
   * in the queue.
   */
  | NoAnswer<"not-sent">
  /**
   * The request was sent, perhaps in part, but no whole answer arrived: the change may have
   * happened.
   */
  | NoAnswer<"lost">;

type NoAnswer<K extends string> = {
  readonly kind: K;
  readonly why: string;
  /** True if the deadline of the request ended the exchange. */
  readonly timedOut?: true;
};

/** End of an answer that has no fixed length. */
export type StreamEnd =
  /** The answer was a stream of events, which has ended. */
  | { readonly kind: "ended"; readonly why: string }
  /** The answer was not a stream of events: a whole answer, or none. */
  | WireResult;

export type StreamBounds = {
  /** Milliseconds until the answer's headers have arrived. */
  readonly deadlineMs: number;
  /** Milliseconds without data after which a stream is ended. */
  readonly silenceMs: number;
  /** Limit for an answer that is not a stream. */
  readonly maxBytes: number;
  /** Ends the stream. */
  readonly signal: AbortSignal;
};

/**
 * One HTTP exchange, without policy: the wire does not retry or follow redirects. Bodies are text;
 * `maxBytes` limits their size after decoding.
 */
export interface Wire {
  send(request: WireRequest, bounds: { readonly deadlineMs: number; readonly maxBytes: number }): Promise<WireResult>;
  /**
   * Opens a stream of events (200, `text/event-stream`), whose bytes are passed on as they arrive.
   * Undefined if this wire has no streams.
   */
  stream?(request: WireRequest, bounds: StreamBounds, onBytes: (bytes: Buffer) => void): Promise<StreamEnd>;
  close(): Promise<void>;
}
