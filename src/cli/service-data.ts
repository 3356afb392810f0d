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

type Rate = { readonly requests: number; readonly seconds: number };

/**
 * Reads a rate of requests per seconds, such as `10/1` or `none`. Returns undefined if the option
 * is not given, null for `none`.
 */
export function readRate(text: string | null): Rate | null | undefined | "bad" {
  if (text === null) return undefined;
  if (text === "none") return null;
  const [, requests, seconds] = /^([1-9]\d{0,6})\/([1-9]\d{0,6})$/.exec(text) ?? [];
  return requests === undefined ? "bad" : { requests: Number(requests), seconds: Number(seconds) };
}
