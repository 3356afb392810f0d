import type { Pool, PoolClient } from "pg";
import { isTimeout } from "./faults.ts";
import { OwnClient } from "./pool.ts";

/** Time limits in milliseconds. */
export type PulseLimits = {
  /** Time in one transaction, or waiting for a connection, after which the server is probed. */
  readonly slow: number;
  /** Time in which a live server answers `SELECT 1`. */
  readonly answer: number;
  readonly lookEvery: number;
};

const LIMITS: PulseLimits = { slow: 2_000, answer: 1_500, lookEvery: 500 };

/**
 * Distinguishes a server that hangs from a busy one: a long statement may take its time as long as
 * another connection is answered. A server that answers no connection counts as away after some
 * seconds; requests then fail immediately until it answers again. Otherwise each request would
 * occupy its connection up to the limit of the longest statement, and later requests would wait in
 * vain.
 */
export class Pulse {
  readonly #url: string;
  readonly #pool: Pool;
  readonly #limits: PulseLimits;
  /** Connections in use, with the time since when; the oldest first. */
  readonly #taken = new Map<PoolClient, number>();
  readonly #waiting = new Map<symbol, number>();
  #hang: PromiseWithResolvers<never> = neverYet();
  #isHanging = false;
  #isAsking = false;
  #answeredAt = 0;
  #timer: NodeJS.Timeout | null = null;

  constructor(url: string, pool: Pool, limits: PulseLimits = LIMITS) {
    this.#url = url;
    this.#pool = pool;
    this.#limits = limits;
    pool.on("acquire", (client) => {
      this.#taken.set(client, performance.now());
      this.#watch();
    });
    pool.on("release", (_error, client) => this.#taken.delete(client));
    pool.on("remove", (client) => this.#taken.delete(client));
  }

  /**
   * Takes a connection of the pool.
   * @throws as the pool does; a timeout also if the server hangs
   */
  async connect(): Promise<PoolClient> {
    if (this.#isHanging) throw hanging();
    const connecting = this.#pool.connect();
    const name = Symbol();
    this.#waiting.set(name, performance.now());
    this.#watch();
    let isGivenUp = false;
    const unused = (client: PoolClient) => {
      if (isGivenUp) client.release();
    };
    try {
      return await Promise.race([connecting, this.#hang.promise]);
    } catch (error) {
      isGivenUp = true;
      connecting.then(unused, () => undefined);
      throw error;
    } finally {
      this.#waiting.delete(name);
    }
  }

  close(): void {
    if (this.#timer !== null) clearInterval(this.#timer);
    this.#timer = null;
  }

  #watch(): void {
    if (this.#timer !== null || this.#pool.ending) return;
    this.#timer = setInterval(() => this.#look(), this.#limits.lookEvery);
    this.#timer.unref();
  }

  #look(): void {
    const [oldest] = this.#taken.values();
    const [longest] = this.#waiting.values();
    if (oldest === undefined && longest === undefined && !this.#isHanging) {
      this.close();
      return;
    }
    const since = Math.max(this.#answeredAt, Math.min(oldest ?? Infinity, longest ?? Infinity));
    if (this.#isAsking || (!this.#isHanging && performance.now() - since < this.#limits.slow)) return;
    void this.#ask();
  }

  async #ask(): Promise<void> {
    this.#isAsking = true;
    const lives = await this.#isAnswered();
    this.#isAsking = false;
    if (lives) this.#answeredAt = performance.now();
    if (lives === !this.#isHanging) return;
    this.#isHanging = !lives;
    if (lives) return;
    const { reject } = this.#hang;
    this.#hang = neverYet();
    reject(hanging());
    // Their statements end as on a lost connection.
    for (const client of [...this.#taken.keys()]) (client as PoolClient & Pick<OwnClient, "cut">).cut();
  }

  /** Probes on a separate connection; a refusal is also an answer. */
  async #isAnswered(): Promise<boolean> {
    const { answer } = this.#limits;
    const more = { application_name: "mdmirror", connectionTimeoutMillis: answer, query_timeout: answer };
    const client = new OwnClient({ connectionString: this.#url, ...more });
    client.on("error", () => undefined);
    try {
      await client.connect();
      await client.query("SELECT 1");
      await client.end();
      return true;
    } catch (error) {
      client.cut();
      return !isTimeout(error);
    }
  }
}

function hanging(): Error {
  return new Error("timeout of the database: it answers nobody");
}

function neverYet(): PromiseWithResolvers<never> {
  const made = Promise.withResolvers<never>();
  // Rejections go to callers that wait for a connection; without any, the rejection would be
  // unhandled.
  made.promise.catch(() => undefined);
  return made;
}
