import type { Io } from "./command.ts";

/** Default data folder of the embedded service, in the working folder. */
export const DEFAULT_DATA = ".mdmirror-service";

/**
 * Returns the database from the environment: a URL may hold a password, which arguments would show
 * to others.
 */
export function databaseOf({ env }: Pick<Io, "env">): string | null {
  return env["MDMIRROR_DATABASE_URL"] || null;
}
