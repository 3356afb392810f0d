import { MAX_PAGE_LIMIT } from "../../../contract/limits.ts";
import type { DocId } from "../../../contract/ids.ts";
import type { EventHint } from "../../ports/events.ts";
import type { DaemonTiming } from "./timing.ts";

export type FileHint = Extract<EventHint, { kind: "file" }>;

/** Documents to request. `all`: too many, or a folder changed. `folders`: list folders too. */
type HintedDocuments =
  | { readonly kind: "files"; readonly files: readonly FileHint[] }
  | { readonly kind: "all"; readonly folders: boolean };

/** LIMIT: documents requested one by one, because for more, a listing is cheaper. */
const MAX_FILES = 16;
/** Requests that events may cause in a burst. Further requests wait for the budget. */
const BURST_REQUESTS = 20;

/**
 * Collects the events of the service that no scan has handled yet. Requests that show no change use
 * up a budget, so that wrong or frequent events cost no more than polling. Times are monotonic.
 */
export class RemoteHints {
  readonly #timing: DaemonTiming;
  readonly #msARequest: number;
  readonly #files = new Map<DocId, FileHint>();
  #all = false;
  #folders = false;
  #since: number | null = null;
  /** Time until which requests that showed no change have used up the budget. */
  #paidUntil = Number.NEGATIVE_INFINITY;

  constructor(timing: DaemonTiming) {
    this.#timing = timing;
    this.#msARequest = 60_000 / timing.pollRequestsAMinute;
  }

  note(hint: EventHint, now: number): void {
    this.#since ??= now;
    if (hint.kind === "file" && !this.#all) this.#files.set(hint.id, hint);
    if (hint.kind === "folder") this.#folders = true;
    if (hint.kind === "file" && this.#files.size <= MAX_FILES) return;
    this.#all = true;
    this.#files.clear();
  }

  /** Returns the time at which the collected events are handled; null if there are none. */
  dueAt(): number | null {
    if (this.#since === null) return null;
    return Math.max(this.#since + this.#timing.eventsSettleMs, this.#paidUntil - BURST_REQUESTS * this.#msARequest);
  }

  take(): HintedDocuments {
    const files = [...this.#files.values()];
    const hintedDocuments: HintedDocuments = this.#all
      ? { kind: "all", folders: this.#folders }
      : { kind: "files", files };
    this.#files.clear();
    this.#all = false;
    this.#folders = false;
    this.#since = null;
    return hintedDocuments;
  }

  /** Charges the budget for a listing that may show no change. */
  payForList(documents: number, now: number): void {
    this.pay(Math.max(1, Math.ceil(documents / MAX_PAGE_LIMIT)), now);
  }

  pay(requests: number, now: number): void {
    this.#paidUntil = Math.max(this.#paidUntil, now) + requests * this.#msARequest;
  }
}
