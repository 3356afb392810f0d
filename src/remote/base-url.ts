import { isLoopbackHost } from "../model/loopback.ts";

/** Where the service is, after all checks that can be made without asking it. */
type BaseUrl = {
  readonly kind: "good";
  /** `https://host[:port]`: the only origin that ever sees the key. */
  readonly origin: string;
  /** The path prefix, without a trailing slash; `""` for none. */
  readonly prefix: string;
};

type BadBaseUrl = { readonly kind: "bad"; readonly why: string };

const PART_FAULTS: readonly { readonly why: string; readonly isIn: (url: URL) => boolean }[] = [
  {
    why: "it starts neither with https:// nor http://",
    isIn: ({ protocol }) => protocol !== "https:" && protocol !== "http:",
  },
  {
    why: "it holds a user name or password",
    isIn: ({ username, password }) => username !== "" || password !== "",
  },
  {
    why: "it holds a query or fragment",
    isIn: ({ search, hash }) => search !== "" || hash !== "",
  },
];

/**
 * Judges the base URL of a service.
 * @param text as configured; a path prefix is allowed, a user name, query or fragment is not
 * @param allowHttpHosts hosts (`host` or `host:port`) that plain http may be used for, besides
 * loopback
 * @returns `why` as a clause for messages; it never repeats the URL, which may hold a password
 */
export function checkBaseUrl(text: string, allowHttpHosts: readonly string[] = []): BaseUrl | BadBaseUrl {
  if (!URL.canParse(text)) return bad("it is not an absolute URL");
  const url = new URL(text);
  const fault = PART_FAULTS.find(({ isIn }) => isIn(url));
  if (fault !== undefined) return bad(fault.why);
  if (url.protocol === "http:" && !isLoopback(url) && !isAllowed(url, allowHttpHosts)) {
    return bad("plain http would show the key to the network; use https, or allow this host (--allow-http)");
  }
  return { kind: "good", origin: url.origin, prefix: url.pathname.replace(/\/+$/, "") };
}

/**
 * A base URL without the beginning of the routes, which all lie below `/v1`: documents name them
 * so, and who copies one from there means the service above it.
 */
export function withoutRoute(url: string): string {
  return url.replace(/\/v1(?:\/(?:files|folders))?\/*$/, "");
}

function bad(why: string): BadBaseUrl {
  return { kind: "bad", why };
}

// The URL parser has already spelled every form of an IPv4 address (127.1, 0x7f000001) as four
// decimals, and hosts in lower case.
function isLoopback(url: URL): boolean {
  return isLoopbackHost(url.hostname.replace(/^\[|\]$/g, ""));
}

function isAllowed(url: URL, hosts: readonly string[]): boolean {
  return hosts.some((host) => host.toLowerCase() === url.hostname || host.toLowerCase() === url.host);
}
