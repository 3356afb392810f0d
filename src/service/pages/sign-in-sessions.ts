/** Signs users in with a key. The sign-in form must come from one of the service's own pages. */

import type { WireHeaders } from "../../contract/wire.ts";
import { isLoopbackHost } from "../../common/loopback.ts";
import { type Refusal, type SiteRequest, refusalOf } from "../../page/same-site.ts";
import { Browsers, type Session, type SessionCookie } from "../../page/sessions.ts";
import { Buckets } from "../requests/buckets.ts";
import type { Core, RequestHead } from "../requests/dispatch.ts";
import type { PageTrouble } from "./answer.ts";
import { identify, isKnown, type Who } from "./who.ts";
import { APP } from "./addresses.ts";

/** A signed-in user. `since`: milliseconds since the epoch. */
export type SignedIn = { readonly who: Who; readonly since: number };

/** LIMIT: signed-in browsers. A further one signs out the browser that was unused for longest. */
const MAX_SESSIONS = 256;
const IDLE_MS = 2 * 3_600_000;
const LONGEST_MS = 24 * 3_600_000;

/**
 * LIMIT: wrong keys from one address without a wait, and the rate of further tries for each
 * millisecond. A key is long and random, so no guess succeeds. The right key is always accepted:
 * other users of the same address cannot lock its owner out.
 */
const WRONG_KEYS = { most: 10, perMs: 1 / 6_000 } as const;
/** LIMIT: addresses that are remembered. */
const MAX_ADDRESSES = 1_000;

type Entered =
  | { readonly kind: "in"; readonly cookie: string }
  | { readonly kind: "wrong" }
  | { readonly kind: "wait"; readonly seconds: number };

export class SignInSessions {
  readonly #core: Core;
  readonly #origins: Origins;
  readonly #browsers: Browsers<SignedIn>;
  /** Counts of wrong keys, by address. */
  readonly #wrong: Buckets<string>;

  constructor(core: Core, { served, secret }: { readonly served: Served; readonly secret: () => string }) {
    const { now } = core.server;
    this.#core = core;
    this.#origins = new Origins(served);
    this.#browsers = new Browsers({ now, secret }, { most: MAX_SESSIONS, idleMs: IDLE_MS });
    this.#wrong = new Buckets(now, MAX_ADDRESSES);
  }

  /**
   * Returns why a request cannot be answered.
   * @returns null if the request can be answered
   */
  refusal({ method, headers }: RequestHead): Refusal | null {
    const { host, origin } = headers;
    return this.#origins.refusal({ method, host, origin, fetchSite: headers["sec-fetch-site"] });
  }

  async signIn(
    key: string,
    { headers, from }: { readonly headers: WireHeaders; readonly from: string },
  ): Promise<Entered> {
    const who = await identify(this.#core, key.trim());
    if (who === null) {
      const ms = this.#wrong.take(this.#addressOf(headers, from), WRONG_KEYS);
      return ms === null ? { kind: "wrong" } : { kind: "wait", seconds: Math.ceil(ms / 1_000) };
    }
    const signedIn = { who, since: this.#core.server.now() };
    return { kind: "in", cookie: this.#browsers.signIn(signedIn, this.#origins.cookie(headers["host"])) };
  }

  /**
   * Returns the session of a request.
   * @returns null if the session does not exist, or has ended
   */
  async sessionOf(headers: WireHeaders): Promise<Session<SignedIn> | null> {
    const isUse = headers["x-refresh"] === undefined;
    const session = this.#browsers.sessionOf(headers["cookie"], this.#origins.cookie(headers["host"]), isUse);
    if (session === null) return null;
    const { who, since } = session.who;
    if (this.#core.server.now() - since <= LONGEST_MS && (await isKnown(this.#core, who))) return session;
    this.signOut(headers);
    return null;
  }

  /**
   * Signs a user out.
   * @returns the value of `Set-Cookie` that removes the cookie
   */
  signOut({ host, cookie }: WireHeaders): string {
    return this.#browsers.signOut(cookie, this.#origins.cookie(host));
  }

  /** Returns the client's address: behind a local proxy, the last one in `X-Forwarded-For`. */
  #addressOf({ host, ...headers }: WireHeaders, from: string): string {
    const forwarded = this.#origins.isProxied(host) && isLoopbackHost(from) ? headers["x-forwarded-for"] : undefined;
    return forwarded === undefined ? from : forwarded.slice(forwarded.lastIndexOf(",") + 1).trim();
  }
}

export function tooMany(seconds: number): PageTrouble {
  const next = `wait ${seconds} s; the key is in the file that mdmirror serve named, or that you were given`;
  return { status: 429, reason: "too many wrong keys came from this address", next, retryAfter: String(seconds) };
}

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
const EVERYWHERE = ["0.0.0.0", "::"];
const PORTS: Readonly<Record<Scheme, number>> = { http: 80, https: 443 };

/**
 * Accepts the values of `Host` that name this service. A service that listens on every address of
 * the machine accepts the names of loopback and of the proxy only, because it cannot know its other
 * names.
 */
class Origins {
  readonly #served: Served;
  readonly #own: ReadonlySet<string>;
  readonly #ofProxy: ReadonlySet<string>;
  readonly #proxyScheme: Scheme;

  constructor(served: Served) {
    const { scheme, host, port, proxy } = served;
    const named = host.includes(":") ? `[${host}]` : host;
    const hasOwnName = !isLoopbackHost(host) && !EVERYWHERE.includes(host);
    const names = hasOwnName ? [...LOOPBACK, named.toLowerCase()] : LOOPBACK;
    this.#served = served;
    this.#own = new Set(names.flatMap((name) => [`${name}:${port}`, ...(port === PORTS[scheme] ? [name] : [])]));
    this.#ofProxy = new Set(proxy === null ? [] : [new URL(proxy).host]);
    this.#proxyScheme = proxy?.startsWith("https:") === true ? "https" : "http";
  }

  /**
   * Returns why a request cannot be answered.
   * @returns null if the request can be answered
   */
  refusal(request: SiteRequest): Refusal | null {
    return refusalOf(request, this.isProxied(request.host) ? this.#ofProxy : this.#own, this.#scheme(request.host));
  }

  /** Returns true if a request used the proxy's name. */
  isProxied(host: string | undefined): boolean {
    return host !== undefined && this.#ofProxy.has(host);
  }

  #scheme(host: string | undefined): Scheme {
    return this.isProxied(host) ? this.#proxyScheme : this.#served.scheme;
  }

  /**
   * Returns the name of this service's cookie. Browsers send the cookies of a host to all its
   * ports, so each service has a name of its own.
   */
  cookie(host: string | undefined): SessionCookie {
    const secure = this.#scheme(host) === "https";
    return { name: `${secure ? "__Secure-mdmirror" : "mdmirror-service"}-${this.#served.port}`, path: APP, secure };
  }
}
