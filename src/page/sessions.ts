import { createHash, timingSafeEqual } from "node:crypto";

/** Sessions. The browser proves one by a secret in a cookie, and by another secret in each form. */

export type Session<Who> = {
  readonly who: Who;
  /** Token in each form, and in a header of requests by scripts. No other site can read it. */
  readonly csrf: string;
};

type World = {
  /** Milliseconds; never goes back. */
  readonly now: () => number;
  /** At least 32 random bytes, in characters for addresses, cookies and forms. */
  readonly secret: () => string;
};

type Held<Who> = Session<Who> & { usedAt: number };

export class Sessions<Who> {
  readonly #world: World;
  readonly #limits: { readonly most: number; readonly idleMs: number };
  /** By the digest of the secret, the most recently used last. */
  readonly #held = new Map<string, Held<Who>>();

  /**
   * @param limits.most sessions at a time; one more ends the session that was unused for longest
   */
  constructor(world: World, limits: { readonly most: number; readonly idleMs: number }) {
    this.#world = world;
    this.#limits = limits;
  }

  /** Returns the secret, for the cookie. */
  begin(who: Who): string {
    const secret = this.#world.secret();
    this.#held.set(digestOf(secret), { who, csrf: this.#world.secret(), usedAt: this.#world.now() });
    const [oldest] = this.#held.keys();
    if (this.#held.size > this.#limits.most) this.#held.delete(oldest!);
    return secret;
  }

  /** Returns null if there is no such session, or it has ended. */
  find(secret: string | null): Session<Who> | null {
    if (secret === null) return null;
    const id = digestOf(secret);
    const held = this.#held.get(id);
    if (held === undefined) return null;
    this.#held.delete(id);
    const now = this.#world.now();
    if (now - held.usedAt > this.#limits.idleMs) return null;
    held.usedAt = now;
    this.#held.set(id, held);
    return held;
  }

  end(secret: string): void {
    this.#held.delete(digestOf(secret));
  }
}

/** Secrets that are valid once, and for a limited time. */
export class Tickets {
  readonly #world: World;
  readonly #limits: { readonly most: number; readonly lifeMs: number };
  readonly #until = new Map<string, number>();

  constructor(world: World, limits: { readonly most: number; readonly lifeMs: number }) {
    this.#world = world;
    this.#limits = limits;
  }

  issue(): string {
    const ticket = this.#world.secret();
    this.#until.set(digestOf(ticket), this.#world.now() + this.#limits.lifeMs);
    const [oldest] = this.#until.keys();
    if (this.#until.size > this.#limits.most) this.#until.delete(oldest!);
    return ticket;
  }

  /** Returns true if it was valid; it no longer is. */
  take(ticket: string): boolean {
    const id = digestOf(ticket);
    const until = this.#until.get(id);
    this.#until.delete(id);
    return until !== undefined && this.#world.now() <= until;
  }
}

/** Compares in a time that does not depend on the secrets. */
export function isSameSecret(a: string, b: string): boolean {
  return timingSafeEqual(Buffer.from(digestOf(a)), Buffer.from(digestOf(b)));
}

/**
 * Secrets are looked up by their digest, so that the time of a lookup reveals nothing about them.
 */
function digestOf(secret: string): string {
  return createHash("sha256").update(secret).digest("base64url");
}
