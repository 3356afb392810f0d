import { DEFAULT_SETTINGS, type Settings } from "../rows.ts";
import type { SettingsTable } from "../tables.ts";
import type { Db } from "./database.ts";
import type { Statement } from "./statement.ts";

/** Settings, as one row of table `meta`. */
export class StoredSettings implements SettingsTable {
  readonly #read: Statement<[], { value: Buffer }>;
  readonly #write: Statement<[Buffer], unknown>;

  constructor(db: Db) {
    this.#read = db.prepare("SELECT value FROM meta WHERE name = 'settings'");
    this.#write = db.prepare("INSERT OR REPLACE INTO meta (name, value) VALUES ('settings', ?)");
  }

  now(): Settings {
    const stored = this.#read.get();
    return stored === undefined ? DEFAULT_SETTINGS : { ...DEFAULT_SETTINGS, ...JSON.parse(stored.value.toString()) };
  }

  async get(): Promise<Settings> {
    return this.now();
  }

  async change(changed: Partial<Settings>): Promise<Settings> {
    const next = { ...this.now(), ...changed };
    this.#write.run(Buffer.from(JSON.stringify(next)));
    return next;
  }
}
