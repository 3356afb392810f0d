import { type ExecutedOperation, isOfAdmin, isReading, type Answer, type Operation, requestOf } from "./operation.ts";

/**
 * Result of a request. `unknown`: it may have arrived. `unsent`: it did not arrive, because no
 * connection was established.
 */
export type Sent = Answer | "unknown" | "unsent";

/** Sends a request on one connection of a client to a process of the service. */
export type Send = (method: string, path: string, body: object | null, by: "user" | "admin") => Promise<Sent>;

/** The operations and answers of all clients, on one logical clock. */
export class Recorder {
  readonly #done: ExecutedOperation[] = [];
  #clock = 0;
  #waiting: { readonly count: number; readonly resolve: () => void }[] = [];

  /** Sends an operation and records it. Returns the answer; null if it was lost. */
  async ask(client: number, op: Operation, send: Send): Promise<Answer | null> {
    const from = this.#clock++;
    const { method, path, body } = requestOf(op);
    const sent = await send(method, path, body, isOfAdmin(op) ? "admin" : "user");
    const to = this.#clock++;
    if (sent === "unsent") return null;
    if (sent !== "unknown" && sent.status !== 500 && sent.status !== 503) {
      this.#add({ client, op, from, to, answer: sent });
      return sent;
    }
    // A read whose answer was lost proves nothing, so it is not recorded.
    if (!isReading(op)) this.#add({ client, op, from, to: Infinity, answer: null });
    return null;
  }

  #add(done: ExecutedOperation): void {
    this.#done.push(done);
    for (const { count, resolve } of this.#waiting) if (count <= this.count) resolve();
    this.#waiting = this.#waiting.filter(({ count }) => count > this.count);
  }

  /** Resolves when that many operations have ended. */
  reached(count: number): Promise<void> {
    if (count <= this.count) return Promise.resolve();
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#waiting.push({ count, resolve });
    return promise;
  }

  get history(): readonly ExecutedOperation[] {
    return this.#done;
  }

  /** Number of operations that have ended. */
  get count(): number {
    return this.#done.length;
  }
}
