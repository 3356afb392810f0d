import { MAX_PAGE_LIMIT } from "../../../contract/limits.ts";
import type { Remote } from "../../ports/remote.ts";
import type { DaemonTiming } from "./interface.ts";

const MINUTE_MS = 60_000;
/**
 * Number of recent requests that delay no scan. A listing of the whole workspace waits until the
 * budget has recovered from all requests but this number.
 */
const SPARE_REQUESTS = 20;
/**
 * LIMIT: number of requests, beyond those of one listing of the whole workspace, from which the
 * budget must recover. Without this limit, many uploads would prevent scans for hours.
 */
const MAX_OVERSPENT = 60;
/** LIMIT: lowest number of requests per minute after refusals, so that scans never stop. */
const MIN_PER_MINUTE = 4;
/**
 * Share of the configured requests per minute that the budget regains in each minute without a
 * refusal.
 */
const REGAINED_SHARE = 0.1;

/**
 * Limits how often mdmirror scans the service. All requests count towards one limit per minute,
 * including uploads and downloads, but only scans wait. If the service refuses a request because of
 * too many requests, the limit is halved for some time. Times are monotonic.
 */
export class RequestBudget {
  readonly #remote: Pick<Remote, "counts" | "pressure">;
  readonly #limit: number;
  #requestsAMinute: number;
  #refusals: number;
  #sent: number;
  #overspent = 0;
  #settledAt: number;
  /**
   * Number of requests for the last listing of the whole workspace; null before the first listing.
   */
  #wholeCost: number | null = null;

  constructor(remote: Pick<Remote, "counts" | "pressure">, { pollRequestsAMinute }: DaemonTiming, now: number) {
    this.#remote = remote;
    this.#limit = pollRequestsAMinute;
    this.#requestsAMinute = pollRequestsAMinute;
    this.#refusals = remote.pressure().refusals;
    this.#sent = this.sent();
    this.#settledAt = now;
  }

  sent(): number {
    return Object.values(this.#remote.counts()).reduce((sum, count) => sum + count, 0);
  }

  noteWhole(requests: number): void {
    this.#wholeCost = Math.max(1, requests);
  }

  /**
   * Returns the number of requests for a listing of the whole workspace; an estimate before the
   * first listing.
   * @param documents number of documents in the workspace
   */
  wholeCost(documents: number): number {
    return this.#wholeCost ?? Math.max(1, Math.ceil(documents / MAX_PAGE_LIMIT));
  }

  /**
   * Returns the number of documents on a page of a listing.
   * @param documents number of documents in the workspace
   */
  pageSize(documents: number): number {
    return Math.min(MAX_PAGE_LIMIT, Math.max(1, Math.ceil(documents / this.wholeCost(documents))));
  }

  /** Returns the number of requests per minute: the configured number, or fewer after refusals. */
  requestsAMinute(now: number): number {
    this.#settle(now);
    return this.#requestsAMinute;
  }

  /** Returns the time at which a listing of the whole workspace may start. */
  wholeAt(now: number): number {
    return this.#owedAt(SPARE_REQUESTS, now);
  }

  /**
   * Returns the time at which a small scan may start. The requests of the last listing of the whole
   * workspace do not delay a small scan.
   */
  smallAt(now: number): number {
    return this.#owedAt((this.#wholeCost ?? 0) + SPARE_REQUESTS, now);
  }

  #owedAt(owed: number, now: number): number {
    this.#settle(now);
    const paidAt = now + Math.ceil((Math.max(0, this.#overspent - owed) * MINUTE_MS) / this.#requestsAMinute);
    return Math.max(paidAt, now + this.#remote.pressure().pauseMs);
  }

  #settle(now: number): void {
    const minutes = (now - this.#settledAt) / MINUTE_MS;
    const sentCount = this.sent();
    const { refusals } = this.#remote.pressure();
    const owedRequests = Math.max(0, this.#overspent - minutes * this.#requestsAMinute) + sentCount - this.#sent;
    this.#overspent = Math.min(owedRequests, (this.#wholeCost ?? 0) + MAX_OVERSPENT);
    if (refusals > this.#refusals)
      this.#requestsAMinute = Math.max(Math.min(MIN_PER_MINUTE, this.#limit), this.#requestsAMinute / 2);
    else this.#requestsAMinute = Math.min(this.#limit, this.#requestsAMinute + minutes * REGAINED_SHARE * this.#limit);
    this.#refusals = refusals;
    this.#sent = sentCount;
    this.#settledAt = now;
  }
}
