/** Signs users in with a key. The sign-in form must come from one of the service's own pages. */

import type { WireHeaders } from "../../contract/wire.ts";
import { isLoopbackHost } from "../../common/loopback.ts";
import { Origins, type Refusal, type Served } from "../../page/same-site.ts";
import { Browsers, type Session } from "../../page/sessions.ts";
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
    this.#origins = new Origins(served, { name: "mdmirror-service", path: APP });
    this.#browsers = new Browsers({ now, secret }, this.#origins, { most: MAX_SESSIONS, idleMs: IDLE_MS });
    this.#wrong = new Buckets(now, MAX_ADDRESSES);
  }

  /**
   * Returns why a request cannot be answered.
   * @returns null if the request can be answered
   */
  refusal({ method, headers }: RequestHead): Refusal | null {
    return this.#origins.refusal(method, headers);
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
    return { kind: "in", cookie: this.#browsers.signIn(signedIn, headers["host"]) };
  }

  /**
   * Returns the session of a request.
   * @returns null if the session does not exist, or has ended
   */
  async sessionOf(headers: WireHeaders): Promise<Session<SignedIn> | null> {
    const session = this.#browsers.sessionOf(headers, headers["x-refresh"] === undefined);
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
  signOut(headers: WireHeaders): string {
    return this.#browsers.signOut(headers);
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
