import { MAX_PAGE_LIMIT } from "../../../contract/limits.ts";
import type { DocId } from "../../../contract/ids.ts";
import type { NewsHint } from "../../ports/news.ts";
import type { DaemonTiming } from "./timing.ts";

export type FileHint = Extract<NewsHint, { kind: "file" }>;

/** What was hinted at. `all`: a list must tell; `folders`: of the folders too. */
type Hinted =
  | { readonly kind: "files"; readonly files: readonly FileHint[] }
  | { readonly kind: "all"; readonly folders: boolean };

/** LIMIT: documents that are asked about one by one; a list tells more of them for less. */
const MAX_FILES = 16;
/** How many requests the hints may cost at once, before they wait for the minute's budget. */
const BURST = 20;

/**
 * What the service hinted at and nobody has looked at yet. Looks in vain are paid for out of a
 * budget, so that a service that hints at nothing, or too often, costs as much as polling it. Times
 * are monotonic.
 */
export class RemoteHints {
  readonly #timing: DaemonTiming;
  readonly #msARequest: number;
  readonly #files = new Map<DocId, FileHint>();
  #all = false;
  #folders = false;
  #since: number | null = null;
  /** Until when the looks in vain have used up the budget. */
  #paidUntil = Number.NEGATIVE_INFINITY;

  constructor(timing: DaemonTiming) {
    this.#timing = timing;
    this.#msARequest = 60_000 / timing.pollRequestsAMinute;
  }

  note(hint: NewsHint, now: number): void {
    this.#since ??= now;
    if (hint.kind === "file" && !this.#all) this.#files.set(hint.id, hint);
    if (hint.kind === "folder") this.#folders = true;
    if (hint.kind === "file" && this.#files.size <= MAX_FILES) return;
    this.#all = true;
    this.#files.clear();
  }

  /** When to look; null when nothing was hinted at. */
  dueAt(): number | null {
    if (this.#since === null) return null;
    return Math.max(this.#since + this.#timing.newsSettleMs, this.#paidUntil - BURST * this.#msARequest);
  }

  take(): Hinted {
    const files = [...this.#files.values()];
    const hinted: Hinted = this.#all ? { kind: "all", folders: this.#folders } : { kind: "files", files };
    this.#files.clear();
    this.#all = false;
    this.#folders = false;
    this.#since = null;
    return hinted;
  }

  /** A list was asked for that may show nothing new. */
  payForList(documents: number, now: number): void {
    this.pay(Math.max(1, Math.ceil(documents / MAX_PAGE_LIMIT)), now);
  }

  pay(requests: number, now: number): void {
    this.#paidUntil = Math.max(this.#paidUntil, now) + requests * this.#msARequest;
  }
}
