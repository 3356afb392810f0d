import { BATCH_TYPE, PACKED_BATCH_TYPE } from "../contract/batch.ts";
import { BATCH } from "../contract/routes.ts";
import type { WireRequest } from "../contract/wire.ts";
import type { Wire, WireResult } from "../ports/wire.ts";
import { judgeBatch } from "./batch-end.ts";
import { writeBatch } from "./batch-lines.ts";
import type { BatchSuspects } from "./batch-suspects.ts";
import type { BatchTrust } from "./batch-trust.ts";

type Bounds = Parameters<Wire["send"]>[1];

export type Sending = { readonly request: WireRequest; readonly bounds: Bounds };

export type ExchangeOptions = {
  readonly wire: Pick<Wire, "send">;
  /** Whether what is sent here only reads. */
  readonly isRead: boolean;
  readonly trust: BatchTrust;
  readonly suspects: BatchSuspects;
  readonly basePrefix: string;
};

/** Expected bytes of the texts of a batch: half of what proxies usually take. */
export const TEXT_BYTES = 512 * 1024;
/** LIMIT: of the answer to a batch, in bytes: as much as the largest page. */
const ANSWER_BYTES = 32 * 1024 * 1024;
/** What an answer is expected to have, as long as none was seen. */
const USUAL_BYTES = 4_096;
/** How much the last batch says of the next one. */
const NEWEST = 0.5;
/** Of a batch that is sent once more, each by itself: so many at a time. */
const SINGLES_AT_ONCE = 8;

/** Single exchanges with a service that takes batches. */
export class BatchExchange {
  readonly #options: ExchangeOptions;
  #meanBytes = USUAL_BYTES;

  constructor(options: ExchangeOptions) {
    this.#options = options;
  }

  /** What an answer is expected to have, by those of the last batches; in characters. */
  get meanBytes(): number {
    return this.#meanBytes;
  }

  /** @returns null: each is to be sent by itself */
  async together(batch: readonly Sending[]): Promise<readonly WireResult[] | null> {
    const { wire, trust, suspects, isRead, basePrefix } = this.#options;
    const requests = batch.map(({ request }) => ({ ...request, path: request.path.slice(basePrefix.length) }));
    const bounds = {
      deadlineMs: Math.min(...batch.map((each) => each.bounds.deadlineMs)),
      maxBytes: Math.min(
        ANSWER_BYTES,
        batch.reduce((sum, each) => sum + each.bounds.maxBytes, 0),
      ),
    };
    const round = trust.round();
    const result = await wire.send(asOne(requests, batch[0]!.request, basePrefix), bounds);
    const { results, standing } = judgeBatch(requests, result, isRead);
    trust.note(standing, round);
    if (results === null) return null;
    if (standing !== "good") suspects.note(batch.map(({ request }) => request));
    if (result.kind === "answer") this.#meanBytes += NEWEST * (meanLength(results) - this.#meanBytes);
    return batch.map(({ bounds: own }, at) => within(results[at]!, own));
  }

  alone({ request, bounds }: Sending): Promise<WireResult> {
    return this.#options.wire.send(request, bounds);
  }

  /** @param ended called with the result of each, which may be long before the last */
  async singly<S extends Sending>(batch: readonly S[], ended: (one: S, result: WireResult) => void): Promise<void> {
    const left = batch.values();
    const some = async () => {
      for (const one of left) ended(one, await this.alone(one));
    };
    await Promise.all(Array.from({ length: SINGLES_AT_ONCE }, some));
  }
}

/** Of the answers as they came; in characters. */
function meanLength(results: readonly WireResult[]): number {
  const lengths = results.map((result) => {
    if (result.kind !== "answer") return 0;
    return result.response.body.length + (result.response.text?.length ?? 0);
  });
  return lengths.reduce((sum, length) => sum + length, 0) / lengths.length;
}

/** ASSUMES: the requests of one client have its key and what else is in the headers in common. */
function asOne(requests: readonly WireRequest[], first: WireRequest, basePrefix: string): WireRequest {
  const headers = {
    ...first.headers,
    accept: `${PACKED_BATCH_TYPE}, ${BATCH_TYPE}, ${first.headers["accept"] ?? "*/*"}`,
    "content-type": BATCH_TYPE,
  };
  return { method: "POST", path: basePrefix + BATCH, headers, body: writeBatch(requests) };
}

/** LIMIT: of each answer, as if it had come by itself; in characters, of which none has no byte. */
function within(result: WireResult, { maxBytes }: Bounds): WireResult {
  if (result.kind !== "answer") return result;
  const { body, text } = result.response;
  if (body.length + (text?.size ?? 0) <= maxBytes) return result;
  return { kind: "lost", why: "the answer is too large" };
}
