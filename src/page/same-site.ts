/**
 * Whether a request comes from a page of ours. A page of another site can make a browser send
 * requests here, even under a host name that it points at this machine (DNS rebinding).
 */

export type Asked = {
  readonly method: string;
  readonly host: string | undefined;
  readonly origin: string | undefined;
  /** `Sec-Fetch-Site`; older browsers send none. */
  readonly fetchSite: string | undefined;
};

/** What tells that a request is not from a page of ours. */
export type Refusal = "host" | "origin" | "site";

/**
 * @param hosts all values of `Host` that mean this server
 * @param scheme of our pages' addresses
 * @returns null: it may be answered
 */
export function refusalOf(asked: Asked, hosts: ReadonlySet<string>, scheme: "http" | "https"): Refusal | null {
  const { method, host, origin, fetchSite } = asked;
  if (host === undefined || !hosts.has(host)) return "host";
  const isRead = method === "GET" || method === "HEAD";
  if (origin === undefined ? !isRead : origin !== `${scheme}://${host}`) return "origin";
  // `none`: somebody typed the address, or opened it from another program.
  const isOurs = fetchSite === undefined || fetchSite === "same-origin" || (isRead && fetchSite === "none");
  return isOurs ? null : "site";
}
