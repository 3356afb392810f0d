import type { Intent, OpenIntent } from "../ports/state.ts";
import { WithStatements } from "./statement.ts";

/** The open intents, stored as JSON. */
export class IntentTable extends WithStatements {
  readonly #all = this.sql<[], { intent_id: number; run: number; intent: string }>(
    "SELECT intent_id, run, intent FROM intents ORDER BY intent_id",
  );
  readonly #insert = this.sql<[number, string]>("INSERT INTO intents (run, intent) VALUES (?, ?)");
  readonly #remove = this.sql<[number]>("DELETE FROM intents WHERE intent_id = ?");

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
