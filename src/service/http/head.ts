import type { IncomingMessage } from "node:http";
import type { WireHeaders } from "../../contract/wire.ts";
import type { BodyFault } from "../requests/body.ts";

/** Reads the head of a request: its headers in the form of the core, and faults in them. */

/** Returns the headers. Node joins all repeated ones except Set-Cookie. */
export function headersOf({ headers }: IncomingMessage): WireHeaders {
  const cookies = headers["set-cookie"];
  if (cookies === undefined) return headers as WireHeaders;
  return { ...headers, "set-cookie": cookies.join(", ") } as WireHeaders;
}

/**
 * Headers of which Node keeps the first value. If a proxy keeps the last value, proxy and service
 * would check different hosts or keys.
 */
const SINGLE: ReadonlySet<string> = new Set(["host", "authorization"]);

/** Returns the reason why a request cannot be answered, regardless of its path; or null. */
export function headFault({ httpVersion, headers, rawHeaders }: IncomingMessage): BodyFault | null {
  if (httpVersion === "1.1" && headers.host === undefined) return "no-host";
  const found = new Set<string>();
  for (let at = 0; at < rawHeaders.length; at += 2) {
    const name = rawHeaders[at]!.toLowerCase();
    if (!SINGLE.has(name)) continue;
    if (found.has(name)) return "repeated-header";
    found.add(name);
  }
  return null;
}
