import type { WireRequest, WireResponse } from "../../../src/contract/wire.ts";

type LateWrite = { readonly request: WireRequest; wait: number };

/** Writes that their senders have given up, and that are still on their way to the service. */
export class LateWrites {
  readonly #handle: (request: WireRequest) => Promise<WireResponse>;
  #underWay: LateWrite[] = [];
  /** Number of writes that have arrived. */
  arrived = 0;
  /** True while the service answers one of them. */
  isArriving = false;

  constructor(handle: (request: WireRequest) => Promise<WireResponse>) {
    this.#handle = handle;
  }

  /** Sends a write that arrives when `wait` more requests have been sent. */
  delay(request: WireRequest, wait: number): void {
    this.#underWay.push({ request, wait });
  }

  /** True if any write is on its way. */
  get awaits(): boolean {
    return this.#underWay.length > 0;
  }

  /**
   * Called for each request that is sent: waiting writes come one request closer. `all`: all of
   * them arrive.
   */
  async arrive(all = false): Promise<void> {
    if (!this.awaits) return;
    const due = this.#underWay.filter((one) => all || --one.wait <= 0);
    this.#underWay = this.#underWay.filter((one) => !due.includes(one));
    this.arrived += due.length;
    for (const { request } of due) {
      this.isArriving = true;
      try {
        await this.#handle(request);
      } finally {
        this.isArriving = false;
      }
    }
  }
}
