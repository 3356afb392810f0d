import { DEFAULT_SETTINGS, type Settings } from "./rows.ts";
import { type Session, sql } from "./sql.ts";

export const SELECT_META = sql<{ readonly value: Buffer }>`SELECT value FROM meta WHERE name = $1`;
export const SET_META = sql`INSERT INTO meta (name, value) VALUES ($1, $2)
  ON CONFLICT (name) DO UPDATE SET value = excluded.value`;
export const SETTINGS_NAME = "settings";

export function readSettings(stored: string | undefined): Settings {
  return stored === undefined
    ? DEFAULT_SETTINGS
    : { ...DEFAULT_SETTINGS, ...(JSON.parse(stored) as Partial<Settings>) };
}

export function makeSettingsTable(session: Session) {
  const readStored = async (): Promise<Settings> =>
    readSettings((await session.one(SELECT_META, SETTINGS_NAME))?.value.toString());
  return {
    get: readStored,
    async change(changed: Partial<Settings>) {
      // Without the lock, two concurrent changes of different settings would start from the same
      // stored settings, and one change would be lost.
      session.lock("settings");
      const newSettings = { ...(await readStored()), ...changed };
      session.send(SET_META, SETTINGS_NAME, Buffer.from(JSON.stringify(newSettings)));
      return newSettings;
    },
  };
}
