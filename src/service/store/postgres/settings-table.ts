import { DEFAULT_SETTINGS, type Settings } from "../rows.ts";
import type { SettingsTable as Port } from "../tables.ts";
import { type Session, sql } from "./session.ts";

const SQL = {
  lock: sql("settings.lock", "SELECT 1 FROM meta WHERE name = 'settings' FOR UPDATE"),
  get: sql<{ value: Buffer }>("settings.get", "SELECT value FROM meta WHERE name = 'settings'"),
  set: sql(
    "settings.set",
    `INSERT INTO meta (name, value) VALUES ('settings', $1) ON CONFLICT (name) DO UPDATE SET value = excluded.value`,
  ),
} as const;

export function readSettings(stored: string | undefined): Settings {
  return stored === undefined
    ? DEFAULT_SETTINGS
    : { ...DEFAULT_SETTINGS, ...(JSON.parse(stored) as Partial<Settings>) };
}

export class SettingsTable implements Port {
  readonly #session: Session;

  constructor(session: Session) {
    this.#session = session;
  }

  async get(): Promise<Settings> {
    return readSettings((await this.#session.one(SQL.get))?.value.toString());
  }

  async change(changed: Partial<Settings>): Promise<Settings> {
    // Locks the row, so that concurrent changes of different settings are both kept.
    this.#session.send(SQL.lock);
    const next = { ...(await this.get()), ...changed };
    this.#session.send(SQL.set, Buffer.from(JSON.stringify(next)));
    return next;
  }
}
