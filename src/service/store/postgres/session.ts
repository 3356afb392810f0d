import type { ClientBase, QueryResult } from "pg";

/** One statement, prepared under its name once on each connection that runs it. */
export type Sql<Row> = {
  /** null: planned anew each time, with its values, because the best plan depends on them. */
  readonly name: string | null;
  readonly text: string;
  /** Only a type. */
  readonly row?: Row;
};

export function sql<Row = never>(name: string | null, text: string): Sql<Row> {
  return { name, text };
}

/**
 * A connection within one transaction. What is sent is answered in order, and the next statement
 * does not wait for the answer to the one before: a write that returns nothing costs no round trip.
 */
export class Session {
  readonly #client: ClientBase;
  /** Whether looks lock what they find. */
  readonly writes: boolean;
  /** Workspaces that are held until the end (`locks.ts`). */
  readonly held = new Set<number>();
  #fault: { readonly error: unknown } | null = null;

  constructor(client: ClientBase, writes: boolean) {
    this.#client = client;
    this.writes = writes;
  }

  /** @throws the fault of this statement, or of the first one before it that failed */
  async all<Row>(statement: Sql<Row>, ...values: readonly unknown[]): Promise<Row[]> {
    return (await this.#run(statement, values)).rows as Row[];
  }

  async one<Row>(statement: Sql<Row>, ...values: readonly unknown[]): Promise<Row | undefined> {
    return (await this.all(statement, ...values))[0];
  }

  /** Sends a statement whose rows nobody reads; its fault is that of the next one or of the end. */
  send(statement: Sql<never>, ...values: readonly unknown[]): void {
    this.#run(statement, values).catch((error: unknown) => this.#noteFault(error));
  }

  /** Goes back to a savepoint: what failed since is undone too, and locks since then are lost. */
  goBack(statement: Sql<never>): void {
    this.#fault = null;
    this.held.clear();
    this.send(statement);
  }

  /** Ends the transaction. @returns null, or why nothing of it was kept */
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
