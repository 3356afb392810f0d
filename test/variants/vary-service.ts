import type { WireRequest, WireResponse } from "../../src/contract/wire.ts";
import type { BodyFault } from "../../src/server/body.ts";
import type { ServiceWire } from "../../src/server/service.ts";
import { shapeRequest } from "./requests.ts";
import { shapeResponse } from "./responses.ts";
import type { Ask, Variant, VariantState } from "./variant.ts";

/**
 * What `handle` rejects with when the connection is lost; over HTTP the socket is destroyed
 * instead.
 */
export class ConnectionLost extends Error {
  override readonly name = "ConnectionLost";
}

/**
 * Wraps a service's `handle`. The wrapped one can be mounted over HTTP like the service itself.
 * @param state given where it is to go back with a backup of the service
 */
export function varyService(
  handle: ServiceWire,
  variant: Variant,
  state: VariantState = { requests: 0, renames: new Map() },
): ServiceWire {
  const exchange = async (request: WireRequest, fault: BodyFault | null): Promise<WireResponse> => {
    const { authorization, "x-api-key": apiKey } = request.headers;
    const headers = { ...(authorization ? { authorization } : {}), ...(apiKey ? { "x-api-key": apiKey } : {}) };
    const ask: Ask = (method, path, body) =>
      handle({ method, path, headers, body: body === undefined ? null : JSON.stringify(body) });
    const shaped = await shapeRequest(request, variant, ask);
    if ("status" in shaped) return shaped;
    return shapeResponse(request, await handle(shaped, fault), variant, state);
  };
  return async (request, fault = null) => {
    state.requests++;
    const befalls = variant.fault?.(request, state.requests) ?? null;
    if (befalls === "drop-before") throw new ConnectionLost("lost before the request was executed");
    if (befalls !== null && befalls !== "drop-after") return befalls;
    const response = await exchange(request, fault);
    if (befalls === "drop-after") throw new ConnectionLost("lost after the request was executed");
    return response;
  };
}
