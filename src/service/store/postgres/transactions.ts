import { StoreBusyError } from "../store.ts";
import { isWithin, type LockName, type Session as Port, type Sql, sql } from "../sql.ts";
import type { Client, Pool, PoolClient, QueryResult } from "pg";
import { setTimeout as pause } from "node:timers/promises";

/** Error for a server that cannot be reached, or for a lost connection. */
export class StoreUnreachableError extends StoreBusyError {
  /** True if COMMIT was sent but not answered: the write may have been committed. */
  override readonly mayBeKept: boolean;

  constructor(cause: unknown, mayBeKept: boolean) {
    super(mayBeKept ? "The database went away during the write" : "The database cannot be reached", { cause });
    this.mayBeKept = mayBeKept;
  }
}

/** Error codes of PostgreSQL for failed transactions that are run again. */
const RETRIED_CODES: readonly unknown[] = [
  "40001", // serialisation failure; `create_file` raises it if the folder or the grants changed
  "40P01", // deadlock
  "23505", // another transaction used the path or the id
  "23503", // the row to which a new row refers was removed
];
/** Error codes for a lock or a statement that took too long, and was rolled back. */
const TOO_LONG_CODES: readonly unknown[] = ["55P03", "57014"];
/**
 * Matches the error codes of a server that is stopping, is starting, has no free connection, or has
 * closed this connection.
 */
const UNREACHABLE_CODES = /^(?:08|57P0[1235]|53300|25P03)/;

function isWorthRetrying(error: unknown): boolean {
  return RETRIED_CODES.includes(readCode(error));
}

function isTooLong(error: unknown): boolean {
  return TOO_LONG_CODES.includes(readCode(error));
}

function isConnectionLost(error: unknown): boolean {
  const code = readCode(error);
  if (typeof code === "string") return UNREACHABLE_CODES.test(code) || /^E[A-Z]{3,}/.test(code);
  // Errors that `pg` itself raises have no code, so their messages are compared instead.
  const text = error instanceof Error ? error.message : "";
  return /^(?:Connection terminated|Client has encountered|Client was closed|Query read timeout|timeout )/.test(text);
}

/**
 * Returns true if an error is an exceeded time limit. Work with such an error is not repeated,
 * because a repetition would take as long.
 */
function isTimeout(error: unknown): boolean {
  return readCode(error) === "25P03" || (error instanceof Error && /timeout/i.test(error.message));
}

function readCode(error: unknown): unknown {
  return error instanceof Error && "code" in error ? error.code : undefined;
}

/**
 * Locks of a write. Every write takes locks in this order, so that no two writes wait for each
 * other:
 * 1. The folder tree of the workspace. Requests that create files (`create_file`) can have this
 *    lock at the same time. A request that creates, moves, renames or removes folders, moves files,
 *    or sets grants has this lock alone. The server grants the lock in the order of requests. So a
 *    change of a folder is not delayed forever by many new files.
 * 2. The rows of the files that are changed or removed, in the order of their row numbers. An edit
 *    takes only this lock, so an edit waits only for another edit of the same document.
 *
 * Other deadlocks are possible, such as two moves to each other's paths. The server reports a
 * deadlock (40P01), and the work runs again.
 */
export const STRUCTURE_LOCK = 721_490_623;

/**
 * Statements whose only purpose is to take a lock. The next statement then sees all changes that
 * were committed before the lock was taken.
 */
const LOCKS: Readonly<Record<LockName, readonly Sql<never>[]>> = {
  structure: [sql`SELECT pg_advisory_xact_lock(${STRUCTURE_LOCK}, $1::integer)`],
  tree: [
    sql`SELECT 1 FROM files x WHERE x.workspace = $1
        AND x.above IN (SELECT seq FROM folders WHERE workspace = $1 AND ${isWithin("path", "$2")})
      ORDER BY x.seq FOR NO KEY UPDATE`,
  ],
  file: [sql`SELECT 1 FROM files WHERE workspace = $1 AND id = $2 FOR NO KEY UPDATE`],
  fileOf: [sql`SELECT 1 FROM files WHERE seq = (SELECT file FROM changes WHERE id = $1) FOR NO KEY UPDATE`],
  workspace: [
    // Prevents other transactions from inserting folders into the workspace.
    sql`SELECT 1 FROM workspaces WHERE seq = $1 FOR UPDATE`,
    sql`SELECT 1 FROM files WHERE workspace = $1 ORDER BY seq FOR UPDATE`,
  ],
  // The rows are locked in the order of their numbers. Several processes save times of use at about
  // the same moment; in another order, these processes could wait for each other.
  keys: [sql`SELECT 1 FROM keys WHERE seq = ANY($1::bigint[]) ORDER BY seq FOR NO KEY UPDATE`],
  settings: [sql`SELECT 1 FROM meta WHERE name = 'settings' FOR UPDATE`],
};

type StatementResult = Pick<QueryResult, "rows">;

/**
 * The connection to PostgreSQL, within one transaction. Statements are sent before earlier ones are
 * answered, so a write that returns no rows does not wait for the network. The server answers in
 * the order of the statements.
 */
export class Session implements Port {
  readonly #client: Client;
  readonly #isWrite: boolean;
  #fault: { readonly error: unknown } | null = null;

  constructor(client: Client, isWrite: boolean) {
    this.#client = client;
    this.#isWrite = isWrite;
  }

  lock(name: LockName, ...values: readonly unknown[]): void {
    if (this.#isWrite) for (const statement of LOCKS[name]) this.send(statement, ...values);
  }

  async all<Row>(statement: Sql<Row>, ...values: readonly unknown[]): Promise<Row[]> {
    return (await this.#run(statement, values)).rows as Row[];
  }

  async one<Row>(statement: Sql<Row>, ...values: readonly unknown[]): Promise<Row | undefined> {
    return (await this.all(statement, ...values))[0];
  }

  send(statement: Sql<never>, ...values: readonly unknown[]): void {
    this.#run(statement, values).catch((error: unknown) => this.#noteFault(error));
  }

  /** @throws StoreUnreachableError if it is unknown whether the transaction was committed */
  async commit(): Promise<void> {
    const { command } = await this.#client.query("COMMIT").catch((error: unknown) => {
      throw isConnectionLost(error) ? new StoreUnreachableError(error, true) : error;
    });
    // If the transaction has failed, PostgreSQL answers COMMIT with ROLLBACK, and reports no error.
    if (command !== "COMMIT")
      throw this.#fault === null ? new Error("the transaction was rolled back") : this.#fault.error;
  }

  async #run(statement: Sql<unknown>, values: readonly unknown[]): Promise<StatementResult> {
    try {
      return await runStatement(this.#client, statement, values);
    } catch (error) {
      this.#noteFault(error);
      // The first error is thrown, because all later statements only fail with "the transaction is
      // aborted".
      throw this.#fault!.error;
    }
  }

  #noteFault(error: unknown): void {
    this.#fault ??= { error };
  }
}

const NUL_CHARACTERS = /\0/g;

/**
 * Runs a statement. PostgreSQL cannot store NUL, so a written NUL becomes the replacement
 * character. A comparison with a value that contains NUL finds no row.
 * ORDER: this function is not async, because an error must be recorded before the answer to the
 * next COMMIT is read.
 */
function runStatement(client: Client, statement: Sql<unknown>, values: readonly unknown[]): Promise<StatementResult> {
  const text = statement.postgres;
  const hasNul = values.some((value) => typeof value === "string" && value.includes("\0"));
  if (hasNul && isReading(text)) return Promise.resolve({ rows: [] });
  const storableValues = hasNul ? values.map(replaceNul) : [...values];
  sendInOneCall(client);
  return client.query({ ...(statement.name === null ? {} : { name: statement.name }), text, values: storableValues });
}

/**
 * Sends all statements of one turn of the event loop with one system call. A system call takes most
 * of the processor time of a short statement. Each system call also wakes the server.
 */
function sendInOneCall({ connection: { stream } }: Client): void {
  stream.cork();
  process.nextTick(() => stream.uncork());
}

/**
 * Returns true if a statement begins like a query. `SELECT create_file(…)` also begins like a
 * query, but writes; the strings in this statement never contain NUL.
 */
function isReading(text: string): boolean {
  return /^\s*(?:SELECT|WITH)\b/.test(text);
}

function replaceNul(value: unknown): unknown {
  return typeof value === "string" ? value.replaceAll(NUL_CHARACTERS, "\uFFFD") : value;
}

/**
 * Statements that begin a transaction. Writes use READ COMMITTED: each read sees all earlier
 * commits, and a write locks the rows on which it depends (see `Store`). SERIALIZABLE would need no
 * locks. But if two edits of a document were concurrent, the second edit would be rolled back and
 * repeated, instead of waiting briefly.
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
/** Longest pause before the second attempt, in milliseconds, doubled for each later attempt. */
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
   * @throws StoreBusyError if nothing was written
   * @throws StoreUnreachableError if it is unknown whether the write was committed
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
        // If the server does not answer, a rollback would not be answered either. So the connection
        // is closed instead.
        if (error instanceof StoreUnreachableError) client.release(error);
        else await rollBack(client);
        if (isBroken(error) && attempt < MAX_ATTEMPTS) {
          // Waits one turn of the event loop, in which the pool notices other connections that were
          // lost.
          await pause(0);
          continue;
        }
        if (!isWorthRetrying(error)) throw error;
        if (attempt === MAX_ATTEMPTS)
          throw new StoreBusyError("Others changed the same at the same time", { cause: error });
        // The random pause prevents the same transactions from colliding again.
        await pause(Math.random() * FIRST_PAUSE_MS * 2 ** (attempt - 1));
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
 * pool may be lost too, so the work is tried with the next connection. If the server cannot be
 * reached at all, the pool can make no new connection, and the work fails immediately.
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
