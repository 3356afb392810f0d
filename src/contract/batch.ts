import type { WireHeaders } from "./wire.ts";

/**
 * `POST /v1/batch`: many requests in one exchange. The published contract says nothing of it, so a
 * service that has it says so by `BATCH_HEADER` on its lists, and a client works without.
 *
 * The body has two lines for each request: a `BatchedRequest`, and its JSON body on one line, or an
 * empty one. The answer has two lines for each, in the same order: a `BatchedAnswer`, and its body,
 * or an empty line. Every line ends with a line feed, which JSON written without white space has
 * nowhere else. It means what those requests would mean that were sent at the same time, each on a
 * connection of its own: in no order, in no common transaction, each with an answer of its own.
 */

/** On each list that was answered well: the most requests of one batch, `MAX_BATCH_REQUESTS`. */
export const BATCH_HEADER = "x-service-batch";

export const BATCH_TYPE = "application/x-ndjson";

/**
 * An answer to a batch for whose request `Accept` names this type. The text of a file that is read
 * stands beside its JSON, which lacks `content`, as the service stores it: the first line tells it,
 * and its bytes follow the second, with a line feed after them that does not count. So neither side
 * packs, unpacks or spells out what it only hands on.
 */
export const PACKED_BATCH_TYPE = "application/vnd.mdmirror.batch";

export const MAX_BATCH_REQUESTS = 64;

/** Of a batch's body: 64 texts of 51,200 characters, most of them ASCII, with their bodies. */
export const MAX_BATCH_BYTES = 4 * 1024 * 1024;

/** The first line of a request. It takes no other members. */
export type BatchedRequest = {
  readonly method: string;
  /** As in a request line, with its query. */
  readonly path: string;
};

/** The first line of an answer. */
export type BatchedAnswer = {
  /** The place of its request in the batch, from 0. */
  readonly at: number;
  readonly status: number;
  /** Those of the single answer, in lower case, but for `cache-control`. */
  readonly headers: WireHeaders;
  /** Of an answer with a text beside it: how it is packed, its bytes so, and those of its UTF-8. */
  readonly text?: BatchedText;
};

/** `codec`: see `CODEC`. Packed by zstd it has fewer bytes than its UTF-8. */
export type BatchedText = { readonly codec: number; readonly bytes: number; readonly size: number };
