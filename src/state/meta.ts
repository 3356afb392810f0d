import { once } from "../model/once.ts";
import type { Db } from "./database.ts";

/** The table of single values, by key. */
export class MetaTable {
  readonly #all;
  readonly #get;
  readonly #set;
  readonly #remove;

  constructor(db: Db) {
    this.#all = db.prepare<[], [key: string, value: string]>("SELECT key, value FROM meta").raw();
    this.#get = once(() => db.prepare<[string], string>("SELECT value FROM meta WHERE key = ?").pluck());
    this.#set = once(() =>
      db.prepare<[string, string]>(
        "INSERT INTO meta (key, value) VALUES (?, ?) ON CONFLICT (key) DO UPDATE SET value = excluded.value WHERE value <> excluded.value",
      ),
    );
    this.#remove = once(() => db.prepare<[string]>("DELETE FROM meta WHERE key = ?"));
  }

  all(): [key: string, value: string][] {
    return this.#all.all();
  }

  get(key: string): string | null {
    return this.#get().get(key) ?? null;
  }

  /** @param value null: the key is removed */
  set(key: string, value: string | null): void {
    if (value === null) this.#remove().run(key);
    else this.#set().run(key, value);
  }
}
