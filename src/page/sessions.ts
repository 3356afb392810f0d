/**
 * Sessions of signed-in browsers, for the local pages and the pages of the service. A browser
 * proves its session by a secret in a cookie. A form also has to send a second secret, the token of
 * the session.
 */

import { createHash, timingSafeEqual } from "node:crypto";
import { BoundedMap } from "../common/bounded-map.ts";
import type { Origins, SessionCookie } from "./same-site.ts";

export type Session<Who> = {
  readonly who: Who;
  /** Token that forms and scripts send with their requests. Other sites cannot read this token. */
  readonly csrf: string;
};

type SessionContext = {
  /** Returns the time of a monotonic clock in milliseconds. */
  readonly now: () => number;
  /** Returns at least 32 random bytes, in characters for addresses and cookies. */
  readonly secret: () => string;
};

type CookieHeaders = { readonly host?: string | undefined; readonly cookie?: string | undefined };

export class Browsers<Who> {
  readonly #world: SessionContext;
  readonly #origins: Pick<Origins, "cookie">;
  readonly #idleMs: number;
  /** Sessions by the digest of their secret. The most recently used session is the last. */
  readonly #sessions: BoundedMap<string, Session<Who> & { readonly usedAt: number }>;

  /**
   * @param limits.most number of sessions. With one session more, the session that was unused
   * longest ends
   * @param limits.idleMs milliseconds without use after which a session ends
   */
  constructor(
    world: SessionContext,
    origins: Pick<Origins, "cookie">,
    { most, idleMs }: { readonly most: number; readonly idleMs: number },
  ) {
    this.#world = world;
    this.#origins = origins;
    this.#idleMs = idleMs;
    this.#sessions = new BoundedMap(most);
  }

  /** Starts a session. Returns the value of the header `Set-Cookie`. */
  signIn(who: Who, host: string | undefined): string {
    const { secret, now } = this.#world;
    const sessionSecret = secret();
    this.#sessions.set(hashSecret(sessionSecret), { who, csrf: secret(), usedAt: now() });
    return formatSetCookie(this.#origins.cookie(host), sessionSecret);
  }

  /**
   * Returns the session of a request; null if the browser is not signed in.
   * @param countsAsUse false for a request that a script sends without the user. Such a request
   * does not prolong the session.
   */
  sessionOf(headers: CookieHeaders, countsAsUse = true): Session<Who> | null {
    const id = this.#idOf(headers);
    const session = this.#sessions.get(id);
    if (session === undefined) return null;
    this.#sessions.delete(id);
    const now = this.#world.now();
    if (now - session.usedAt > this.#idleMs) return null;
    this.#sessions.set(id, countsAsUse ? { ...session, usedAt: now } : session);
    return session;
  }

  /** Ends a session. Returns the value of the header `Set-Cookie` that deletes the cookie. */
  signOut(headers: CookieHeaders): string {
    this.#sessions.delete(this.#idOf(headers));
    return `${formatSetCookie(this.#origins.cookie(headers.host), "")}; Max-Age=0`;
  }

  #idOf({ host, cookie }: CookieHeaders): string {
    return hashSecret(readCookie(cookie, this.#origins.cookie(host).name) ?? "");
  }
}

/** LIMIT: number of characters that are read of a `Cookie` header, whose length clients choose. */
const MAX_HEADER = 8_192;

/**
 * Returns the value of a cookie; null if the cookie is missing or occurs twice. Of two cookies with
 * one name, another site could have set one.
 */
export function readCookie(header: string | undefined, name: string): string | null {
  const matchingPairs = (header ?? "")
    .slice(0, MAX_HEADER)
    .split(";")
    .map((pair) => pair.trim())
    .filter((pair) => pair.startsWith(`${name}=`));
  return matchingPairs.length === 1 ? matchingPairs[0]!.slice(name.length + 1) : null;
}

/**
 * Returns the header `Set-Cookie`. Scripts cannot read the cookie. Browsers delete the cookie when
 * they close, and never send it with requests from other sites.
 */
function formatSetCookie({ name, path, secure }: SessionCookie, value: string): string {
  return `${name}=${value}; HttpOnly; SameSite=Strict; Path=${path}${secure ? "; Secure" : ""}`;
}

/** Secrets that can be used once, within a limited time. */
export class Tickets {
  readonly #world: SessionContext;
  readonly #lifeMs: number;
  readonly #until: BoundedMap<string, number>;

  constructor(world: SessionContext, { most, lifeMs }: { readonly most: number; readonly lifeMs: number }) {
    this.#world = world;
    this.#lifeMs = lifeMs;
    this.#until = new BoundedMap(most);
  }

  issue(): string {
    const ticket = this.#world.secret();
    this.#until.set(hashSecret(ticket), this.#world.now() + this.#lifeMs);
    return ticket;
  }

  /** Uses up a ticket. Returns true if the ticket was valid. */
  take(ticket: string): boolean {
    const id = hashSecret(ticket);
    const validUntil = this.#until.get(id);
    this.#until.delete(id);
    return validUntil !== undefined && this.#world.now() <= validUntil;
  }
}

/** Returns true if a page of this session sent the token. Takes the same time for every token. */
export function isSentByOwnPage({ csrf }: Session<unknown>, token: string | null): boolean {
  return token !== null && timingSafeEqual(Buffer.from(hashSecret(token)), Buffer.from(hashSecret(csrf)));
}

/** Returns the digest for a lookup of a secret. So the time of a lookup reveals nothing. */
function hashSecret(secret: string): string {
  return createHash("sha256").update(secret).digest("base64url");
}
