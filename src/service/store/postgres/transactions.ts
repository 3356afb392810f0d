import { setTimeout as pause } from "node:timers/promises";
import type { Pool, PoolClient } from "pg";
import { StoreBusyError } from "../store.ts";
import { isConnectionLost, isTimeout, isTooLong, isWorthRetrying, StoreUnreachableError } from "./faults.ts";
import { sql } from "../sql.ts";
import { Session } from "./session.ts";

/**
 * Statements that begin a transaction. Writes use READ COMMITTED and locks: each read of a write
 * sees earlier commits, and a write locks the rows on which it depends (see `Store`). SERIALIZABLE
 * would need no locks, but would roll back the second of two edits of one document, which would
 * then run again instead of waiting briefly.
 */
const BEGIN_STATEMENTS = {
  read: sql`BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY`,
  write: sql`BEGIN ISOLATION LEVEL READ COMMITTED READ WRITE`,
} as const;
const SET_UNSYNCED = sql`SET LOCAL synchronous_commit = off`;

/** LIMIT: attempts to run one transaction, so that a request ends; the last failure gives 503. */
const MAX_ATTEMPTS = 8;
/** Longest pause before the second attempt, in milliseconds; doubled for each later attempt. */
const FIRST_PAUSE_MS = 4;

type WriteOptions<T> = {
  /** Returns true if a transaction with this result may be committed. Default: always. */
  readonly keep?: (result: T) => boolean;
  /** False if the write need not survive a power loss. Default true. */
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
      // A transaction that only reads commits nothing, so the caller need not wait for its end.
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
   * Repeats work after two transactions collided, or after a connection broke.
   * @param once one attempt, which ends its transaction and releases the connection, unless it
   * throws
   */
  async #repeat<T>(once: (client: PoolClient) => Promise<T>): Promise<T> {
    for (let attempt = 1; ; attempt++) {
      const client = await this.#connect();
      try {
        return await once(client);
      } catch (thrown) {
        const error = toCallerError(thrown);
        // A server that does not answer would not answer a rollback, so the connection is closed.
        if (error instanceof StoreUnreachableError) client.release(error);
        else await rollBack(client);
        const isConnectionBroken = isBroken(error);
        if (!isConnectionBroken && !isWorthRetrying(error)) throw error;
        if (attempt === MAX_ATTEMPTS)
          throw new StoreBusyError("Others changed the same at the same time", { cause: error });
        // The pause keeps transactions that collided from colliding again. After a broken
        // connection, it only gives the pool time to notice other broken connections.
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
 * Returns true if an open connection broke before anything was committed. The other connections of
 * the pool may have broken too, so the work is tried with each of them. If the server cannot be
 * reached at all, the work fails immediately.
 */
function isBroken(error: unknown): boolean {
  return error instanceof StoreUnreachableError && !error.mayBeKept && !isTimeout(error.cause);
}

/** Returns the error for the caller: StoreBusyError if a retry may succeed. */
function toCallerError(error: unknown): unknown {
  if (error instanceof StoreBusyError) return error;
  if (isConnectionLost(error)) return new StoreUnreachableError(error, false);
  return isTooLong(error) ? new StoreBusyError("The database has too much to do", { cause: error }) : error;
}
