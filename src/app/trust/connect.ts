import type { Remote, Wire } from "../../ports/remote.ts";
import { createRemote, type RemoteOptions } from "../../remote/client.ts";
import { createUndiciWire } from "../../remote/undici-wire.ts";
import type { TrustedOrigin } from "./origin.ts";

/**
 * The only place where a connection is made: nothing is sent to an address for which this user gave
 * no key.
 */

export function openWire(origin: TrustedOrigin): Wire {
  return createUndiciWire({ baseUrl: origin.url, allowHttpHosts: origin.allowHttp });
}

export function connect(origin: TrustedOrigin, options: Omit<RemoteOptions, "wire" | "address">): Remote {
  return createRemote({ ...options, wire: openWire(origin), address: origin.url });
}
