/**
 * Returns true if the host is this machine. Data that is sent to this host does not leave the
 * machine.
 * @param host name or address; an IPv6 address has no brackets
 */
export function isLoopbackHost(host: string): boolean {
  return host === "localhost" || host === "::1" || /^127(\.\d{1,3}){3}$/.test(host);
}
