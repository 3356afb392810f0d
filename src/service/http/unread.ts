import type { ServerResponse } from "node:http";

/**
 * Answers that their clients do not read, or too slowly: each holds its body in memory. Who takes
 * too long is cut, and so is the one who waits longest when all of them hold too much.
 */

/** LIMIT: bytes of all answers that wait. */
const MAX_UNREAD_BYTES = 128 * 1024 * 1024;
/** LIMIT: what is more than a client with this many bytes a second takes in its time. */
const BYTES_PER_SECOND = 32 * 1024;

type Waiting = { readonly bytes: number; readonly until: number };

export class UnreadAnswers {
  /** In the order in which they began. */
  readonly #waiting = new Map<ServerResponse, Waiting>();
  readonly #mostMs: number;
  readonly #timer: NodeJS.Timeout;
  #bytes = 0;
  #cut = 0;

  /** @param mostMs how long a short answer may wait; a longer one has as long as its bytes take */
  constructor({ mostMs, checkEvery }: { readonly mostMs: number; readonly checkEvery: number }) {
    this.#mostMs = mostMs;
    this.#timer = setInterval(() => this.#cutLate(), checkEvery);
    this.#timer.unref();
  }

  /** Those that were cut, since the start. */
  get cut(): number {
    return this.#cut;
  }

  /** Called once an answer is written: it is of no interest if the system took all of it. */
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
