import type { OpenWire } from "../../service/admin/reach.ts";
import { ok } from "../../common/trouble.ts";
import { openWire as openTrustedWire } from "../../mirror/trust/connect.ts";
import { readUserOrigin } from "../../mirror/trust/gate.ts";

/** Opens a connection to the service whose URL the user passes to this command. */
export const openWire: OpenWire = (service) => {
  // `readUserOrigin` returns null only without a URL.
  const origin = readUserOrigin({ ...service, env: {} })!;
  return origin.kind === "trouble" ? origin : ok(openTrustedWire(origin.value));
};
