import type { Pool } from "pg";
import { PRUNE_OUTBOX } from "./outbox-table.ts";

/** Milliseconds between two reads of the outbox while there are listeners. */
const READ_EVERY_MS = 250;
/**
 * Seconds for which outbox rows are kept. A client that was disconnected for longer must scan
 * everything.
 */
const KEPT_SECONDS = 7_200;
const PRUNE_EVERY_MS = 600_000;

/**
 * Calls the listeners of a store after each commit of this process. Also calls them periodically:
 * other processes commit too, and some rows cannot be read until an older transaction has ended.
 */
export class OutboxPoll {
  readonly #pool: Pool;
  readonly #onFault: (error: unknown) => void;
  readonly #listeners = new Set<() => void>();
  #timer: NodeJS.Timeout | null = null;
  #prunedAt = 0;
  #isClosed = false;

  constructor(pool: Pool, onFault: (error: unknown) => void) {
    this.#pool = pool;
    this.#onFault = onFault;
  }

  onChange(listener: () => void): () => void {
    this.#listeners.add(listener);
    this.#timer ??= setInterval(() => this.#wake(), READ_EVERY_MS).unref();
    return () => {
      this.#listeners.delete(listener);
      if (this.#listeners.size === 0) this.#stopTimer();
    };
  }

  committed(): void {
    this.#wake();
    // Most commits add rows, so rows are pruned even without listeners.
    if (!this.#isClosed && Date.now() - this.#prunedAt > PRUNE_EVERY_MS) void this.#prune();
  }

  close(): void {
    this.#isClosed = true;
    this.#stopTimer();
  }

  #wake(): void {
    for (const listener of this.#listeners) listener();
  }

  #stopTimer(): void {
    if (this.#timer !== null) clearInterval(this.#timer);
    this.#timer = null;
  }

  async #prune(): Promise<void> {
    this.#prunedAt = Date.now();
    try {
      await this.#pool.query(PRUNE_OUTBOX, [KEPT_SECONDS]);
    } catch (error) {
      // RACE: if the store closes meanwhile, pruning fails. The error is not reported, because
      // these rows are pruned later.
      if (!this.#isClosed) this.#onFault(error);
    }
  }
}
