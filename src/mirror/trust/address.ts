/** Finds the address of the service and its source, and checks whether the address can be used. */

import { checkBaseUrl, withoutRoute } from "../remote/base-url.ts";
import { ok, type Result, trouble } from "../../common/trouble.ts";

export type PickedUrl = {
  /**
   * URL as the user or the configuration has it, but without `/v1…` at its end, which is part of
   * each request.
   */
  readonly url: string;
  /**
   * Source of the URL. `config` is the URL in the folder; the other two come from the user of this
   * command.
   */
  readonly from: "--url" | "MDMIRROR_URL" | "config";
};

export type UrlSources = {
  /** The value of `--url`. */
  readonly url?: string | null;
  readonly env: Readonly<Record<string, string | undefined>>;
};

/**
 * Returns the first URL of `--url`, `MDMIRROR_URL`, configuration. Returns null if there is none.
 */
export function pickUrl(configured: string | null, { url, env }: UrlSources): PickedUrl | null {
  const fromEnv = env["MDMIRROR_URL"] ?? "";
  if (url !== undefined && url !== null) return { url: bareUrl(url), from: "--url" };
  if (fromEnv !== "") return { url: bareUrl(fromEnv), from: "MDMIRROR_URL" };
  return configured === null ? null : { url: bareUrl(configured), from: "config" };
}

/**
 * Returns the address to which a key is bound: `https://host[:port]` and the path prefix, because
 * two prefixes of one host may belong to two people.
 * @param allowHttp hosts for which plain http is allowed, in addition to loopback
 */
export function addressOf({ url, from }: PickedUrl, allowHttp: readonly string[]): Result<string> {
  const judged = checkBaseUrl(url, allowHttp);
  if (judged.kind === "good") return ok(`${judged.origin}${judged.prefix}`);
  return trouble(
    "usage",
    `the URL (${from === "config" ? '"url" of the config' : from}) cannot be used: ${judged.why}`,
    "give the service's base URL, for example --url https://files.example.org",
  );
}

/** Returns true if both URLs are spellings of the same base URL. */
export function isSameUrl(a: string, b: string): boolean {
  return bareUrl(a) === bareUrl(b);
}

/**
 * Returns a base URL to store and to show: without the path of a request, and without slashes at
 * its end.
 */
function bareUrl(url: string): string {
  return withoutSlashes(withoutRoute(url));
}

export function withoutSlashes(url: string): string {
  return url.replace(/\/+$/, "");
}
