import { isLoopbackHost } from "../../common/loopback.ts";

/** The address of the service, after all checks that need no request. */
type BaseUrl = {
  readonly kind: "good";
  /** Origin `https://host[:port]`. No other origin ever receives the key. */
  readonly origin: string;
  /** The path prefix, without a trailing slash; `""` for none. */
  readonly prefix: string;
};

type BadBaseUrl = { readonly kind: "bad"; readonly why: string };

/**
 * Checks the base URL of a service.
 * @param text as configured; may have a path prefix, but no user name, query or fragment
 * @param allowHttpHosts hosts (`host` or `host:port`), in addition to loopback, for which plain
 * http is allowed
 * @returns `why` as a clause for messages. The clause never contains the URL, which may have a
 * password
 */
export function checkBaseUrl(text: string, allowHttpHosts: readonly string[] = []): BaseUrl | BadBaseUrl {
  if (!URL.canParse(text)) return bad("it is not an absolute URL");
  const url = new URL(text);
  if (url.protocol !== "https:" && url.protocol !== "http:") return bad("it does not start with https:// or http://");
  if (url.username !== "" || url.password !== "") return bad("it contains a user name or password");
  if (url.search !== "" || url.hash !== "") return bad("it contains a query or fragment");
  if (url.protocol === "http:" && !isLoopback(url) && !isHttpAllowed(url, allowHttpHosts)) {
    return bad("plain http would show the key to the network; use https, or allow this host (--allow-http)");
  }
  return { kind: "good", origin: url.origin, prefix: url.pathname.replace(/\/+$/, "") };
}

/**
 * Returns a base URL without the beginning of a route. All routes are below `/v1`, so a user who
 * copies a route from the documents means the service above `/v1`.
 */
export function withoutRoute(url: string): string {
  return url.replace(/\/v1(?:\/(?:files|folders))?\/*$/, "");
}

function bad(why: string): BadBaseUrl {
  return { kind: "bad", why };
}

// The URL parser has already written each form of an IPv4 address (127.1, 0x7f000001) as four
// decimals, and hosts in lower case.
function isLoopback(url: URL): boolean {
  return isLoopbackHost(url.hostname.replace(/^\[|\]$/g, ""));
}

function isHttpAllowed(url: URL, hosts: readonly string[]): boolean {
  return hosts.some((host) => host.toLowerCase() === url.hostname || host.toLowerCase() === url.host);
}
