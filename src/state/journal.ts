import type { Intent, OpenIntent } from "../ports/state.ts";
import { once } from "../model/once.ts";
import type { Db } from "./database.ts";

/** The intents that are open, as JSON. */
export class IntentTable {
  readonly #all;
  readonly #insert;
  readonly #remove;
  readonly #runOf;

  constructor(db: Db) {
    this.#all = db.prepare<[], { intent_id: number; run: number; intent: string }>(
      "SELECT intent_id, run, intent FROM intents ORDER BY intent_id",
    );
    this.#insert = once(() => db.prepare<[number, string]>("INSERT INTO intents (run, intent) VALUES (?, ?)"));
    this.#remove = once(() => db.prepare<[number]>("DELETE FROM intents WHERE intent_id = ?"));
    this.#runOf = once(() => db.prepare<[number], { run: number }>("SELECT run FROM intents WHERE intent_id = ?"));
  }

  /** @returns the number that `close` takes */
  open(run: number, intent: Intent): number {
    return Number(this.#insert().run(run, JSON.stringify(intent)).lastInsertRowid);
  }

  close(intentId: number): void {
    this.#remove().run(intentId);
  }

  /** Closes one and opens `next` in its run, within a transaction of the caller. */
  turn(intentId: number, next: Intent): void {
    const row = this.#runOf().get(intentId);
    if (row === undefined) throw new Error(`intent ${intentId} is not open`);
    this.close(intentId);
    this.open(row.run, next);
  }

  /** By the order in which they were opened. */
  all(): OpenIntent[] {
    return this.#all.all().map((row) => ({
      intentId: row.intent_id,
      run: row.run,
      intent: JSON.parse(row.intent) as Intent,
    }));
  }
}
