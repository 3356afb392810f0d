import { BATCH_TYPE, PACKED_BATCH_TYPE } from "../contract/batch.ts";
import { BATCH } from "../contract/routes.ts";
import type { WireRequest } from "../contract/wire.ts";
import type { Wire, WireResult } from "../ports/wire.ts";
import type { Clock } from "../ports/world.ts";
import { judgeBatch } from "./batch-end.ts";
import { writeBatch } from "./batch-lines.ts";
import type { BatchSuspects } from "./batch-suspects.ts";
import type { BatchTrust } from "./batch-trust.ts";

type Bounds = Parameters<Wire["send"]>[1];

/** How many exchanges are under way at a time. More would make more batches, and smaller ones. */
const AT_ONCE = { full: 4, partial: 1 } as const;
/** Expected bytes of the texts of a batch: half of what proxies usually take. */
const TEXT_BYTES = 512 * 1024;
/** LIMIT: of the answer to a batch, in bytes: as much as the largest page. */
const ANSWER_BYTES = 32 * 1024 * 1024;
/** What an answer is expected to have, as long as none was seen. */
const USUAL_BYTES = 4_096;
/** How much the last batch says of the next one. */
const NEWEST = 0.5;
/** LIMIT: what waits for an exchange to end, and the service is silent, is sent after so long. */
const LONGEST_MS = 250;
/** Of a batch that is sent once more, each by itself: so many at a time. */
const SINGLES_AT_ONCE = 8;

type Waiting = {
  readonly request: WireRequest;
  readonly bounds: Bounds;
  readonly at: number;
  readonly resolve: (result: WireResult) => void;
  readonly reject: (error: unknown) => void;
};

type LaneOptions = {
  readonly wire: Pick<Wire, "send">;
  /** Whether what is sent here only reads. */
  readonly isRead: boolean;
  readonly trust: BatchTrust;
  readonly suspects: BatchSuspects;
  readonly clock: Clock;
  readonly basePrefix: string;
};

/**
 * Gathers the requests of one turn of the event loop, and those that come while exchanges are under
 * way. One that is alone goes out as it is, and waits for nothing.
 */
export class BatchLane {
  readonly #options: LaneOptions;
  #waiting: Waiting[] = [];
  #underWay = 0;
  #isDue = false;
  #isClosed = false;
  /** Ends the wait for a silent service; null: nothing waits so. */
  #timer: AbortController | null = null;
  #meanBytes = USUAL_BYTES;

  constructor(options: LaneOptions) {
    this.#options = options;
  }

  send(request: WireRequest, bounds: Bounds): Promise<WireResult> {
    if (this.#isClosed) return Promise.resolve(CLOSED);
    const at = this.#options.clock.monotonic();
    return new Promise((resolve, reject) => {
      this.#waiting.push({ request, bounds, at, resolve, reject });
      this.#sendInATurn();
    });
  }

  /** What waits is not sent any more, and nothing is that comes later. */
  close(): void {
    this.#isClosed = true;
    this.#stopTimer();
    for (const { resolve } of this.#waiting.splice(0)) resolve(CLOSED);
  }

  #sendInATurn(): void {
    if (this.#isDue) return;
    this.#isDue = true;
    // ORDER: not before the promises of this turn have gone on: each may bring another request.
    process.nextTick(() => {
      this.#isDue = false;
      this.#sendSome(false);
    });
  }

  /** @param atLast whether what waits has waited long enough */
  #sendSome(atLast: boolean): void {
    const most = this.#options.trust.most() ?? 1;
    let mustSend = atLast;
    while (this.#waiting.length > 0) {
      const count = this.#fitting(most);
      const isFull = count === most || count < this.#waiting.length;
      if (!mustSend && this.#underWay >= (isFull ? AT_ONCE.full : AT_ONCE.partial)) break;
      mustSend = false;
      void this.#exchange(this.#waiting.splice(0, count));
    }
    if (this.#waiting.length === 0) this.#stopTimer();
    else if (this.#timer === null) void this.#sendLater(this.#waiting[0]!.at + LONGEST_MS);
  }

  /** How many of those that wait go into one batch. */
  #fitting(most: number): number {
    const { isRead } = this.#options;
    let bytes = 0;
    let count = 0;
    for (const { request } of this.#waiting) {
      bytes += isRead ? this.#meanBytes : Buffer.byteLength(request.body ?? "");
      if (count === most || (count > 0 && bytes > TEXT_BYTES)) break;
      count++;
    }
    return count;
  }

  /** @param due when the first of those that wait has waited long enough */
  async #sendLater(due: number): Promise<void> {
    const { clock } = this.#options;
    const timer = new AbortController();
    this.#timer = timer;
    await clock.sleep(Math.max(0, due - clock.monotonic()), timer.signal);
    if (timer.signal.aborted) return;
    this.#timer = null;
    // Others may wait by now.
    this.#sendSome((this.#waiting[0]?.at ?? Infinity) + LONGEST_MS <= clock.monotonic());
  }

  #stopTimer(): void {
    this.#timer?.abort(SENT);
    this.#timer = null;
  }

  async #exchange(batch: readonly Waiting[]): Promise<void> {
    this.#underWay++;
    try {
      await (batch.length === 1 ? this.#sendAlone(batch[0]!) : this.#sendTogether(batch));
    } catch (error) {
      for (const { reject } of batch) reject(error);
    } finally {
      this.#underWay--;
      if (this.#waiting.length > 0) this.#sendInATurn();
    }
  }

  async #sendAlone({ request, bounds, resolve }: Waiting): Promise<void> {
    resolve(await this.#options.wire.send(request, bounds));
  }

  async #sendTogether(batch: readonly Waiting[]): Promise<void> {
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
    if (results === null) return this.#sendEach(batch);
    if (standing !== "good") suspects.note(batch.map(({ request }) => request));
    if (result.kind === "answer") this.#learnBytes(meanLength(results));
    for (const [at, { bounds: own, resolve }] of batch.entries()) resolve(within(results[at]!, own));
  }

  async #sendEach(batch: readonly Waiting[]): Promise<void> {
    const left = batch.values();
    const some = async () => {
      for (const each of left) await this.#sendAlone(each);
    };
    await Promise.all(Array.from({ length: SINGLES_AT_ONCE }, some));
  }

  #learnBytes(mean: number): void {
    this.#meanBytes += NEWEST * (mean - this.#meanBytes);
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

/** Without a reason, each abort would build an exception with its stack. */
const SENT = "sent";
const CLOSED: WireResult = { kind: "not-sent", why: "closed" };

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
