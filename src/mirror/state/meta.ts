import type { Db } from "./database.ts";
import { Statement } from "./statement.ts";

/** Single values, by key. */
export class MetaTable {
  readonly #all;
  readonly #get;
  readonly #set;
  readonly #remove;

  constructor(db: Db) {
    this.#all = new Statement<[], [key: string, value: string]>(db, "SELECT key, value FROM meta", "raw");
    this.#get = new Statement<[string], string>(db, "SELECT value FROM meta WHERE key = ?", "pluck");
    this.#set = new Statement<[string, string]>(
      db,
      "INSERT INTO meta (key, value) VALUES (?, ?) ON CONFLICT (key) DO UPDATE SET value = excluded.value WHERE value <> excluded.value",
    );
    this.#remove = new Statement<[string]>(db, "DELETE FROM meta WHERE key = ?");
  }

  all(): [key: string, value: string][] {
    return this.#all.all();
  }

  get(key: string): string | null {
    return this.#get.get(key) ?? null;
  }

  /** @param value null removes the key */
  set(key: string, value: string | null): void {
    if (value === null) this.#remove.run(key);
    else this.#set.run(key, value);
  }
}
