import { isLoopbackHost } from "../../model/loopback.ts";
import { type Asked, type Refusal, refusalOf } from "../../page/same-site.ts";

type Scheme = "http" | "https";

/** Where the pages are served. */
export type Served = {
  readonly scheme: Scheme;
  /** As `serve` was given it: a name or an address, IPv6 without brackets. */
  readonly host: string;
  readonly port: number;
  /** What a proxy before it is called, as a browser writes it: `https://notes.example.org`. */
  readonly proxy: string | null;
};

const LOOPBACK = ["127.0.0.1", "localhost", "[::1]"];
const PORTS: Readonly<Record<Scheme, number>> = { http: 80, https: 443 };

/**
 * Each way to write this service into a `Host` header. One that listens to every address of the
 * machine is known by the names of loopback and of the proxy: which others are its own cannot be
 * told.
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

  /** @returns null: it may be answered */
  refusal(asked: Asked): Refusal | null {
    return this.isProxied(asked.host)
      ? refusalOf(asked, this.#ofProxy, this.#proxyScheme)
      : refusalOf(asked, this.#own, this.#served.scheme);
  }

  /** Whether whoever asked did so by the proxy's name. */
  isProxied(host: string | undefined): boolean {
    return host !== undefined && this.#ofProxy.has(host);
  }

  isSecure(host: string | undefined): boolean {
    return (this.isProxied(host) ? this.#proxyScheme : this.#served.scheme) === "https";
  }

  /** A browser sends cookies of a host to each of its ports: another service has another name. */
  cookieName(host: string | undefined): string {
    return this.isSecure(host) ? `__Secure-mdmirror-${this.#served.port}` : `mdmirror-service-${this.#served.port}`;
  }
}

function isEverywhere(host: string): boolean {
  return host === "0.0.0.0" || host === "::";
}
