/**
 * Controls access to the pages. A browser must first open an address with a ticket of this process;
 * later requests must come from its pages in that browser.
 */

import type { FastifyRequest } from "fastify";
import type { Trouble } from "../common/trouble.ts";
import { type Refusal, REFUSAL_TEXT, refusalOf } from "../page/same-site.ts";
import { Browsers, isSentByOwnPage, type Session, type SessionCookie, Tickets } from "../page/sessions.ts";
import type { Clock } from "../common/clock.ts";
import type { Random } from "../common/random.ts";

/** LIMIT: signed-in browsers, and also unused tickets, so that their memory does not grow. */
const MAX_SESSIONS = 32;
const TICKET_LIFE_MS = 300_000;
/** LIMIT: milliseconds after which an unused session ends. */
const IDLE_MS = 12 * 3_600_000;
const SECRET_DIGITS = 64;

/** User of a session. There is only one: the user who runs this process. */
type Me = null;

export class UiAccess {
  readonly #browsers: Browsers<Me>;
  readonly #tickets: Tickets;
  #hosts: ReadonlySet<string> = new Set();
  #cookie: SessionCookie = { name: "", secure: false };

  constructor({ clock, random }: { readonly clock: Clock; readonly random: Random }) {
    const world = { now: () => clock.monotonic(), secret: () => random.hex(SECRET_DIGITS) };
    this.#browsers = new Browsers(world, { most: MAX_SESSIONS, idleMs: IDLE_MS });
    this.#tickets = new Tickets(world, { most: MAX_SESSIONS, lifeMs: TICKET_LIFE_MS });
  }

  /** Sets the port. No browser is admitted before this call. */
  setPort(port: number): void {
    this.#hosts = new Set(["127.0.0.1", "localhost", "[::1]"].map((name) => `${name}:${port}`));
    // A browser sends a host's cookies to all of its ports, so each process needs its own cookie
    // name.
    this.#cookie = { name: `mdmirror-${port}`, secure: false };
  }

  issueTicket(): string {
    return this.#tickets.issue();
  }

  /**
   * Exchanges a ticket for a session. Returns the value of `Set-Cookie`; null for an invalid
   * ticket.
   */
  admit(ticket: string): string | null {
    if (!this.#tickets.take(ticket)) return null;
    return this.#browsers.signIn(null, this.#cookie);
  }

  /** Returns why a request cannot be answered; null if the request can be answered. */
  refusal({ method, headers, raw }: FastifyRequest): Refusal | null {
    const { host, origin } = headers;
    // A request with two `Host` headers is refused: mdmirror would read the first, another program
    // the second.
    if (raw.rawHeaders.filter((name, i) => i % 2 === 0 && name.toLowerCase() === "host").length > 1) return "host";
    const fetchSite = headers["sec-fetch-site"];
    const sent = { method, host, origin, fetchSite: typeof fetchSite === "string" ? fetchSite : undefined };
    return refusalOf(sent, this.#hosts, "http");
  }

  /** Returns the session of a request; null if the sender is not signed in. */
  sessionOf({ headers }: FastifyRequest): Session<Me> | null {
    return this.#browsers.sessionOf(headers.cookie, this.#cookie);
  }

  /** Ends a session. Returns the value of `Set-Cookie` that removes the cookie. */
  signOut({ headers }: FastifyRequest): string {
    return this.#browsers.signOut(headers.cookie, this.#cookie);
  }

  /** Returns true if a page of this session sent the request. */
  isFromPage(session: Session<Me>, request: FastifyRequest, form: URLSearchParams): boolean {
    const header = request.headers["x-csrf-token"];
    return isSentByOwnPage(session, typeof header === "string" ? header : form.get("csrf"));
  }
}

export function refusedTrouble(refusal: Refusal): Trouble {
  const next = "open the address that mdmirror ui prints, directly, not from another page";
  return { kind: "usage", what: REFUSAL_TEXT[refusal], next, code: `other-${refusal}` };
}

export const NO_TOKEN: Trouble = {
  kind: "usage",
  what: "this form was not sent from a page of this session; nothing was done",
  next: "go back, reload the page, and try again",
  code: "no-csrf-token",
};
