import type { Client, QueryResult } from "pg";
import { isReading, type LockName, type Session as Port, type Sql } from "../sql.ts";
import { isConnectionLost, StoreUnreachableError } from "./faults.ts";
import { LOCKS } from "./locks.ts";

type StatementResult = Pick<QueryResult, "rows">;

/**
 * The connection to PostgreSQL, within one transaction. Statements are sent before earlier ones are
 * answered, so a write that returns no rows does not wait for the network. The answers come in the
 * order of the statements.
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
 * Runs a statement. PostgreSQL cannot store NUL: when written, it becomes the replacement
 * character. A comparison with a value that contains NUL finds no row.
 * ORDER: not an async function, because an error must be recorded before the answer to the next
 * COMMIT is read.
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
 * of the processor time of a short statement, and each wakes the server.
 */
function sendInOneCall({ connection: { stream } }: Client): void {
  stream.cork();
  process.nextTick(() => stream.uncork());
}

function replaceNul(value: unknown): unknown {
  return typeof value === "string" ? value.replaceAll(NUL_CHARACTERS, "\uFFFD") : value;
}
