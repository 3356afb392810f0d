import { MAX_PAGE_LIMIT } from "../../../contract/limits.ts";
import type { DocId } from "../../../contract/ids.ts";
import type { EventHint } from "../../ports/remote.ts";
import type { DaemonTiming } from "./interface.ts";

export type FileHint = Extract<EventHint, { kind: "file" }>;

/**
 * The documents to request. `all`: everything is listed instead, because there are too many
 * documents or a folder changed. `folders`: true if that listing includes the folders.
 */
type HintedDocuments =
  | { readonly kind: "files"; readonly files: readonly FileHint[] }
  | { readonly kind: "all"; readonly folders: boolean };

/**
 * LIMIT: number of documents that are requested one by one, because one listing is cheaper than
 * many requests.
 */
const MAX_FILES = 16;
/** Number of requests that events may cause at one moment. Further requests wait. */
const BURST_REQUESTS = 20;

/**
 * Collects the events of the service that no scan has handled yet. Requests that show no change use
 * up a budget. Therefore wrong or very frequent events cost no more requests than polling. Times
 * are monotonic.
 */
export class RemoteHints {
  readonly #timing: DaemonTiming;
  readonly #msARequest: number;
  readonly #files = new Map<DocId, FileHint>();
  #all = false;
  #folders = false;
  #since: number | null = null;
  /** Time at which the budget of requests without a change is full again. */
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

  /** Returns the time at which the collected events are due; null if there are none. */
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

  /** Charges a listing to the budget, because the listing may show no change. */
  payForList(documents: number, now: number): void {
    this.pay(Math.max(1, Math.ceil(documents / MAX_PAGE_LIMIT)), now);
  }

  pay(requests: number, now: number): void {
    this.#paidUntil = Math.max(this.#paidUntil, now) + requests * this.#msARequest;
  }
}
