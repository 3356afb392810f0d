import { isLoopbackHost } from "../../common/loopback.ts";

type BaseUrl = {
  readonly kind: "good";
  /** Origin of the base URL. mdmirror sends the key to no other origin. */
  readonly origin: string;
  /** Path of the base URL, without a trailing slash; an empty string if the URL has no path. */
  readonly prefix: string;
};

type BadBaseUrl = { readonly kind: "bad"; readonly why: string };

/**
 * Checks the base URL of a service.
 * @param text URL from the configuration; it may have a path, but no user name, query or fragment
 * @param allowHttpHosts hosts (`host` or `host:port`) for which plain http is allowed, in addition
 * to this machine
 * @returns the parts of the URL. For a refused URL: the reason as a clause (`why`), which never
 * contains the URL, because the URL may have a password
 */
export function checkBaseUrl(text: string, allowHttpHosts: readonly string[] = []): BaseUrl | BadBaseUrl {
  if (!URL.canParse(text)) return refuse("it is not an absolute URL");
  const url = new URL(text);
  if (url.protocol !== "https:" && url.protocol !== "http:")
    return refuse("it does not start with https:// or http://");
  if (url.username !== "" || url.password !== "") return refuse("it contains a user name or password");
  if (url.search !== "" || url.hash !== "") return refuse("it contains a query or fragment");
  if (url.protocol === "http:" && !isLoopback(url) && !isHttpAllowed(url, allowHttpHosts)) {
    return refuse("plain http would show the key to the network; use https, or allow this host (--allow-http)");
  }
  return { kind: "good", origin: url.origin, prefix: url.pathname.replace(/\/+$/, "") };
}

/**
 * Removes `/v1`, `/v1/files` or `/v1/folders` from the end of a URL. Users copy such addresses from
 * the documentation of the API.
 */
export function removeRoute(url: string): string {
  return url.replace(/\/v1(?:\/(?:files|folders))?\/*$/, "");
}

function refuse(why: string): BadBaseUrl {
  return { kind: "bad", why };
}

// The URL parser has already rewritten other forms of an IPv4 address (127.1, 0x7f000001) to four
// decimal numbers.
function isLoopback(url: URL): boolean {
  return isLoopbackHost(url.hostname.replace(/^\[|\]$/g, ""));
}

function isHttpAllowed(url: URL, hosts: readonly string[]): boolean {
  return hosts.some((host) => host.toLowerCase() === url.hostname || host.toLowerCase() === url.host);
}
