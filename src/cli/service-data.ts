import type { Io } from "./command.ts";

/** Default data folder of the embedded service, in the working folder. */
export const DEFAULT_DATA = ".mdmirror-service";

/**
 * Returns the URL of the database from the environment. A URL may have a password, which other
 * users could see in arguments.
 */
export function databaseOf({ env }: Pick<Io, "env">): string | null {
  return env["MDMIRROR_DATABASE_URL"] || null;
}
