import { WithStatements } from "./statement.ts";

/** Single values, by key. */
export class MetaTable extends WithStatements {
  readonly #all = this.sql<[], [key: string, value: string]>("SELECT key, value FROM meta", "raw");
  readonly #get = this.sql<[string], string>("SELECT value FROM meta WHERE key = ?", "pluck");
  readonly #set = this.sql<[string, string]>(
    "INSERT INTO meta (key, value) VALUES (?, ?) ON CONFLICT (key) DO UPDATE SET value = excluded.value WHERE value <> excluded.value",
  );
  readonly #remove = this.sql<[string]>("DELETE FROM meta WHERE key = ?");

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
