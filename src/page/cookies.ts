/** Cookies, read and written. */

/** LIMIT: characters of a `Cookie` header that are read. */
const MOST = 8_192;

/**
 * @param header of a request; undefined: it had none
 * @returns null where it is not there, or is there twice: then it is not known which one is ours
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
 * The value of a `Set-Cookie` header for a cookie that no script reads and no other site sends, and
 * that ends with the browser.
 */
export function sessionCookie(
  name: string,
  value: string,
  { path = "/", secure }: { readonly path?: string; readonly secure: boolean },
): string {
  return `${name}=${value}; HttpOnly; SameSite=Strict; Path=${path}${secure ? "; Secure" : ""}`;
}
