import { isSameSecret, type Session, Sessions } from "./sessions.ts";

/** Signed-in browsers, for both sites. */

/** LIMIT: characters of a `Cookie` header that are read. */
const MOST = 8_192;

/**
 * @param header the request's; undefined if it has none
 * @returns null if the cookie is missing, or occurs twice, because one of the two is foreign
 */
export function cookieOf(header: string | undefined, name: string): string | null {
  const found = (header ?? "")
    .slice(0, MOST)
    .split(";")
    .map((pair) => pair.trim())
    .filter((pair) => pair.startsWith(`${name}=`));
  return found.length === 1 ? found[0]!.slice(name.length + 1) : null;
}

/** The cookie that proves a session. `path`: below which a browser sends it; default everywhere. */
export type SessionCookie = { readonly name: string; readonly path?: string; readonly secure: boolean };

/**
 * Writes a `Set-Cookie` header. No script can read the cookie, no other site can make a browser
 * send it, and it ends with the browser.
 */
function setCookie({ name, path = "/", secure }: SessionCookie, value: string): string {
  return `${name}=${value}; HttpOnly; SameSite=Strict; Path=${path}${secure ? "; Secure" : ""}`;
}

/** Signs browsers in and out, by a cookie each. */
export class Browsers<Who> {
  readonly #sessions: Sessions<Who>;

  constructor(...of: ConstructorParameters<typeof Sessions<Who>>) {
    this.#sessions = new Sessions(...of);
  }

  /** Returns the value of `Set-Cookie`. */
  signIn(who: Who, cookie: SessionCookie): string {
    return setCookie(cookie, this.#sessions.begin(who));
  }

  /** Returns null if the browser is not signed in. */
  sessionOf(header: string | undefined, { name }: SessionCookie): Session<Who> | null {
    return this.#sessions.find(cookieOf(header, name));
  }

  /** Ends a session. Returns the value of `Set-Cookie` that removes the cookie. */
  signOut(header: string | undefined, cookie: SessionCookie): string {
    const secret = cookieOf(header, cookie.name);
    if (secret !== null) this.#sessions.end(secret);
    return `${setCookie(cookie, "")}; Max-Age=0`;
  }
}

/** Returns true if a page of this session sent the token: no other site knows it. */
export function isSentByOwnPage({ csrf }: Session<unknown>, token: string | null): boolean {
  return token !== null && isSameSecret(token, csrf);
}
