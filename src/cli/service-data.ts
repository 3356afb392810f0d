import type { Io, OptionSpec } from "./command.ts";

/** Default data folder of the embedded service, in the working folder. */
export const DEFAULT_DATA = ".mdmirror-service";

/**
 * Returns the URL of the database from the environment. A URL may have a password, which other
 * users could see in arguments.
 */
export function databaseOf({ env }: Pick<Io, "env">): string | null {
  return env["MDMIRROR_DATABASE_URL"] || null;
}

/** Form of a rate of requests per seconds. */
export const RATE: NonNullable<OptionSpec["form"]> = {
  words: "N/SECONDS, or none",
  isValid: (value) => /^(?:none|[1-9]\d{0,6}\/[1-9]\d{0,6})$/.test(value),
};

/** Reads a rate such as `10/1`. */
export function readRate(text: string): { readonly requests: number; readonly seconds: number } {
  const [requests, seconds] = text.split("/").map(Number) as [number, number];
  return { requests, seconds };
}

/** Returns the setting for an option that is set; null for the words `all`, `none` and `never`. */
export function settingFrom<Name extends string, T>(
  name: Name,
  text: string | null,
  read: (text: string) => T,
): { readonly [N in Name]?: T | null } {
  if (text === null) return {};
  const value = ["all", "none", "never"].includes(text) ? null : read(text);
  return { [name]: value } as { [N in Name]: T | null };
}
