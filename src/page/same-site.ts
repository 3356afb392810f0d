/**
 * Whether a request comes from a page of ours. A page of another site can make a browser send
 * requests here, also under a name that it has made to mean this machine (DNS rebinding).
 */

export type Asked = {
  readonly method: string;
  readonly host: string | undefined;
  readonly origin: string | undefined;
  /** `Sec-Fetch-Site`; older browsers send none. */
  readonly fetchSite: string | undefined;
};

/** Why a request is refused. */
export type Refusal = "host" | "origin" | "site";

/**
 * @param hosts each way to write this server into a `Host` header, exactly
 * @param scheme of the addresses of our pages
 * @returns null: it may be answered
 */
export function refusalOf(asked: Asked, hosts: ReadonlySet<string>, scheme: "http" | "https"): Refusal | null {
  const { method, host, origin, fetchSite } = asked;
  if (host === undefined || !hosts.has(host)) return "host";
  const isRead = method === "GET" || method === "HEAD";
  if (origin === undefined ? !isRead : origin !== `${scheme}://${host}`) return "origin";
  // `none`: a person typed the address or opened it from a program.
  const isOurs = fetchSite === undefined || fetchSite === "same-origin" || (isRead && fetchSite === "none");
  return isOurs ? null : "site";
}
