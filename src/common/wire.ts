import type { WireRequest, WireResponse } from "../contract/wire.ts";

export type WireResult =
  | { readonly kind: "answer"; readonly response: WireResponse }
  /**
   * Certainly not sent: connection refused, name not found, or the deadline passed in the queue.
   */
  | NoAnswer<"not-sent">
  /** Sent, perhaps in part, without a whole answer: it may have happened. */
  | NoAnswer<"lost">;

type NoAnswer<K extends string> = {
  readonly kind: K;
  readonly why: string;
  /** True if its deadline ended it. */
  readonly timedOut?: true;
};

/** End of an answer without a length. */
export type StreamEnd =
  /** It was a stream of events. */
  | { readonly kind: "ended"; readonly why: string }
  /** It was another answer, which is whole, or none. */
  | WireResult;

export type StreamBounds = {
  /** Milliseconds until the answer's headers have arrived. */
  readonly deadlineMs: number;
  /** Milliseconds without data after which a stream is ended. */
  readonly silenceMs: number;
  /** Limit for an answer that is no stream. */
  readonly maxBytes: number;
  /** Ends the stream. */
  readonly signal: AbortSignal;
};

/**
 * One HTTP exchange, without policy: no retries, no redirects followed. Bodies are text; bounded by
 * `maxBytes` after decoding.
 */
export interface Wire {
  send(request: WireRequest, bounds: { readonly deadlineMs: number; readonly maxBytes: number }): Promise<WireResult>;
  /**
   * Opens a stream of events (200, `text/event-stream`), whose bytes are passed on as they arrive.
   * Left out if this wire has no streams.
   */
  stream?(request: WireRequest, bounds: StreamBounds, onBytes: (bytes: Buffer) => void): Promise<StreamEnd>;
  close(): Promise<void>;
}
