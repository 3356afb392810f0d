/** Table `meta`: the settings of the service, and the generation of the database. */
import type { Settings } from "./rows.ts";
import { type Session, sql } from "./sql.ts";
import { createHmac, randomUUID } from "node:crypto";

export const SELECT_META = sql<{ readonly value: Buffer }>`SELECT value FROM meta WHERE name = $1`;
export const SET_META = sql`INSERT INTO meta (name, value) VALUES ($1, $2)
  ON CONFLICT (name) DO UPDATE SET value = excluded.value`;
export const SETTINGS_NAME = "settings";

const DEFAULT_SETTINGS: Settings = { rateLimit: null, keepVersionsDays: null, keepVersions: null };

export function readSettings(stored = "{}"): Settings {
  return { ...DEFAULT_SETTINGS, ...(JSON.parse(stored) as Partial<Settings>) };
}

export function makeSettingsTable(session: Session) {
  const readStored = async (): Promise<Settings> =>
    readSettings((await session.one(SELECT_META, SETTINGS_NAME))?.value.toString());
  return {
    get: readStored,
    async change(changed: Partial<Settings>) {
      // ORDER: the lock is taken before the settings are read. Otherwise two concurrent changes of
      // different settings would start from the same stored settings, and one change would be lost.
      session.lock("settings");
      const newSettings = { ...(await readStored()), ...changed };
      session.send(SET_META, SETTINGS_NAME, Buffer.from(JSON.stringify(newSettings)));
      return newSettings;
    },
  };
}

export const GENERATION_NAME = "generation";

/**
 * Makes the generation of a restored database, which the service sends with each answer. By a new
 * generation, clients notice the restore, although ids and cursors look the same as before.
 */
export function makeGeneration(): Buffer {
  return Buffer.from(randomUUID());
}

/** @param stored generation in the table `meta`; undefined if the database was never restored */
export function readGeneration(stored: Buffer | undefined, secret: Buffer): string {
  return stored?.toString() ?? createHmac("sha256", secret).update(GENERATION_NAME).digest("hex").slice(0, 32);
}
