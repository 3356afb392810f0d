/** Finds the service's URL and the URL's source. Checks whether mdmirror can use the URL. */
import { checkBaseUrl, removeRoute } from "../remote/address.ts";
import { ok, refusal, type Result } from "../../common/trouble.ts";

declare const trustSeal: unique symbol;

/**
 * An address for which this user provided a key. A connection needs such an object. Only
 * `trust/gate.ts` creates the object, from the user's registry or from the options of the command.
 */
export type TrustedOrigin = {
  readonly url: string;
  /** Origin and path prefix of the URL, in the form of the registry. */
  readonly address: string;
  /** Hosts for which plain http is allowed; the local machine is always allowed. */
  readonly allowHttp: readonly string[];
  readonly [trustSeal]: true;
};

export type PickedUrl = {
  /** URL without `/v1…` at the end, because each request adds this part itself. */
  readonly url: string;
  /** Source of the URL. `config`: the folder's configuration. The user set the other sources. */
  readonly from: "--url" | "MDMIRROR_URL" | "config";
};

export type UrlSources = {
  readonly url?: string | null;
  readonly env: Readonly<Record<string, string | undefined>>;
};

/**
 * Returns the URL in `--url`; if not set, the URL in `MDMIRROR_URL`; if not set either, the
 * configured URL. Null if all three are missing.
 */
export function pickUrl(configured: string | null, { url, env }: UrlSources): PickedUrl | null {
  const urlVariable = env["MDMIRROR_URL"] ?? "";
  if (url !== undefined && url !== null) return { url: stripUrl(url), from: "--url" };
  if (urlVariable !== "") return { url: stripUrl(urlVariable), from: "MDMIRROR_URL" };
  return configured === null ? null : { url: stripUrl(configured), from: "config" };
}

/**
 * Returns the address for which a key is valid: `https://host[:port]` and the path prefix. The
 * prefix is a part of the address, because two prefixes of one host may belong to two people.
 * @param allowHttp hosts for which plain http is allowed; the local machine is always allowed
 * @returns trouble if mdmirror cannot use the URL
 */
export function toAddress({ url, from }: PickedUrl, allowHttp: readonly string[]): Result<string> {
  const checkResult = checkBaseUrl(url, allowHttp);
  if (checkResult.kind === "good") return ok(`${checkResult.origin}${checkResult.prefix}`);
  return refusal(
    `the URL (${from === "config" ? '"url" of the config' : from}) cannot be used: ${checkResult.why}`,
    "give the service's base URL, for example --url https://files.example.org",
  );
}

export function isSameUrl(a: string, b: string): boolean {
  return stripUrl(a) === stripUrl(b);
}

function stripUrl(url: string): string {
  return stripSlashes(removeRoute(url));
}

export function stripSlashes(url: string): string {
  return url.replace(/\/+$/, "");
}
