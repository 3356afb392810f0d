import type { ClientBase, QueryResult } from "pg";

/** A statement, prepared by its name once on each connection that runs it. */
export type Sql<Row> = {
  /** Null: planned for each run with its values, because the best plan depends on them. */
  readonly name: string | null;
  readonly text: string;
  /** Carries the type of a row; never set. */
  readonly row?: Row;
};

export function sql<Row = never>(name: string | null, text: string): Sql<Row> {
  return { name, text };
}

/**
 * A connection within one transaction. Statements are answered in order, and none waits for the
 * answer to an earlier one: a write without a result costs no round trip.
 */
export class Session {
  readonly #client: ClientBase;
  /** True if reads lock the rows that they find. */
  readonly writes: boolean;
  /** Workspaces that are locked until the end (`locks.ts`). */
  readonly held = new Set<number>();
  #fault: { readonly error: unknown } | null = null;

  constructor(client: ClientBase, writes: boolean) {
    this.#client = client;
    this.writes = writes;
  }

  /**
   * Runs a statement and returns its rows.
   * @throws the fault of this statement, or of the first earlier one that failed
   */
  async all<Row>(statement: Sql<Row>, ...values: readonly unknown[]): Promise<Row[]> {
    return (await this.#run(statement, values)).rows as Row[];
  }

  async one<Row>(statement: Sql<Row>, ...values: readonly unknown[]): Promise<Row | undefined> {
    return (await this.all(statement, ...values))[0];
  }

  /** Sends a statement without reading its rows; the next `all` or the commit reports its fault. */
  send(statement: Sql<never>, ...values: readonly unknown[]): void {
    this.#run(statement, values).catch((error: unknown) => this.#noteFault(error));
  }

  /** Rolls back to a savepoint: this also undoes failed statements and releases later locks. */
  goBack(statement: Sql<never>): void {
    this.#fault = null;
    this.held.clear();
    this.send(statement);
  }

  /**
   * Ends the transaction.
   * @returns null, or the reason why nothing was kept
   */
  async commit(): Promise<{ readonly error: unknown } | null> {
    const { command } = await this.#client.query("COMMIT");
    // PostgreSQL answers the COMMIT of a failed transaction with ROLLBACK, without an error.
    return command === "COMMIT" ? null : (this.#fault ?? { error: new Error("the transaction was rolled back") });
  }

  async #run(statement: Sql<unknown>, values: readonly unknown[]): Promise<QueryResult> {
    const { name, text } = statement;
    try {
      return await this.#client.query({ ...(name === null ? {} : { name }), text, values: [...values] });
    } catch (error) {
      this.#noteFault(error);
      // After the first fault, every statement fails with "the transaction is aborted".
      throw this.#fault!.error;
    }
  }

  #noteFault(error: unknown): void {
    this.#fault ??= { error };
  }
}
