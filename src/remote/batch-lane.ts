import type { WireRequest } from "../contract/wire.ts";
import type { Wire, WireResult } from "../ports/wire.ts";
import type { Clock } from "../ports/world.ts";
import { BatchExchange, type ExchangeOptions, type Sending, TEXT_BYTES } from "./batch-exchange.ts";

type Bounds = Parameters<Wire["send"]>[1];

/** How many exchanges are under way at a time. More would make more batches, and smaller ones. */
const AT_ONCE = { full: 4, partial: 1 } as const;
/** LIMIT: what waits for an exchange to end, and the service is silent, is sent after so long. */
const LONGEST_MS = 250;
type Waiting = Sending & {
  readonly at: number;
  readonly resolve: (result: WireResult) => void;
  readonly reject: (error: unknown) => void;
};

type LaneOptions = ExchangeOptions & { readonly clock: Clock };

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
  readonly #exchanges: BatchExchange;

  constructor(options: LaneOptions) {
    this.#options = options;
    this.#exchanges = new BatchExchange(options);
  }

  send(request: WireRequest, bounds: Bounds): Promise<WireResult> {
    if (this.#isClosed) return Promise.resolve(CLOSED);
    const at = this.#options.clock.monotonic();
    return new Promise((resolve, reject) => {
      this.#waiting.push({ request, bounds, at, resolve, reject });
      this.#sendInATurn();
    });
  }

  /**
   * Sends requests of one caller together at once, in as few exchanges as a batch has room for.
   * @returns their results, in their order
   */
  async sendAll(requests: readonly WireRequest[], bounds: Bounds): Promise<readonly WireResult[]> {
    if (this.#isClosed) return requests.map(() => CLOSED);
    const most = Math.max(
      1,
      Math.min(this.#options.trust.most() ?? 1, Math.floor(TEXT_BYTES / this.#exchanges.meanBytes)),
    );
    const parts: (readonly WireRequest[])[] = [];
    for (let at = 0; at < requests.length; at += most) parts.push(requests.slice(at, at + most));
    return (await Promise.all(parts.map((part) => this.#sendPart(part, bounds)))).flat();
  }

  async #sendPart(requests: readonly WireRequest[], bounds: Bounds): Promise<readonly WireResult[]> {
    const batch = requests.map((request) => ({ request, bounds }));
    this.#underWay++;
    try {
      const together = batch.length === 1 ? null : await this.#exchanges.together(batch);
      if (together !== null) return together;
      const results = new Map<Sending, WireResult>();
      await this.#exchanges.singly(batch, (one, result) => void results.set(one, result));
      return batch.map((one) => results.get(one)!);
    } finally {
      this.#underWay--;
      if (this.#waiting.length > 0) this.#sendInATurn();
    }
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
      bytes += isRead ? this.#exchanges.meanBytes : Buffer.byteLength(request.body ?? "");
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

  async #sendAlone(one: Waiting): Promise<void> {
    one.resolve(await this.#exchanges.alone(one));
  }

  async #sendTogether(batch: readonly Waiting[]): Promise<void> {
    const results = await this.#exchanges.together(batch);
    if (results === null) await this.#exchanges.singly(batch, ({ resolve }, result) => resolve(result));
    else for (const [at, { resolve }] of batch.entries()) resolve(results[at]!);
  }
}

/** Without a reason, each abort would build an exception with its stack. */
const SENT = "sent";
const CLOSED: WireResult = { kind: "not-sent", why: "closed" };
