import { MAX_PAGE_LIMIT } from "../../../contract/limits.ts";
import type { Remote } from "../../ports/remote.ts";
import type { DaemonTiming } from "./timing.ts";

const MINUTE = 60_000;
/** Requests that looks may be ahead of the budget; small ones besides one look at everything. */
const AHEAD = 20;
/**
 * LIMIT: requests that are owed at most, besides one look at everything: ten thousand writes would
 * else keep all looks away for hours.
 */
const MOST_OWED = 60;
/** LIMIT: a service that goes on refusing is still asked so often a minute. */
const LEAST_A_MINUTE = 4;
/** Each minute without a refusal, the pace gains this share of the configured one. */
const REGAINED = 0.1;

/**
 * What looks at the service may cost. All that is sent is paid for out of the same requests a
 * minute: writes and downloads as well, which wait for nothing, so that looks do. A service that
 * refuses some of it has the pace halved. Times are monotonic.
 */
export class RequestBudget {
  readonly #remote: Pick<Remote, "counts" | "pressure">;
  readonly #most: number;
  #aMinute: number;
  #refusals: number;
  #sent: number;
  #owed = 0;
  #asOf: number;
  /** Requests of the last look at everything; null: there was none. */
  #wholeCost: number | null = null;

  constructor(remote: Pick<Remote, "counts" | "pressure">, { pollRequestsAMinute }: DaemonTiming, now: number) {
    this.#remote = remote;
    this.#most = pollRequestsAMinute;
    this.#aMinute = pollRequestsAMinute;
    this.#refusals = remote.pressure().refusals;
    this.#sent = this.sent();
    this.#asOf = now;
  }

  /** Requests sent so far, of any kind. */
  sent(): number {
    return Object.values(this.#remote.counts()).reduce((sum, count) => sum + count, 0);
  }

  noteWhole(requests: number): void {
    this.#wholeCost = Math.max(1, requests);
  }

  /** Requests of a look at everything. @param documents how many there are, for an estimate */
  wholeCost(documents: number): number {
    return this.#wholeCost ?? Math.max(1, Math.ceil(documents / MAX_PAGE_LIMIT));
  }

  /** How many documents a page shows. @param documents how many there are */
  pageSize(documents: number): number {
    return Math.min(MAX_PAGE_LIMIT, Math.max(1, Math.ceil(documents / this.wholeCost(documents))));
  }

  /** Requests a minute that the service takes now. */
  aMinute(now: number): number {
    this.#settle(now);
    return this.#aMinute;
  }

  /** When everything may be looked at: nearly all that was sent is paid. */
  wholeAt(now: number): number {
    return this.#owedAt(AHEAD, now);
  }

  /** When a small look may be made; it may come before what a look at everything owes is paid. */
  smallAt(now: number): number {
    return this.#owedAt((this.#wholeCost ?? 0) + AHEAD, now);
  }

  #owedAt(owed: number, now: number): number {
    this.#settle(now);
    const paid = now + Math.ceil((Math.max(0, this.#owed - owed) * MINUTE) / this.#aMinute);
    return Math.max(paid, now + this.#remote.pressure().pauseMs);
  }

  #settle(now: number): void {
    const minutes = (now - this.#asOf) / MINUTE;
    const sent = this.sent();
    const { refusals } = this.#remote.pressure();
    const owed = Math.max(0, this.#owed - minutes * this.#aMinute) + sent - this.#sent;
    this.#owed = Math.min(owed, (this.#wholeCost ?? 0) + MOST_OWED);
    if (refusals > this.#refusals) this.#aMinute = Math.max(Math.min(LEAST_A_MINUTE, this.#most), this.#aMinute / 2);
    else this.#aMinute = Math.min(this.#most, this.#aMinute + minutes * REGAINED * this.#most);
    this.#refusals = refusals;
    this.#sent = sent;
    this.#asOf = now;
  }
}
