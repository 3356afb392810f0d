/** Opens all connections to services, and only to addresses for which the user provided a key. */

import type { Remote } from "../ports/remote.ts";
import type { Wire } from "../../common/wire.ts";
import { createRemote, type RemoteOptions } from "../remote/client.ts";
import { chooseRoute, type ServiceRoute } from "../remote/address.ts";
import { createWire } from "../remote/wire.ts";
import { userAgent } from "../../common/package-files.ts";
import type { TrustedOrigin } from "./address.ts";

export function openWire(origin: TrustedOrigin): Wire {
  const { url, allowHttp } = origin;
  return createWire({
    baseUrl: url,
    allowHttpHosts: allowHttp,
    route: chooseServiceRoute(url),
    userAgent: userAgent(),
  });
}

export function chooseServiceRoute(url: string): ServiceRoute {
  return chooseRoute(url, process.env);
}

export function connect(origin: TrustedOrigin, options: Omit<RemoteOptions, "wire" | "address">): Remote {
  return createRemote({ ...options, wire: openWire(origin), address: origin.url });
}
