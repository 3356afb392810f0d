import type { WireRequest, WireResponse } from "../contract/wire.ts";

export type WireResult =
  | { readonly kind: "answer"; readonly response: WireResponse }
  /**
   * The service answered with success (2xx), but the body could not be read: it was too large, not
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
  /** The service did not open a stream, but sent a complete answer, or no answer came. */
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
 * Sends single requests. Does not repeat requests and does not follow redirects. `maxBytes` limits
 * the decompressed body of the answer.
 */
export interface Wire {
  send(request: WireRequest, bounds: { readonly deadlineMs: number; readonly maxBytes: number }): Promise<WireResult>;
  /**
   * Opens a stream of events (status 200, `text/event-stream`). Passes bytes to `onBytes` when they
   * arrive. The function is undefined if this wire cannot open streams.
   */
  stream?(request: WireRequest, bounds: StreamBounds, onBytes: (bytes: Buffer) => void): Promise<StreamEnd>;
  close(): Promise<void>;
}

const UNKNOWN_AUTHORITY_TEXT =
  "the certificate comes from an authority that this system does not know; NODE_EXTRA_CA_CERTS=FILE adds its certificate";

const WORDS_BY_CODE: Readonly<Record<string, string>> = {
  UND_ERR_SOCKET: "the connection was cut",
  UND_ERR_CLOSED: "mdmirror closed the connection",
  UND_ERR_DESTROYED: "mdmirror closed the connection",
  UND_ERR_ABORTED: "the request was cancelled",
  UND_ERR_CONNECT_TIMEOUT: "no connection was made in time",
  UND_ERR_HEADERS_TIMEOUT: "no answer came in time",
  UND_ERR_BODY_TIMEOUT: "the answer was incomplete",
  UND_ERR_HEADERS_OVERFLOW: "the answer's headers are too long",
  UND_ERR_RES_CONTENT_LENGTH_MISMATCH: "the answer was incomplete",
  UND_ERR_RES_EXCEEDED_MAX_SIZE: "the answer is too large",
  ECONNREFUSED: "nothing listens at this address",
  ECONNRESET: "the connection was cut",
  ECONNABORTED: "the connection was cut",
  EPIPE: "the connection was cut",
  ETIMEDOUT: "no answer in time",
  EHOSTUNREACH: "this computer cannot be reached",
  EHOSTDOWN: "this computer cannot be reached",
  ENETUNREACH: "its network cannot be reached",
  ENETDOWN: "the network is down",
  ENOTFOUND: "no computer has this name",
  EAI_AGAIN: "its name cannot be looked up now",
  EADDRNOTAVAIL: "this computer has no free port, or no such address",
  EACCES: "this system does not allow the connection",
  EPERM: "this system does not allow the connection",
  EMFILE: "this process has too many files open",
  ENFILE: "this system has too many files open",
  CERT_HAS_EXPIRED: "its certificate has expired",
  CERT_NOT_YET_VALID: "its certificate is not valid yet, or this computer's clock is wrong",
  DEPTH_ZERO_SELF_SIGNED_CERT: "its certificate is signed by itself, which this system does not trust",
  SELF_SIGNED_CERT_IN_CHAIN: UNKNOWN_AUTHORITY_TEXT,
  UNABLE_TO_GET_ISSUER_CERT: UNKNOWN_AUTHORITY_TEXT,
  UNABLE_TO_GET_ISSUER_CERT_LOCALLY: UNKNOWN_AUTHORITY_TEXT,
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: UNKNOWN_AUTHORITY_TEXT,
  CERT_REVOKED: "its certificate was revoked",
  ERR_TLS_CERT_ALTNAME_INVALID: "its certificate is for another name",
  EPROTO: "no secure connection could be made: it may not speak https",
};

/**
 * Returns the reason for a failed request in words for users. Codes of Node and OpenSSL are only in
 * the log.
 * @param why `why` of a WireResult: an error code, or words of mdmirror
 */
export function describeFailure(why: string): string {
  const deadline = /^deadline of (\d+) ms$/.exec(why);
  if (deadline !== null) return `no answer within ${Number(deadline[1]) / 1_000} s`;
  const knownWords = Object.hasOwn(WORDS_BY_CODE, why) ? WORDS_BY_CODE[why] : undefined;
  if (knownWords !== undefined) return knownWords;
  if (/^HPE_|^UND_ERR_HTTP|^HTTPParserError$/.test(why)) return "the answer is not HTTP";
  if (/CERT|^ERR_(?:SSL|TLS)|^ERR_OSSL/.test(why)) return "no secure connection (TLS) could be made";
  // Words in capital letters, and names of error classes, are codes, which only the log shows.
  return /^[A-Z0-9_]+$/.test(why) || /^[A-Za-z]*Error$/.test(why) ? "the connection failed" : why;
}
