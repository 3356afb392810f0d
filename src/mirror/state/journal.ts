import type { Intent, OpenIntent } from "../ports/state.ts";
import type { Db } from "./database.ts";
import { Statement } from "./statement.ts";

/** The open intents, stored as JSON. */
export class IntentTable {
  readonly #all;
  readonly #insert;
  readonly #remove;

  constructor(db: Db) {
    this.#all = new Statement<[], { intent_id: number; run: number; intent: string }>(
      db,
      "SELECT intent_id, run, intent FROM intents ORDER BY intent_id",
    );
    this.#insert = new Statement<[number, string]>(db, "INSERT INTO intents (run, intent) VALUES (?, ?)");
    this.#remove = new Statement<[number]>(db, "DELETE FROM intents WHERE intent_id = ?");
  }

  /** @returns the number that `close` takes */
  open(run: number, intent: Intent): number {
    return Number(this.#insert.run(run, JSON.stringify(intent)).lastInsertRowid);
  }

  close(intentId: number): void {
    this.#remove.run(intentId);
  }

  /** In the order in which they were opened. */
  all(): OpenIntent[] {
    return this.#all.all().map((row) => ({
      intentId: row.intent_id,
      run: row.run,
      intent: JSON.parse(row.intent) as Intent,
    }));
  }
}
