import type { WireRequest, WireResponse } from "../../src/contract/wire.ts";
import type { BodyFault } from "../../src/server/body.ts";
import type { ServiceWire } from "../../src/server/service.ts";
import { shapeRequest } from "./requests.ts";
import { shapeResponse } from "./responses.ts";

/**
 * Other deployments: where the contract is silent, another service may have chosen differently.
 * Each switch makes the embedded service answer as such a one would, so that a client can be proven
 * against it.
 * (Stale bases that are never combined are no switch here: give the service `combine: () => null`.)
 */
export type Variant = {
  /** Paths are answered with a leading slash. */
  readonly leadingSlashes?: boolean;
  /** PUT answers 200 with `content` alone and 202 with `{}`. */
  readonly documentedMembersOnly?: boolean;
  /** Every object of an answer carries a member that no document names. */
  readonly unknownMembers?: boolean;
  /** PATCH and DELETE on a folder, answered by this status. */
  readonly noFolderPatchOrDelete?: 404 | 405;
  /** A rename or move of a file gives it a new `lastChangeId`. */
  readonly changeIdMovesOnRename?: boolean;
  /**
   * Pages hold at most so many items, and the first, and some others, are followed by an empty one.
   */
  readonly maxPageSize?: number;
  /** On save: CRLF to LF, no BOM, a final newline, NFC. */
  readonly normalise?: boolean;
  /** `parentId: null` is answered 400. */
  readonly noMoveToRoot?: boolean;
  /** Create by path answers 404 `folder_not_found` where a parent is missing. */
  readonly noCreateFolders?: boolean;
  /** More characters that names may not hold. */
  readonly refusedCharacters?: string;
  /**
   * @param n the number of the request, from 1
   * @returns what befalls it: lost before or after it was executed, answered by something else
   * unexecuted, or nothing
   */
  readonly fault?: (request: WireRequest, n: number) => Fault | null;
};

export type Fault = "drop-before" | "drop-after" | WireResponse;

/**
 * What `handle` rejects with when the connection is lost; over HTTP the socket is destroyed
 * instead.
 */
export class ConnectionLost extends Error {
  override readonly name = "ConnectionLost";
}

/** What a variant remembers between requests. */
export type VariantState = { requests: number; readonly renames: Map<string, number> };

/** One exchange with the service below, outside the variant. */
export type Ask = (method: string, path: string, body?: object) => Promise<WireResponse>;

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
