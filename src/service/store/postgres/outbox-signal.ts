import pg, { type Pool } from "pg";
import type { Outbox } from "../store.ts";
import { PRUNE } from "./outbox-table.ts";

const CHANNEL = "mdmirror_outbox";
/** Milliseconds between two reads of the outbox while there is no connection for signals. */
const SLOW_MS = 1_000;
const WAITING_MS = 25;
/**
 * LIMIT: least milliseconds between two signals of one process, because the server handles signals
 * one after the other.
 */
const SIGN_EVERY_MS = 20;
const CONNECT_AGAIN_MS = { first: 500, most: 15_000 } as const;
/** Seconds for which rows are kept. A client that reconnects later scans everything. */
const KEPT_S = 7_200;
const PRUNE_EVERY_MS = 600_000;

/**
 * Signals commits to other processes, and receives their signals on a separate connection. A signal
 * is sent after the commit: a NOTIFY within each transaction would make all transactions wait for
 * each other. A signal only wakes a process, which then reads the changes from the outbox.
 */
export class OutboxSignal implements Outbox {
  readonly #url: string;
  readonly #pool: Pool;
  readonly #onFault: (error: unknown) => void;
  readonly #listeners = new Set<() => void>();
  #client: pg.Client | null = null;
  #isClosed = false;
  #failures = 0;
  #slow: NodeJS.Timeout | null = null;
  #soon: NodeJS.Timeout | null = null;
  #sign: NodeJS.Timeout | null = null;
  #prunedAt = 0;

  constructor(url: string, pool: Pool, onFault: (error: unknown) => void) {
    this.#url = url;
    this.#pool = pool;
    this.#onFault = onFault;
  }

  onChange(listener: () => void): () => void {
    this.#listeners.add(listener);
    if (this.#listeners.size === 1) this.#begin();
    return () => {
      this.#listeners.delete(listener);
      if (this.#listeners.size === 0) this.#rest();
    };
  }

  /** Reports a commit of this process. */
  committed(): void {
    this.#wake();
    // RACE: upkeep may commit while the store closes. Other processes find that commit by their
    // periodic reads, or after the next signal.
    if (this.#isClosed) return;
    this.#sign ??= later(SIGN_EVERY_MS, () => {
      this.#sign = null;
      void this.#tellOthers();
      // Rows are pruned even without listeners, because every commit adds rows.
      if (Date.now() - this.#prunedAt > PRUNE_EVERY_MS) void this.#prune();
    });
  }

  /**
   * Schedules another read soon: rows wait for an older transaction, which may end without a
   * signal.
   */
  waiting(): void {
    this.#soon ??= later(WAITING_MS, () => {
      this.#soon = null;
      this.#wake();
    });
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    this.#rest();
    if (this.#sign !== null) {
      clearTimeout(this.#sign);
      await this.#tellOthers();
    }
  }

  #wake(): void {
    for (const listener of this.#listeners) listener();
  }

  #begin(): void {
    void this.#connect();
    this.#slow = setInterval(() => {
      if (this.#client === null) this.#wake();
      if (Date.now() - this.#prunedAt > PRUNE_EVERY_MS) void this.#prune();
    }, SLOW_MS);
    this.#slow.unref();
  }

  #rest(): void {
    if (this.#slow !== null) clearInterval(this.#slow);
    if (this.#soon !== null) clearTimeout(this.#soon);
    this.#slow = null;
    this.#soon = null;
    const client = this.#client;
    this.#client = null;
    client?.end().catch(this.#onFault);
  }

  async #connect(): Promise<void> {
    if (this.#isClosed || this.#listeners.size === 0 || this.#client !== null) return;
    const client = new pg.Client({ connectionString: this.#url, application_name: "mdmirror", keepAlive: true });
    const lost = (error?: unknown) => this.#lose(client, error);
    client.on("error", lost);
    client.on("end", () => lost());
    client.on("notification", () => this.#wake());
    try {
      await client.connect();
      await client.query(`LISTEN ${CHANNEL}`);
    } catch (error) {
      return lost(error);
    }
    if (this.#listeners.size === 0) return void client.end().catch(this.#onFault);
    this.#client = client;
    this.#failures = 0;
    // RACE: commits before LISTEN sent no signal to this connection, so the outbox is read once.
    this.#wake();
  }

  readonly #lost = new WeakSet<pg.Client>();

  #lose(client: pg.Client, error: unknown): void {
    if (this.#lost.has(client)) return;
    this.#lost.add(client);
    if (error !== undefined) this.#onFault(error);
    if (this.#client === client) this.#client = null;
    client.end().catch(() => undefined);
    const { first, most } = CONNECT_AGAIN_MS;
    later(Math.min(most, first * 2 ** this.#failures++), () => void this.#connect());
  }

  async #tellOthers(): Promise<void> {
    try {
      await this.#pool.query(`NOTIFY ${CHANNEL}`);
    } catch (error) {
      // Other processes find the commit by their periodic reads, or after the next signal.
      this.#onFault(error);
    }
  }

  async #prune(): Promise<void> {
    this.#prunedAt = Date.now();
    try {
      await this.#pool.query(PRUNE, [KEPT_S]);
    } catch (error) {
      // RACE: pruning fails if the store closes. Another process, or the next start, prunes.
      if (!this.#isClosed) this.#onFault(error);
    }
  }
}

function later(ms: number, work: () => void): NodeJS.Timeout {
  const timer = setTimeout(work, ms);
  timer.unref();
  return timer;
}
