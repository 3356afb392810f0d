import type { Db } from "./database.ts";
import type { RateLimit } from "./rate.ts";

/**
 * What an operator sets for the whole service; kept in the database, so that a restart keeps it.
 */
export type Settings = {
  /** Of keys that have none of their own; null: none. */
  readonly rateLimit: RateLimit | null;
  /** Versions that were replaced longer ago lose their text; null: all are kept. */
  readonly keepVersionsDays: number | null;
};

const DEFAULTS: Settings = { rateLimit: null, keepVersionsDays: null };

export function settingsTable(db: Db) {
  const read = db.prepare<[], { value: Buffer }>("SELECT value FROM meta WHERE name = 'settings'");
  const write = db.prepare<[Buffer]>("INSERT OR REPLACE INTO meta (name, value) VALUES ('settings', ?)");
  const stored = read.get();
  let settings: Settings = stored === undefined ? DEFAULTS : { ...DEFAULTS, ...JSON.parse(stored.value.toString()) };
  return {
    get: () => settings,
    change: (changed: Partial<Settings>): Settings => {
      const next = { ...settings, ...changed };
      write.run(Buffer.from(JSON.stringify(next)));
      settings = next;
      return settings;
    },
  };
}

export type SettingsTable = ReturnType<typeof settingsTable>;
