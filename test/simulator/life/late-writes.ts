import type { WireRequest, WireResponse } from "../../../src/contract/wire.ts";

type LateWrite = { readonly request: WireRequest; wait: number };

/** Writes that their senders have given up, and that are still under way to the service. */
export class LateWrites {
  readonly #handle: (request: WireRequest) => Promise<WireResponse>;
  #underWay: LateWrite[] = [];
  /** How many have arrived. */
  arrived = 0;
  /** Whether the service is answering one at this moment. */
  isArriving = false;

  constructor(handle: (request: WireRequest) => Promise<WireResponse>) {
    this.#handle = handle;
  }

  /** Sends a write that arrives when `wait` more requests have been sent. */
  delay(request: WireRequest, wait: number): void {
    this.#underWay.push({ request, wait });
  }

  /** Whether any is under way. */
  get awaits(): boolean {
    return this.#underWay.length > 0;
  }

  /** Called for each request that is sent: those under way come a step nearer; `all`: arrive. */
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
