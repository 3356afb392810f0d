/**
 * Checks that a request comes from one of our pages. A page of another site can make a browser send
 * requests to this server, even under a host name that it points at this machine (DNS rebinding).
 */

export type SiteRequest = {
  readonly method: string;
  readonly host: string | undefined;
  readonly origin: string | undefined;
  /** Value of the header `Sec-Fetch-Site`, which older browsers do not send. */
  readonly fetchSite: string | undefined;
};

/** Sign that a request is not from one of our pages. */
export type Refusal = "host" | "origin" | "site";

export const REFUSAL_TEXT: Readonly<Record<Refusal, string>> = {
  host: "this request is for another host",
  origin: "this request comes from another site",
  site: "this request comes from another site",
};

/**
 * Returns the sign that a request is not from one of our pages.
 * @param hosts all values of `Host` for this server
 * @param scheme of our pages' addresses
 * @returns null if the request may be answered
 */
export function refusalOf(request: SiteRequest, hosts: ReadonlySet<string>, scheme: "http" | "https"): Refusal | null {
  const { method, host, origin, fetchSite } = request;
  if (host === undefined || !hosts.has(host)) return "host";
  const isRead = method === "GET" || method === "HEAD";
  if (origin === undefined ? !isRead : origin !== `${scheme}://${host}`) return "origin";
  // `none`: somebody typed the address, or opened it from another program.
  const isOurs = fetchSite === undefined || fetchSite === "same-origin" || (isRead && fetchSite === "none");
  return isOurs ? null : "site";
}
