import type { Statement } from "./statement.ts";
import type { Db } from "./database.ts";
import type { RateLimit } from "./rate.ts";

/**
 * What an operator sets for the whole service; stored in the database, so that a restart keeps it.
 */
export type Settings = {
  /** The limit of keys that have none of their own; null: none. */
  readonly rateLimit: RateLimit | null;
  /** Versions that were replaced longer ago lose their text; null: all are kept. */
  readonly keepVersionsDays: number | null;
};

const DEFAULTS: Settings = { rateLimit: null, keepVersionsDays: null };

/** The settings in table `meta`, read once. */
export class SettingsTable {
  readonly #write: Statement<[Buffer], unknown>;
  #settings: Settings;

  constructor(db: Db) {
    this.#write = db.prepare("INSERT OR REPLACE INTO meta (name, value) VALUES ('settings', ?)");
    const stored = db.prepare<[], { value: Buffer }>("SELECT value FROM meta WHERE name = 'settings'").get();
    this.#settings = stored === undefined ? DEFAULTS : { ...DEFAULTS, ...JSON.parse(stored.value.toString()) };
  }

  get(): Settings {
    return this.#settings;
  }

  change(changed: Partial<Settings>): Settings {
    const next = { ...this.#settings, ...changed };
    this.#write.run(Buffer.from(JSON.stringify(next)));
    this.#settings = next;
    return next;
  }
}
