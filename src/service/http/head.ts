import type { IncomingMessage } from "node:http";
import type { WireHeaders } from "../../contract/wire.ts";
import type { BodyFault } from "../requests/body.ts";

/**
 * Reads the head of a request: its headers in the form of the core, and what is wrong with them.
 */

/** Returns the headers. Only those of cookies to be set are not joined by Node. */
export function headersOf({ headers }: IncomingMessage): WireHeaders {
  const cookies = headers["set-cookie"];
  if (cookies === undefined) return headers as WireHeaders;
  return { ...headers, "set-cookie": cookies.join(", ") } as WireHeaders;
}

/**
 * Headers of which Node keeps the first. A proxy that keeps the last would judge another host, or
 * another key, than this service does.
 */
const SINGLE: ReadonlySet<string> = new Set(["host", "authorization"]);

/** Returns why a request cannot be answered, whatever it asks for; or null. */
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
