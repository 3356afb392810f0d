/**
 * Tracks answers that clients read slowly or not at all, because each keeps its body in memory.
 * Cuts a client that takes too long. If all answers take too much memory, cuts the client that has
 * waited longest.
 */

import type { ServerResponse } from "node:http";

/** LIMIT: bytes of all unread answers. */
const MAX_UNREAD_BYTES = 128 * 1024 * 1024;
/** LIMIT: slowest speed at which a client may read a long answer. */
const BYTES_PER_SECOND = 32 * 1024;

type Waiting = { readonly bytes: number; readonly until: number };

export class UnreadAnswers {
  /** Unread answers, the oldest first. */
  readonly #waiting = new Map<ServerResponse, Waiting>();
  readonly #mostMs: number;
  readonly #timer: NodeJS.Timeout;
  #bytes = 0;
  #cut = 0;

  /**
   * Begins to check answers.
   * @param mostMs time for a short answer; a longer answer has additional time for its bytes
   */
  constructor({ mostMs, checkEvery }: { readonly mostMs: number; readonly checkEvery: number }) {
    this.#mostMs = mostMs;
    this.#timer = setInterval(() => this.#cutLate(), checkEvery);
    this.#timer.unref();
  }

  /** Number of connections cut since the start. */
  get cut(): number {
    return this.#cut;
  }

  /** Tracks an answer after it was written, unless the system took all its bytes. */
  watch(response: ServerResponse): void {
    const bytes = response.writableLength;
    if (bytes === 0) return;
    const until = performance.now() + this.#mostMs + (bytes / BYTES_PER_SECOND) * 1_000;
    this.#waiting.set(response, { bytes, until });
    this.#bytes += bytes;
    response.once("close", () => this.#forget(response));
    for (const [oldest] of this.#waiting) {
      if (this.#bytes <= MAX_UNREAD_BYTES) return;
      this.#end(oldest);
    }
  }

  close(): void {
    clearInterval(this.#timer);
  }

  #cutLate(): void {
    const now = performance.now();
    for (const [response, { until }] of this.#waiting) if (until < now) this.#end(response);
  }

  #end(response: ServerResponse): void {
    this.#cut++;
    this.#forget(response);
    response.destroy();
  }

  #forget(response: ServerResponse): void {
    const waiting = this.#waiting.get(response);
    if (waiting === undefined) return;
    this.#waiting.delete(response);
    this.#bytes -= waiting.bytes;
  }
}
