import { isLoopbackHost } from "../../common/loopback.ts";
import type { SessionCookie } from "../../page/browsers.ts";
import { type Asked, type Refusal, refusalOf } from "../../page/same-site.ts";
import { APP } from "./addresses.ts";

type Scheme = "http" | "https";

/** The addresses under which the pages are served. */
export type Served = {
  readonly scheme: Scheme;
  /** As given to `serve`: a name or an address, IPv6 without brackets. */
  readonly host: string;
  readonly port: number;
  /** The origin of a proxy in front, as a browser writes it: `https://notes.example.org`. */
  readonly proxy: string | null;
};

const LOOPBACK = ["127.0.0.1", "localhost", "[::1]"];
const PORTS: Readonly<Record<Scheme, number>> = { http: 80, https: 443 };

/**
 * All values of `Host` that mean this service. A service that listens on every address of the
 * machine answers to the names of loopback and of the proxy only: nothing tells which others are
 * its own.
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

  /** @returns null: the request may be answered */
  refusal(asked: Asked): Refusal | null {
    return this.isProxied(asked.host)
      ? refusalOf(asked, this.#ofProxy, this.#proxyScheme)
      : refusalOf(asked, this.#own, this.#served.scheme);
  }

  /** Whether a request used the proxy's name. */
  isProxied(host: string | undefined): boolean {
    return host !== undefined && this.#ofProxy.has(host);
  }

  /** A browser sends a host's cookies to all of its ports, so each service has its own name. */
  cookie(host: string | undefined): SessionCookie {
    const secure = (this.isProxied(host) ? this.#proxyScheme : this.#served.scheme) === "https";
    return { name: `${secure ? "__Secure-mdmirror" : "mdmirror-service"}-${this.#served.port}`, path: APP, secure };
  }
}

function isEverywhere(host: string): boolean {
  return host === "0.0.0.0" || host === "::";
}
