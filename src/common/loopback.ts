/**
 * Returns true for a host that is this machine, so that nothing sent to it reaches a network.
 * @param host a name or an address, IPv6 without brackets
 */
export function isLoopbackHost(host: string): boolean {
  return host === "localhost" || host === "::1" || /^127(\.\d{1,3}){3}$/.test(host);
}
