/**
 * Checks that a request comes from one of our pages. A page of another site can make a browser send
 * requests to this server, even under a host name that it points at this machine (DNS rebinding).
 */

import { isLoopbackHost } from "../common/loopback.ts";

/** Headers by lower-case name, as Node has them. */
export type SentHeaders = Readonly<Record<string, string | readonly string[] | undefined>>;

/** Sign that a request is not from one of our pages. */
export type Refusal = "host" | "origin" | "site";

export const REFUSAL_TEXT: Readonly<Record<Refusal, string>> = {
  host: "this request is for another host",
  origin: "this request comes from another site",
  site: "this request comes from another site",
};

type Scheme = "http" | "https";

/** Addresses at which the pages are served. */
export type Served = {
  readonly scheme: Scheme;
  /** Name or address that the server listens on; an IPv6 address has no brackets. */
  readonly host: string;
  readonly port: number;
  /** Origin of a proxy before the server, as a browser writes it: `https://notes.example.org`. */
  readonly proxy: string | null;
};

/** The cookie that proves a session. `path`: below which a browser sends it. */
export type SessionCookie = { readonly name: string; readonly path: string; readonly secure: boolean };

const LOOPBACK = ["127.0.0.1", "localhost", "[::1]"];
const EVERYWHERE = ["0.0.0.0", "::"];
const PORTS: Readonly<Record<Scheme, number>> = { http: 80, https: 443 };

/**
 * Accepts the values of `Host` that name this server. A server that listens on every address of
 * the machine accepts the names of loopback and of the proxy only, because it cannot know its other
 * names.
 */
export class Origins {
  readonly #served: Served;
  readonly #cookie: { readonly name: string; readonly path: string };
  readonly #proxy: URL | null;

  /**
   * @param cookie its name, to which the port is added, because browsers send the cookies of a host
   * to all its ports; and the path below which browsers send it
   */
  constructor(served: Served, cookie: { readonly name: string; readonly path: string }) {
    this.#served = served;
    this.#cookie = cookie;
    this.#proxy = served.proxy === null ? null : new URL(served.proxy);
  }

  /**
   * Returns the sign that a request is not from one of our pages.
   * @returns null if the request may be answered
   */
  refusal(method: string, { host, origin, "sec-fetch-site": fetchSite }: SentHeaders): Refusal | null {
    if (typeof host !== "string" || !(this.isProxied(host) || this.#ownHosts().includes(host))) return "host";
    const isRead = method === "GET" || method === "HEAD";
    if (origin === undefined ? !isRead : origin !== `${this.#scheme(host)}://${host}`) return "origin";
    // Older browsers do not send this header. `none`: somebody typed the address, or opened it from
    // another program.
    const isOurs = fetchSite === undefined || fetchSite === "same-origin" || (isRead && fetchSite === "none");
    return isOurs ? null : "site";
  }

  #ownHosts(): readonly string[] {
    const { scheme, host, port } = this.#served;
    const named = host.includes(":") ? `[${host}]` : host;
    const hasOwnName = !isLoopbackHost(host) && !EVERYWHERE.includes(host);
    const names = hasOwnName ? [...LOOPBACK, named.toLowerCase()] : LOOPBACK;
    return names.flatMap((name) => [`${name}:${port}`, ...(port === PORTS[scheme] ? [name] : [])]);
  }

  /** Returns true if a request used the proxy's name. */
  isProxied(host: string | undefined): boolean {
    return this.#proxy !== null && this.#proxy.host === host;
  }

  #scheme(host: string | undefined): Scheme {
    if (!this.isProxied(host)) return this.#served.scheme;
    return this.#proxy!.protocol === "https:" ? "https" : "http";
  }

  cookie(host: string | undefined): SessionCookie {
    const secure = this.#scheme(host) === "https";
    const { name, path } = this.#cookie;
    return { name: `${secure ? "__Secure-mdmirror" : name}-${this.#served.port}`, path, secure };
  }
}
