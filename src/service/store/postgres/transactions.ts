import { setTimeout as pause } from "node:timers/promises";
import type { Pool, PoolClient } from "pg";
import { StoreBusyError } from "../store.ts";
import { isConnectionLost, isTimeout, isTooLong, isWorthRetrying, StoreUnreachableError } from "./faults.ts";
import { sql } from "../sql.ts";
import { Session } from "./session.ts";

/**
 * Statements that begin a transaction. Writes use READ COMMITTED: each read sees all earlier
 * commits, and a write locks the rows on which it depends (see `Store`). SERIALIZABLE would need no
 * locks. But of two concurrent edits of a document, it would roll back the second one and run it
 * again, instead of letting it wait briefly.
 */
const BEGIN_STATEMENTS = {
  read: sql`BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY`,
  write: sql`BEGIN ISOLATION LEVEL READ COMMITTED READ WRITE`,
} as const;
const SET_UNSYNCED = sql`SET LOCAL synchronous_commit = off`;

/**
 * LIMIT: number of attempts to run a transaction, so that each request ends. If the last attempt
 * fails, the answer is 503.
 */
const MAX_ATTEMPTS = 8;
/** Longest pause before the second attempt, in milliseconds. It doubles for each later attempt. */
const FIRST_PAUSE_MS = 4;

type WriteOptions<T> = {
  /** Returns true if a transaction with this result may be committed. Default: always. */
  readonly keep?: (result: T) => boolean;
  /** False if a power loss may undo the write. Default true. */
  readonly isSynced?: boolean;
};

export class Transactions {
  readonly #pool: Pick<Pool, "connect">;

  constructor(pool: Pick<Pool, "connect">) {
    this.#pool = pool;
  }

  /** @throws StoreBusyError */
  read<T>(work: (session: Session) => Promise<T>): Promise<T> {
    return this.#repeat(async (client) => {
      const session = new Session(client, false);
      session.send(BEGIN_STATEMENTS.read);
      const result = await work(session);
      // A transaction that only reads has nothing to commit, so the caller does not wait for its
      // end.
      void client.query("COMMIT").then(
        () => client.release(),
        (error: Error) => client.release(error),
      );
      return result;
    });
  }

  /**
   * @throws StoreBusyError if nothing was written; `StoreUnreachableError` if it is unknown whether
   * the write was committed
   */
  write<T>(
    work: (session: Session) => Promise<T>,
    { keep = () => true, isSynced = true }: WriteOptions<T> = {},
  ): Promise<T> {
    return this.#repeat(async (client) => {
      const session = new Session(client, true);
      session.send(BEGIN_STATEMENTS.write);
      if (!isSynced) session.send(SET_UNSYNCED);
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
   * Runs work again after it collided with another transaction, or lost its connection.
   * @param once makes one attempt. Ends the transaction and releases the connection, unless it
   * throws
   */
  async #repeat<T>(once: (client: PoolClient) => Promise<T>): Promise<T> {
    for (let attempt = 1; ; attempt++) {
      const client = await this.#connect();
      try {
        return await once(client);
      } catch (thrown) {
        const error = toCallerError(thrown);
        // If the server does not answer, it would not answer a rollback either. So the connection
        // is closed instead.
        if (error instanceof StoreUnreachableError) client.release(error);
        else await rollBack(client);
        const isConnectionBroken = isBroken(error);
        if (!isConnectionBroken && !isWorthRetrying(error)) throw error;
        if (attempt === MAX_ATTEMPTS)
          throw new StoreBusyError("Others changed the same at the same time", { cause: error });
        // The random pause prevents the same transactions from colliding again. After a lost
        // connection, there is no such pause: the pool only gets the time to notice other lost
        // connections.
        await pause(isConnectionBroken ? 0 : Math.random() * FIRST_PAUSE_MS * 2 ** (attempt - 1));
      }
    }
  }

  async #connect(): Promise<PoolClient> {
    try {
      return await this.#pool.connect();
    } catch (error) {
      throw toCallerError(error);
    }
  }
}

/** Rolls back and returns the connection to the pool, or closes it if it cannot be used. */
async function rollBack(client: PoolClient): Promise<void> {
  try {
    await client.query("ROLLBACK");
    client.release();
  } catch (error) {
    client.release(error as Error);
  }
}

/**
 * Returns true if a connection was lost before anything was committed. The other connections of the
 * pool may be lost too, so the work is tried again with the next one. If the server cannot be
 * reached at all, no new connection can be made, and the work fails immediately.
 */
function isBroken(error: unknown): boolean {
  return error instanceof StoreUnreachableError && !error.mayBeKept && !isTimeout(error.cause);
}

/** Converts an error for the caller. A StoreBusyError means that a later attempt may succeed. */
function toCallerError(error: unknown): unknown {
  if (error instanceof StoreBusyError) return error;
  if (isConnectionLost(error)) return new StoreUnreachableError(error, false);
  return isTooLong(error) ? new StoreBusyError("The database has too much to do", { cause: error }) : error;
}
