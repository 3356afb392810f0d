/**
 * Checks that a request comes from a page of this server. A page of another site can make a browser
 * send requests to this server. With DNS rebinding, such a request even has a host name of that
 * site.
 */
import { isLoopbackHost } from "../common/loopback.ts";

/** Headers by name in lower case, as Node has them. */
type SentHeaders = Readonly<Record<string, string | readonly string[] | undefined>>;

/** Header that shows that a request does not come from a page of this server. */
export type RequestRefusal = "host" | "origin" | "site";

export const REFUSAL_TEXT: Readonly<Record<RequestRefusal, string>> = {
  host: "this request is for another host",
  origin: "this request comes from another site",
  site: "this request comes from another site",
};

type Scheme = "http" | "https";

export type ServedAddress = {
  readonly scheme: Scheme;
  /** Host name or address on which the server listens. An IPv6 address has no brackets. */
  readonly host: string;
  readonly port: number;
  /** Origin of the proxy, such as `https://notes.example.org`; null without a proxy. */
  readonly proxy: string | null;
};

/** The browser sends the cookie only to addresses below `path`. */
export type SessionCookie = { readonly name: string; readonly path: string; readonly secure: boolean };

const LOOPBACK_HOSTS = ["127.0.0.1", "localhost", "[::1]"];
const ALL_ADDRESSES = ["0.0.0.0", "::"];
const DEFAULT_PORTS: Readonly<Record<Scheme, number>> = { http: 80, https: 443 };

/**
 * Checks whether the header `Host` names this server. A server that listens on all addresses cannot
 * know its host names, and accepts only the names of loopback and of the proxy.
 */
export class Origins {
  readonly #served: ServedAddress;
  readonly #cookie: { readonly name: string; readonly path: string };
  readonly #proxy: URL | null;

  /**
   * @param cookie name and path of the cookie. The port is added to the name, because browsers send
   * the cookies of a host to all its ports.
   */
  constructor(served: ServedAddress, cookie: { readonly name: string; readonly path: string }) {
    this.#served = served;
    this.#cookie = cookie;
    this.#proxy = served.proxy === null ? null : new URL(served.proxy);
  }

  /** Returns why a request is refused; null if the request comes from a page of this server. */
  refusal(method: string, { host, origin, "sec-fetch-site": fetchSite }: SentHeaders): RequestRefusal | null {
    if (typeof host !== "string" || !(this.isProxied(host) || this.#ownHosts().includes(host))) return "host";
    const isReadRequest = method === "GET" || method === "HEAD";
    if (origin === undefined ? !isReadRequest : origin !== `${this.#scheme(host)}://${host}`) return "origin";
    // Older browsers do not send `Sec-Fetch-Site`. `none` means that the user typed the address or
    // opened it from another program.
    const isSameSite =
      fetchSite === undefined || fetchSite === "same-origin" || (isReadRequest && fetchSite === "none");
    return isSameSite ? null : "site";
  }

  #ownHosts(): readonly string[] {
    const { scheme, host, port } = this.#served;
    const hostInUrl = host.includes(":") ? `[${host}]` : host;
    const hasOwnName = !isLoopbackHost(host) && !ALL_ADDRESSES.includes(host);
    const names = hasOwnName ? [...LOOPBACK_HOSTS, hostInUrl.toLowerCase()] : LOOPBACK_HOSTS;
    return names.flatMap((name) => [`${name}:${port}`, ...(port === DEFAULT_PORTS[scheme] ? [name] : [])]);
  }

  isProxied(host: string | undefined): boolean {
    return this.#proxy !== null && this.#proxy.host === host;
  }

  #scheme(host: string | undefined): Scheme {
    if (!this.isProxied(host)) return this.#served.scheme;
    return this.#proxy!.protocol === "https:" ? "https" : "http";
  }

  cookie(host: string | undefined): SessionCookie {
    const isSecure = this.#scheme(host) === "https";
    const { name, path } = this.#cookie;
    return { name: `${isSecure ? "__Secure-mdmirror" : name}-${this.#served.port}`, path, secure: isSecure };
  }
}

type HttpHeaders = Readonly<Record<string, string>>;

/**
 * Content security policy: pages load scripts, styles and images only from their own site, none of
 * them inline. No site may show a page in a frame.
 */
const CONTENT_SECURITY_POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self'",
  "connect-src 'self'",
  "form-action 'self'",
  "base-uri 'none'",
  "frame-ancestors 'none'",
].join("; ");

const COMMON_HEADERS: HttpHeaders = {
  "content-security-policy": CONTENT_SECURITY_POLICY,
  "x-content-type-options": "nosniff",
  "x-frame-options": "DENY",
  "cross-origin-opener-policy": "same-origin",
  "cross-origin-embedder-policy": "require-corp",
  "cross-origin-resource-policy": "same-origin",
  "permissions-policy": "camera=(), geolocation=(), microphone=(), payment=(), usb=()",
};

/**
 * Headers of pages and of answers to their scripts. The referrer policy is not `no-referrer`,
 * because a browser would then send `Origin: null` with forms of this server. Such forms would look
 * like forms of another site.
 */
export const PAGE_HEADERS: HttpHeaders = {
  ...COMMON_HEADERS,
  "cache-control": "no-store",
  "referrer-policy": "same-origin",
};

/** Headers of an answer to an address that contains a secret. */
export const ENTER_HEADERS: HttpHeaders = { ...PAGE_HEADERS, "referrer-policy": "no-referrer" };

/** Headers of scripts and styles. Browsers may keep them: a changed file has another name. */
export const ASSET_HEADERS: HttpHeaders = {
  ...COMMON_HEADERS,
  "cache-control": "private, max-age=31536000, immutable",
  "referrer-policy": "no-referrer",
};
