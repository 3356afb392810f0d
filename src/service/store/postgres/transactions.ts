import { setTimeout as pause } from "node:timers/promises";
import type { Pool, PoolClient } from "pg";
import { StoreBusyError } from "../store.ts";
import { isConnectionLost, isTimeout, isTooLong, isWorthRetrying, StoreUnreachableError } from "./faults.ts";
import { sql } from "../sql.ts";
import { Session } from "./session.ts";

/**
 * READ COMMITTED with locks: each read of a write sees earlier commits, and a write locks the rows
 * on which it depends (see `Store`). SERIALIZABLE would need no locks, but would roll back the
 * second of two edits of one document. That edit would run again instead of waiting briefly.
 */
const BEGIN = {
  read: sql`BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY`,
  write: sql`BEGIN ISOLATION LEVEL READ COMMITTED READ WRITE`,
} as const;
const UNSYNCED = sql`SET LOCAL synchronous_commit = off`;

/** LIMIT: attempts to run one transaction; after that, the caller gets 503. */
const MAX_RUNS = 8;
/** Longest pause before the second run, in milliseconds; each later pause may be twice as long. */
const FIRST_PAUSE_MS = 4;

type WriteOptions<T> = {
  /** Returns true if the transaction should be committed with this result. Undefined: always. */
  readonly keep?: (result: T) => boolean;
  /** False if a power loss may undo the write. */
  readonly isSynced?: boolean;
};

/** Runs work in transactions on connections of a pool. */
export class Transactions {
  readonly #pool: Pick<Pool, "connect">;

  constructor(pool: Pick<Pool, "connect">) {
    this.#pool = pool;
  }

  /**
   * Runs `work` in a transaction that only reads.
   * @throws StoreBusyError
   */
  read<T>(work: (session: Session) => Promise<T>): Promise<T> {
    return this.#repeat(async (client) => {
      const session = new Session(client, false);
      session.send(BEGIN.read);
      const result = await work(session);
      // A transaction that only reads has nothing to commit, so the caller need not wait for its
      // end.
      void client.query("COMMIT").then(
        () => client.release(),
        (error: Error) => client.release(error),
      );
      return result;
    });
  }

  /**
   * Runs a write in a transaction.
   * @throws StoreBusyError if nothing was done; `StoreUnreachableError` if the result is unknown
   */
  write<T>(
    work: (session: Session) => Promise<T>,
    { keep = () => true, isSynced = true }: WriteOptions<T> = {},
  ): Promise<T> {
    return this.#repeat(async (client) => {
      const session = new Session(client, true);
      session.send(BEGIN.write);
      if (!isSynced) session.send(UNSYNCED);
      const result = await work(session);
      if (!keep(result)) {
        await rollBack(client);
        return result;
      }
      await session.commit();
      client.release();
      return result;
    });
  }

  /**
   * Runs work again after a collision, or after a connection broke while the server restarted.
   * @param once ends its transaction and releases the connection, unless it throws
   */
  async #repeat<T>(once: (client: PoolClient) => Promise<T>): Promise<T> {
    for (let run = 1; ; run++) {
      const client = await this.#connect();
      try {
        return await once(client);
      } catch (thrown) {
        const error = errorForCaller(thrown);
        // A server that hangs would not answer a rollback.
        if (error instanceof StoreUnreachableError) client.release(error);
        else await rollBack(client);
        const broke = isBroken(error);
        if (!broke && !isWorthRetrying(error)) throw error;
        if (run === MAX_RUNS) throw new StoreBusyError("Others changed the same at the same time", { cause: error });
        // Lets the pool notice other broken connections, and parts transactions that collided.
        await pause(broke ? 0 : Math.random() * FIRST_PAUSE_MS * 2 ** (run - 1));
      }
    }
  }

  async #connect(): Promise<PoolClient> {
    try {
      return await this.#pool.connect();
    } catch (error) {
      throw errorForCaller(error);
    }
  }
}

/** Rolls back, and returns the connection to the pool; drops it if it is no longer usable. */
async function rollBack(client: PoolClient): Promise<void> {
  try {
    await client.query("ROLLBACK");
    client.release();
  } catch (error) {
    client.release(error as Error);
  }
}

/**
 * Returns true if an open connection broke before anything was committed. Other connections of the
 * pool may be as old, so each is tried. If the server cannot be reached, the work fails
 * immediately.
 */
function isBroken(error: unknown): boolean {
  return error instanceof StoreUnreachableError && !error.mayBeKept && !isTimeout(error.cause);
}

/** Returns the error for the caller: StoreBusyError if a retry may succeed. */
function errorForCaller(error: unknown): unknown {
  if (error instanceof StoreBusyError) return error;
  if (isConnectionLost(error)) return new StoreUnreachableError(error, false);
  return isTooLong(error) ? new StoreBusyError("The database has too much to do", { cause: error }) : error;
}
