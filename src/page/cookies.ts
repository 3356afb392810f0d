/** Reads and writes cookies. */

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

/**
 * Returns the value of a `Set-Cookie` header. No script can read the cookie, no other site can make
 * a browser send it, and it ends with the browser.
 */
export function sessionCookie(
  name: string,
  value: string,
  { path = "/", secure }: { readonly path?: string; readonly secure: boolean },
): string {
  return `${name}=${value}; HttpOnly; SameSite=Strict; Path=${path}${secure ? "; Secure" : ""}`;
}
