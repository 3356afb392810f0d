import { checkBaseUrl, withoutRoute } from "../remote/base-url.ts";
import { ok, type Result, trouble } from "../../common/trouble.ts";

/** The address of the service: its source, and whether it can be used. */

export type PickedUrl = {
  /** As given, without a path that every request adds. */
  readonly url: string;
  /** `config` is the folder's claim; the others come from the user, now. */
  readonly from: "--url" | "MDMIRROR_URL" | "config";
};

export type UrlSources = {
  /** The value of `--url`. */
  readonly url?: string | null;
  readonly env: Readonly<Record<string, string | undefined>>;
};

/** Picks `--url` > `MDMIRROR_URL` > configuration. Returns null if none was given. */
export function pickUrl(configured: string | null, { url, env }: UrlSources): PickedUrl | null {
  const fromEnv = env["MDMIRROR_URL"] ?? "";
  if (url !== undefined && url !== null) return { url: bareUrl(url), from: "--url" };
  if (fromEnv !== "") return { url: bareUrl(fromEnv), from: "MDMIRROR_URL" };
  return configured === null ? null : { url: bareUrl(configured), from: "config" };
}

/**
 * Returns the address that a key is bound to: `https://host[:port]` and the path prefix, because
 * two prefixes of one host may belong to two people.
 * @param allowHttp hosts for which plain http is allowed, besides loopback
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

/** Returns true if two spellings are the same base URL. */
export function isSameUrl(a: string, b: string): boolean {
  return bareUrl(a) === bareUrl(b);
}

/** Returns a base URL for storing and showing: without a request's path or slashes at its end. */
function bareUrl(url: string): string {
  return withoutSlashes(withoutRoute(url));
}

export function withoutSlashes(url: string): string {
  return url.replace(/\/+$/, "");
}
