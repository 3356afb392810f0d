import type { Io, OptionSpec } from "./command.ts";

/** Default path of the embedded service's data folder, relative to the working folder. */
export const DEFAULT_DATA = ".mdmirror-service";

/**
 * Returns the URL of the database from the environment; null if it is not set. The URL is not an
 * option, because it may contain a password, and other users can see the arguments of a process.
 */
export function readDatabaseUrl({ env }: Pick<Io, "env">): string | null {
  return env["MDMIRROR_DATABASE_URL"] || null;
}

/** Check for options that take a request rate, such as `10/1`. */
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
 * Returns an object with one setting; an empty object if its option is not set. The words `all`,
 * `none` and `never` give the setting null.
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
