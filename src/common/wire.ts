import type { WireRequest, WireResponse } from "../contract/wire.ts";

export type WireResult =
  | { readonly kind: "answer"; readonly response: WireResponse }
  /**
   * The service answered with success (2xx), but the body cannot be read, because it is too large,
   * not UTF-8, or badly compressed. `why` is the reason; `response.body` is empty.
   */
  | { readonly kind: "unreadable"; readonly response: WireResponse; readonly why: string }
  /** The request was certainly not sent, for example because the connection was refused. */
  | NoAnswer<"not-sent">
  /** At least a part of the request was sent, without an answer. The change may have happened. */
  | NoAnswer<"lost">;

type NoAnswer<K extends string> = {
  readonly kind: K;
  readonly why: string;
  /** True if the exchange ended because of the time limit of the request. */
  readonly timedOut?: true;
};

/** End of a request for a stream of events. */
export type StreamEnd =
  /** The answer was a stream of events, which has ended for the reason `why`. */
  | { readonly kind: "ended"; readonly why: string }
  /** There was no stream of events, but a complete answer, or no answer. */
  | WireResult;

export type StreamBounds = {
  /** Milliseconds within which the headers of the answer must arrive. */
  readonly deadlineMs: number;
  /** Milliseconds without data after which the stream is ended. */
  readonly silenceMs: number;
  /** Limit in bytes for the body of an answer that is not a stream. */
  readonly maxBytes: number;
  readonly signal: AbortSignal;
};

/** Sends single requests, without retries or redirects. `maxBytes` counts decompressed bytes. */
export interface Wire {
  send(request: WireRequest, bounds: { readonly deadlineMs: number; readonly maxBytes: number }): Promise<WireResult>;
  /**
   * Opens a stream of events (status 200, `text/event-stream`), and passes its bytes on as they
   * arrive. Undefined if this wire has no streams.
   */
  stream?(request: WireRequest, bounds: StreamBounds, onBytes: (bytes: Buffer) => void): Promise<StreamEnd>;
  close(): Promise<void>;
}
