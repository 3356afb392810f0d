import type { OpenWire } from "../../service/admin/reach.ts";
import { ok } from "../../common/trouble.ts";
import { openWire as openTrustedWire } from "../../mirror/trust/connect.ts";
import { originOfUser } from "../../mirror/trust/gate.ts";

/** Opens a connection to a service whose URL the user passes in this command. */
export const openWire: OpenWire = (service) => {
  // Not null, because the user passed a URL.
  const origin = originOfUser({ ...service, env: {} })!;
  return origin.kind === "trouble" ? origin : ok(openTrustedWire(origin.value));
};
