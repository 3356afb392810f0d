/**
 * Signed-in browsers, for both sites. A browser proves its session by a secret in a cookie, and by
 * another secret in each form.
 */

import { createHash, timingSafeEqual } from "node:crypto";
import { BoundedMap } from "../common/bounded-map.ts";
import type { Origins, SessionCookie } from "./same-site.ts";

export type Session<Who> = {
  readonly who: Who;
  /** Token in each form, and in a header of requests by scripts. No other site can read it. */
  readonly csrf: string;
};

type World = {
  /** Returns milliseconds that never go back. */
  readonly now: () => number;
  /** At least 32 random bytes, in characters for addresses, cookies and forms. */
  readonly secret: () => string;
};

/** Headers of a request that find its session. */
type CookieHeaders = { readonly host?: string | undefined; readonly cookie?: string | undefined };

/** Signs browsers in and out, by a cookie each. */
export class Browsers<Who> {
  readonly #world: World;
  readonly #origins: Pick<Origins, "cookie">;
  readonly #idleMs: number;
  /** Sessions by the digest of their secret; the most recently used session is last. */
  readonly #sessions: BoundedMap<string, Session<Who> & { readonly usedAt: number }>;

  /**
   * @param limits.most sessions at a time; one more ends the session that was unused for longest
   */
  constructor(
    world: World,
    origins: Pick<Origins, "cookie">,
    { most, idleMs }: { readonly most: number; readonly idleMs: number },
  ) {
    this.#world = world;
    this.#origins = origins;
    this.#idleMs = idleMs;
    this.#sessions = new BoundedMap(most);
  }

  /** Signs a browser in. Returns the value of `Set-Cookie`. */
  signIn(who: Who, host: string | undefined): string {
    const { secret, now } = this.#world;
    const proof = secret();
    this.#sessions.set(digestOf(proof), { who, csrf: secret(), usedAt: now() });
    return setCookie(this.#origins.cookie(host), proof);
  }

  /**
   * Returns the session of a request; null if the browser is not signed in.
   * @param isUse false for a request that a page sends on its own: the session ends as before
   */
  sessionOf(headers: CookieHeaders, isUse = true): Session<Who> | null {
    const id = this.#idOf(headers);
    const session = this.#sessions.get(id);
    if (session === undefined) return null;
    this.#sessions.delete(id);
    const now = this.#world.now();
    if (now - session.usedAt > this.#idleMs) return null;
    this.#sessions.set(id, isUse ? { ...session, usedAt: now } : session);
    return session;
  }

  /** Ends a session. Returns the value of `Set-Cookie` that removes the cookie. */
  signOut(headers: CookieHeaders): string {
    this.#sessions.delete(this.#idOf(headers));
    return `${setCookie(this.#origins.cookie(headers.host), "")}; Max-Age=0`;
  }

  #idOf({ host, cookie }: CookieHeaders): string {
    return digestOf(cookieOf(cookie, this.#origins.cookie(host).name) ?? "");
  }
}

/** LIMIT: characters of a `Cookie` header that are read. */
const MAX_HEADER = 8_192;

/**
 * Returns the value of a cookie.
 * @param header the `Cookie` header of the request; undefined if the request has none
 * @returns null if the cookie is missing, or occurs twice, because one of the two is foreign
 */
export function cookieOf(header: string | undefined, name: string): string | null {
  const found = (header ?? "")
    .slice(0, MAX_HEADER)
    .split(";")
    .map((pair) => pair.trim())
    .filter((pair) => pair.startsWith(`${name}=`));
  return found.length === 1 ? found[0]!.slice(name.length + 1) : null;
}

/**
 * Writes a `Set-Cookie` header. No script can read the cookie, no other site can make a browser
 * send it, and it ends with the browser.
 */
function setCookie({ name, path, secure }: SessionCookie, value: string): string {
  return `${name}=${value}; HttpOnly; SameSite=Strict; Path=${path}${secure ? "; Secure" : ""}`;
}

/** Secrets that are valid once, and for a limited time. */
export class Tickets {
  readonly #world: World;
  readonly #lifeMs: number;
  readonly #until: BoundedMap<string, number>;

  constructor(world: World, { most, lifeMs }: { readonly most: number; readonly lifeMs: number }) {
    this.#world = world;
    this.#lifeMs = lifeMs;
    this.#until = new BoundedMap(most);
  }

  issue(): string {
    const ticket = this.#world.secret();
    this.#until.set(digestOf(ticket), this.#world.now() + this.#lifeMs);
    return ticket;
  }

  /** Uses a ticket up. Returns true if the ticket was valid; a second call returns false. */
  take(ticket: string): boolean {
    const id = digestOf(ticket);
    const until = this.#until.get(id);
    this.#until.delete(id);
    return until !== undefined && this.#world.now() <= until;
  }
}

/**
 * Returns true if a page of this session sent the token, which no other site knows. The time of the
 * comparison does not depend on the secrets.
 */
export function isSentByOwnPage({ csrf }: Session<unknown>, token: string | null): boolean {
  return token !== null && timingSafeEqual(Buffer.from(digestOf(token)), Buffer.from(digestOf(csrf)));
}

/**
 * Returns the digest of a secret, by which the secret is looked up. The time of a lookup then
 * reveals nothing about the secret.
 */
function digestOf(secret: string): string {
  return createHash("sha256").update(secret).digest("base64url");
}
