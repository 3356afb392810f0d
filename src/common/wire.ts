import type { WireRequest, WireResponse } from "../contract/wire.ts";

export type WireResult =
  | { readonly kind: "answer"; readonly response: WireResponse }
  /**
   * Certainly not sent: connection refused, name not found, or the deadline passed in the queue.
   */
  | NoAnswer<"not-sent">
  /** Sent, perhaps in part; no whole answer: it may have happened. */
  | NoAnswer<"lost">;

type NoAnswer<K extends string> = {
  readonly kind: K;
  readonly why: string;
  /** Whether its deadline ended it. */
  readonly timedOut?: true;
};

/** How an answer without an end came to its end. */
export type StreamEnd =
  /** It was a stream of events. */
  | { readonly kind: "ended"; readonly why: string }
  /** It was another answer, which is whole. */
  | Extract<WireResult, { readonly kind: "answer" }>
  | NoAnswer<"not-sent">
  | NoAnswer<"lost">;

export type StreamBounds = {
  /** Until the answer's headers are there. */
  readonly deadlineMs: number;
  /** Ends a stream from which nothing came for so long. */
  readonly silenceMs: number;
  /** Of an answer that is no stream. */
  readonly maxBytes: number;
  /** Ends it. */
  readonly signal: AbortSignal;
};

/**
 * One HTTP exchange, without policy: no retries, no redirects followed. Bodies are text; bounded by
 * `maxBytes` after decoding.
 */
export interface Wire {
  send(request: WireRequest, bounds: { readonly deadlineMs: number; readonly maxBytes: number }): Promise<WireResult>;
  /**
   * The same for a stream of events (200, `text/event-stream`), whose bytes are handed on as they
   * come. Left out: this wire has no answers without an end.
   */
  stream?(request: WireRequest, bounds: StreamBounds, onBytes: (bytes: Buffer) => void): Promise<StreamEnd>;
  close(): Promise<void>;
}
