import type { Exchange } from "../../../src/conformance/world.ts";

/**
 * The wire over HTTP, by the platform's `fetch`: none of the project's client, so that the suite
 * proves the service alone.
 */
export function fetchWire(baseUrl: string): Exchange {
  return async ({ method, path, headers, body }) => {
    const response = await fetch(baseUrl + path, { method, headers, body, redirect: "error" });
    return { status: response.status, headers: Object.fromEntries(response.headers), body: await response.text() };
  };
}
