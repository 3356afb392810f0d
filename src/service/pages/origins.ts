import { isLoopbackHost } from "../../common/loopback.ts";
import type { SessionCookie } from "../../page/sessions.ts";
import { type SiteRequest, type Refusal, refusalOf } from "../../page/same-site.ts";
import { APP } from "./addresses.ts";

type Scheme = "http" | "https";

/** Addresses at which the pages are served. */
export type Served = {
  readonly scheme: Scheme;
  /** Host of `serve`: a name or an address; an IPv6 address has no brackets. */
  readonly host: string;
  readonly port: number;
  /** Origin of a proxy before the service, as a browser writes it: `https://notes.example.org`. */
  readonly proxy: string | null;
};

const LOOPBACK = ["127.0.0.1", "localhost", "[::1]"];
const PORTS: Readonly<Record<Scheme, number>> = { http: 80, https: 443 };

/**
 * Accepts the values of `Host` that name this service. A service that listens on every address of
 * the machine accepts the names of loopback and of the proxy only. It cannot know its other names.
 */
export class Origins {
  readonly #served: Served;
  readonly #own: ReadonlySet<string>;
  readonly #ofProxy: ReadonlySet<string>;
  readonly #proxyScheme: Scheme;

  constructor(served: Served) {
    const { scheme, host, port, proxy } = served;
    const named = host.includes(":") ? `[${host}]` : host;
    const names = isLoopbackHost(host) || isEverywhere(host) ? LOOPBACK : [...LOOPBACK, named.toLowerCase()];
    this.#served = served;
    this.#own = new Set(names.flatMap((name) => [`${name}:${port}`, ...(port === PORTS[scheme] ? [name] : [])]));
    this.#ofProxy = new Set(proxy === null ? [] : [new URL(proxy).host]);
    this.#proxyScheme = proxy?.startsWith("https:") === true ? "https" : "http";
  }

  /**
   * Returns why a request cannot be answered.
   * @returns null if it can
   */
  refusal(asked: SiteRequest): Refusal | null {
    return this.isProxied(asked.host)
      ? refusalOf(asked, this.#ofProxy, this.#proxyScheme)
      : refusalOf(asked, this.#own, this.#served.scheme);
  }

  /** Returns true if a request used the proxy's name. */
  isProxied(host: string | undefined): boolean {
    return host !== undefined && this.#ofProxy.has(host);
  }

  /**
   * Returns the name of this service's cookie. Browsers send the cookies of a host to all its
   * ports, so each service has a name of its own.
   */
  cookie(host: string | undefined): SessionCookie {
    const secure = (this.isProxied(host) ? this.#proxyScheme : this.#served.scheme) === "https";
    return { name: `${secure ? "__Secure-mdmirror" : "mdmirror-service"}-${this.#served.port}`, path: APP, secure };
  }
}

function isEverywhere(host: string): boolean {
  return host === "0.0.0.0" || host === "::";
}
