import type { WireRequest, WireResponse } from "../../../src/contract/wire.ts";

/** Rejects only where the transport would: a lost connection, never a problem answer. */
export type Wire = (request: WireRequest) => Promise<WireResponse>;

/**
 * The wire over HTTP, by the platform's `fetch`: none of the project's client, so that the suite
 * proves the service alone.
 */
export function fetchWire(baseUrl: string): Wire {
  return async ({ method, path, headers, body }) => {
    const response = await fetch(baseUrl + path, { method, headers, body, redirect: "error" });
    return { status: response.status, headers: Object.fromEntries(response.headers), body: await response.text() };
  };
}
