import { DEFAULT_SETTINGS, type Settings } from "./rows.ts";
import { type Session, sql } from "./sql.ts";
import type { SettingsTable } from "./tables.ts";

export const SETTINGS = sql<{ readonly value: Buffer }>(
  "settings.get",
  "SELECT value FROM meta WHERE name = 'settings'",
);
const SET = sql(
  "settings.set",
  `INSERT INTO meta (name, value) VALUES ('settings', $1) ON CONFLICT (name) DO UPDATE SET value = excluded.value`,
);

export function readSettings(stored: string | undefined): Settings {
  return stored === undefined
    ? DEFAULT_SETTINGS
    : { ...DEFAULT_SETTINGS, ...(JSON.parse(stored) as Partial<Settings>) };
}

/** Settings, as one row of table `meta`. */
export function settingsTable(session: Session): SettingsTable {
  const get = async (): Promise<Settings> => readSettings((await session.one(SETTINGS))?.value.toString());
  return {
    get,
    async change(changed) {
      // Concurrent changes of different settings are both kept.
      session.locks?.settings();
      const next = { ...(await get()), ...changed };
      session.send(SET, Buffer.from(JSON.stringify(next)));
      return next;
    },
  };
}
