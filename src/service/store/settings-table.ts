import { DEFAULT_SETTINGS, type Settings } from "./rows.ts";
import { type Session, sql } from "./sql.ts";
import type { SettingsTable as Port } from "./tables.ts";

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
export class SettingsTable implements Port {
  readonly #session: Session;

  constructor(session: Session) {
    this.#session = session;
  }

  async get(): Promise<Settings> {
    return readSettings((await this.#session.one(SETTINGS))?.value.toString());
  }

  async change(changed: Partial<Settings>): Promise<Settings> {
    // Concurrent changes of different settings are both kept.
    this.#session.locks?.settings();
    const next = { ...(await this.get()), ...changed };
    this.#session.send(SET, Buffer.from(JSON.stringify(next)));
    return next;
  }
}
