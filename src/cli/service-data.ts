import type { Io, OptionSpec } from "./command.ts";

export const DEFAULT_DATA = ".mdmirror-service";

/**
 * Returns the URL of the database from the environment; null if the URL is not set. No option sets
 * the URL, because other users of this machine can see options, and the URL may contain a password.
 */
export function readDatabaseUrl({ env }: Pick<Io, "env">): string | null {
  return env["MDMIRROR_DATABASE_URL"] || null;
}

export const RATE_FORM: NonNullable<OptionSpec["form"]> = {
  words: "N/SECONDS, or none",
  isValid: (value) => /^(?:none|[1-9]\d{0,6}\/[1-9]\d{0,6})$/.test(value),
};

/** Parses a request rate: `10/1` means 10 requests in 1 second. */
export function readRate(text: string): { readonly requests: number; readonly seconds: number } {
  const [requests, seconds] = text.split("/").map(Number) as [number, number];
  return { requests, seconds };
}

/**
 * Returns an object with one setting of the service. Returns an empty object if the user did not
 * pass the option. The words `all`, `none` and `never` give the value null.
 */
export function readSetting<Name extends string, T>(
  name: Name,
  text: string | null,
  read: (text: string) => T,
): { readonly [N in Name]?: T | null } {
  if (text === null) return {};
  const value = ["all", "none", "never"].includes(text) ? null : read(text);
  return { [name]: value } as { [N in Name]: T | null };
}
