import { checkBaseUrl, withoutRoute } from "../../remote/base-url.ts";
import { ok, type Result, trouble } from "../mirror/trouble.ts";

/** Where the service is: who named it, and whether it can be used. */

export type PickedUrl = {
  /** As it was given, but for a path that every request adds by itself. */
  readonly url: string;
  /** `config` is the word of the folder alone; the others are the user's, now. */
  readonly from: "--url" | "MDMIRROR_URL" | "config";
};

export type UrlSources = {
  /** What `--url` said. */
  readonly url?: string | null;
  readonly env: Readonly<Record<string, string | undefined>>;
};

/** `--url` > `MDMIRROR_URL` > config. @returns null: nobody named one */
export function pickUrl(configured: string | null, { url, env }: UrlSources): PickedUrl | null {
  const fromEnv = env["MDMIRROR_URL"] ?? "";
  if (url !== undefined && url !== null) return { url: bareUrl(url), from: "--url" };
  if (fromEnv !== "") return { url: bareUrl(fromEnv), from: "MDMIRROR_URL" };
  return configured === null ? null : { url: bareUrl(configured), from: "config" };
}

/**
 * The address that a key is bound to: `https://host[:port]` and the path prefix. On one host two
 * prefixes may be two people's.
 * @param allowHttp hosts that plain http may be used for, besides loopback
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

/** Whether two spellings are one service's base URL. */
export function isSameUrl(a: string, b: string): boolean {
  return bareUrl(a) === bareUrl(b);
}

/** A base URL as it is kept and shown: no path of a request, no slashes at its end. */
function bareUrl(url: string): string {
  return withoutSlashes(withoutRoute(url));
}

export function withoutSlashes(url: string): string {
  return url.replace(/\/+$/, "");
}
