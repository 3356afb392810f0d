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
 * @param text URL from the configuration, with or without a path, but without user name, query and
 * fragment
 * @param allowHttpHosts hosts (`host` or `host:port`) for which plain http is allowed, in addition
 * to this machine
 * @returns the parts of the URL. For a refused URL: the reason as a clause (`why`). The reason
 * never contains the URL, because the URL may have a password
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
 * Removes `/v1`, `/v1/files` or `/v1/folders` from the end of a URL, because users copy such
 * addresses from the documentation of the API.
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

type Environment = Readonly<Record<string, string | undefined>>;

export type ServiceRoute =
  | { readonly kind: "direct" }
  | {
      readonly kind: "proxy";
      readonly variable: string;
      /** URL of the proxy. Must not be printed, because the URL may contain a password. */
      readonly url: string;
      readonly origin: string;
    }
  | { readonly kind: "bad"; readonly variable: string };

const PROXY_VARIABLES = {
  "https:": ["https_proxy", "HTTPS_PROXY", "http_proxy", "HTTP_PROXY"],
  "http:": ["http_proxy", "HTTP_PROXY"],
} as const;
const DEFAULT_PORT: Readonly<Record<string, string>> = { "https:": "443", "http:": "80" };

/**
 * Returns how to reach a service: by the proxy in `HTTPS_PROXY` or `HTTP_PROXY`, or directly if
 * `NO_PROXY` lists the host. As in curl, a variable in lower case has priority. A service on this
 * machine is always reached directly, because a proxy on another machine would see the key in the
 * unencrypted request.
 * @param origin an http or https URL
 */
export function chooseRoute(origin: string, env: Environment): ServiceRoute {
  const { protocol, hostname, port } = new URL(origin);
  const host = hostname.replace(/^\[|\]$/g, "");
  const variable = PROXY_VARIABLES[protocol as keyof typeof PROXY_VARIABLES]?.find((name) => (env[name] ?? "") !== "");
  if (variable === undefined || isLoopbackHost(host)) return { kind: "direct" };
  if (isListed(host, port || DEFAULT_PORT[protocol]!, env["no_proxy"] ?? env["NO_PROXY"] ?? "")) {
    return { kind: "direct" };
  }
  const text = env[variable]!.trim();
  const url = text.includes("://") ? text : `http://${text}`;
  if (!URL.canParse(url)) return { kind: "bad", variable };
  const proxyUrl = new URL(url);
  if (!(proxyUrl.protocol in DEFAULT_PORT)) return { kind: "bad", variable };
  return { kind: "proxy", variable, url, origin: proxyUrl.origin };
}

/**
 * Returns true if `NO_PROXY` lists a host. Each item of `NO_PROXY` is a host, a parent domain or
 * `*`, with or without a port.
 */
function isListed(host: string, port: string, noProxy: string): boolean {
  return noProxy
    .toLowerCase()
    .split(/[\s,]+/)
    .some((entry) => {
      const [, name = "", onlyPort] = /^\[?(.*?)\]?(?::(\d+))?$/.exec(isBareIpv6(entry) ? `[${entry}]` : entry)!;
      if (name === "" || (onlyPort !== undefined && onlyPort !== port)) return false;
      const domain = name.replace(/^\*?\.(?=.)/, "");
      return name === "*" || host === domain || host.endsWith(`.${domain}`);
    });
}

function isBareIpv6(entry: string): boolean {
  return !entry.startsWith("[") && entry.split(":").length > 2;
}
