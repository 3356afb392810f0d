import { BATCH_HEADER, MAX_BATCH_REQUESTS } from "../contract/batch.ts";
import type { WireResult } from "../ports/wire.ts";
import type { Clock } from "../ports/world.ts";
import type { Standing } from "./batch-end.ts";

/**
 * For how long no batch is sent where batches do not come through: what stands between may refuse
 * them for ever, or be mended.
 */
const REST_MS = 600_000;
/** LIMIT: a service may allow more; its answer has to be held. */
const MOST = MAX_BATCH_REQUESTS;

/** Whether batches may be sent, and of how many requests: only while the service itself says so. */
export class BatchTrust {
  readonly #clock: Pick<Clock, "monotonic">;
  /** As the newest list said; null: it did not, so there are none. */
  #most: number | null = null;
  #restsUntil = 0;
  #shaken = false;
  /** Number of accidents so far. */
  #round = 0;

  constructor(clock: Pick<Clock, "monotonic">) {
    this.#clock = clock;
  }

  /** The most requests of a batch; null: none may be sent. */
  most(): number | null {
    return this.#most === null || this.#clock.monotonic() < this.#restsUntil ? null : this.#most;
  }

  /** Of which a batch that is sent now is to remember the number. */
  round(): number {
    return this.#round;
  }

  /** What a list was answered. */
  sawList(result: WireResult): void {
    if (result.kind !== "answer" || result.response.status !== 200) return;
    const said = result.response.headers[BATCH_HEADER] ?? "";
    const most = /^\d{1,6}$/.test(said) ? Math.min(MOST, Number(said)) : 0;
    this.#most = most < 2 ? null : most;
  }

  /** How a batch ended. @param sentIn the round in which it was sent */
  note(standing: Standing, sentIn: number): void {
    if (standing === "good") {
      if (sentIn === this.#round) this.#shaken = false;
      return;
    }
    // One accident ends all batches that are under way: only one that was sent later is another.
    if (standing === "shaken" && sentIn !== this.#round) return;
    this.#round++;
    if (standing === "gone" || this.#shaken) this.#restsUntil = this.#clock.monotonic() + REST_MS;
    this.#shaken = standing === "shaken" && !this.#shaken;
  }
}
