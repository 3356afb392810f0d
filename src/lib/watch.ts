import type { FolderEvent } from "../mirror/daemon/daemon.ts";
import { publicKind } from "../mirror/operations/results/actions.ts";
import { reportJson } from "../mirror/operations/results/report.ts";
import type { MirrorWatch, WatchEvent } from "./watch-types.ts";

/** LIMIT: events that are kept until they are read. */
const MOST_WAITING = 1_000;

/** Keeps the events until they are read. */
export class Watch implements MirrorWatch {
  readonly #ending = new AbortController();
  readonly #waiting: WatchEvent[] = [];
  readonly #run: Promise<void>;
  #missed = 0;
  #isOver = false;
  #failure: { readonly error: unknown } | null = null;
  #wake = Promise.withResolvers<void>();

  /**
   * Starts a watch.
   * @param run keeps the folder in sync until the signal aborts; rejects if it cannot
   * @param signal ends the watch too
   */
  constructor(run: (onEvent: (event: FolderEvent) => void, stop: AbortSignal) => Promise<void>, signal?: AbortSignal) {
    const stop = signal === undefined ? this.#ending.signal : AbortSignal.any([this.#ending.signal, signal]);
    this.#run = run((event) => this.#take(event), stop)
      .catch((error: unknown) => {
        this.#failure = { error };
      })
      .finally(() => {
        this.#isOver = true;
        this.#tell();
      });
  }

  async next(): Promise<IteratorResult<WatchEvent, undefined>> {
    for (;;) {
      if (this.#missed > 0) return { done: false, value: this.#tellMissed() };
      const event = this.#waiting.shift();
      if (event !== undefined) return { done: false, value: event };
      if (this.#isOver) return this.#end();
      await this.#wake.promise;
    }
  }

  async stop(): Promise<void> {
    this.#ending.abort();
    await this.#run;
  }

  /** Ends the watch: called when a `for await` loop ends. */
  async return(): Promise<IteratorResult<WatchEvent, undefined>> {
    await this.stop();
    return { done: true, value: undefined };
  }

  [Symbol.asyncIterator](): this {
    return this;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.stop();
  }

  #end(): IteratorResult<WatchEvent, undefined> {
    const failure = this.#failure;
    this.#failure = null;
    if (failure !== null) throw failure.error;
    return { done: true, value: undefined };
  }

  #take(event: FolderEvent): void {
    this.#waiting.push(watchEvent(event));
    if (this.#waiting.length > MOST_WAITING) {
      this.#waiting.shift();
      this.#missed++;
    }
    this.#tell();
  }

  #tellMissed(): WatchEvent {
    const event: WatchEvent = { kind: "missed", at: this.#waiting[0]!.at, count: this.#missed };
    this.#missed = 0;
    return event;
  }

  #tell(): void {
    this.#wake.resolve();
    this.#wake = Promise.withResolvers<void>();
  }
}

function watchEvent(event: FolderEvent): WatchEvent {
  const { at } = event;
  switch (event.kind) {
    case "run":
      return { kind: "run", at, report: reportJson(event.report) };
    case "phase": {
      const { phase } = event;
      return { kind: "phase", at, phase: phase.kind, detail: "detail" in phase ? phase.detail : "" };
    }
    case "change": {
      const { lines, run: _run, changeId: _changeId, ...rest } = event;
      const [added, removed] = [lines?.added ?? null, lines?.removed ?? null];
      return { ...rest, what: publicKind(event.what), added, removed };
    }
    case "deletion-pending":
      return { kind: "deletion-pending", at, path: event.path, dueAt: event.dueAt, asks: event.asks };
    case "broken": {
      const { kind, what, code, next } = event.trouble;
      return { kind: "broken", at, retryMs: event.retryMs, code: code ?? kind, message: what, next };
    }
    default:
      return event;
  }
}
