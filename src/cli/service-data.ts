import type { Io } from "./command.ts";

/** The data folder of the embedded service where none is named, in the working folder. */
export const DEFAULT_DATA = ".mdmirror-service";

/** The database where none is named: a URL may hold a password, which arguments show to others. */
export function databaseOf({ env }: Pick<Io, "env">): string | null {
  return env["MDMIRROR_DATABASE_URL"] || null;
}
