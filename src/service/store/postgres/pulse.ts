import type { Pool, PoolClient } from "pg";
import { isTimeout } from "./faults.ts";
import { OwnClient } from "./pool.ts";

/** Time limits in milliseconds. */
export type PulseLimits = {
  /** Time in one transaction, or waiting for a connection, after which the server is tested. */
  readonly slow: number;
  /** Time within which a running server answers `SELECT 1`. */
  readonly answer: number;
  readonly lookEvery: number;
};

const LIMITS: PulseLimits = { slow: 2_000, answer: 1_500, lookEvery: 500 };

/**
 * Distinguishes a server that hangs from a busy server. A long statement may continue while the
 * server answers on another connection. A server that answers on no connection counts as away after
 * some seconds. Requests then fail immediately until the server answers again. Otherwise each
 * request would occupy a connection up to the limit of the longest statement.
 */
export class Pulse {
  readonly #url: string;
  readonly #pool: Pool;
  readonly #limits: PulseLimits;
  /** Connections in use, each with the time at which it was taken; the oldest first. */
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
    // Cuts all connections in use, so that their statements end as on a lost connection.
    for (const client of [...this.#taken.keys()]) (client as PoolClient & Pick<OwnClient, "cut">).cut();
  }

  /**
   * Returns true if the server answers a test on a separate connection. A refusal counts as an
   * answer.
   */
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
  // Callers that wait for a connection receive the rejection. Without this handler, it would be
  // unhandled if nobody waits.
  made.promise.catch(() => undefined);
  return made;
}
