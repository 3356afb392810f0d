import { isUtf8 } from "node:buffer";
import type { IncomingMessage } from "node:http";
import { type BodyFault, MAX_BODY_BYTES } from "../requests/body.ts";

/** Reads the bodies of requests, each at most as long as the service takes. */

type ReadBody = { readonly text: string | null; readonly fault: BodyFault | null };

export const NO_BODY: ReadBody = { text: null, fault: null };
const TOO_LARGE: ReadBody = { text: null, fault: "too-large" };
const UNREADABLE: ReadBody = { text: null, fault: "unreadable" };

const WITH_BODY: ReadonlySet<string> = new Set(["POST", "PUT", "PATCH", "DELETE", "OPTIONS"]);

/** The bytes of a body still to come; for one in chunks, the most that it may have. */
export function sentLength(request: IncomingMessage): number {
  const { headers } = request;
  if (headers["transfer-encoding"] !== undefined) return MAX_BODY_BYTES;
  const length = headers["content-length"];
  return length === undefined ? 0 : Number(length);
}

/** @returns null: the request has none that matters */
export function readBody(request: IncomingMessage): Promise<ReadBody> | null {
  const length = sentLength(request);
  if (length === 0 || !WITH_BODY.has(request.method!)) return null;
  return length > MAX_BODY_BYTES ? Promise.resolve(TOO_LARGE) : collect(request);
}

/** Never settles if the connection is lost before the end: then there is nobody to answer. */
function collect(request: IncomingMessage): Promise<ReadBody> {
  return new Promise((resolve) => {
    const parts: Buffer[] = [];
    let bytes = 0;
    const onData = (part: Buffer) => {
      bytes += part.length;
      parts.push(part);
      if (bytes <= MAX_BODY_BYTES) return;
      request.off("data", onData);
      resolve(TOO_LARGE);
    };
    request.on("data", onData);
    // A connection that is cut is an error of the request; its response's `close` ends the rest.
    request.on("error", () => undefined);
    request.on("end", () => resolve(textOf(parts.length === 1 ? parts[0]! : Buffer.concat(parts))));
  });
}

function textOf(body: Buffer): ReadBody {
  return isUtf8(body) ? { text: body.toString("utf8"), fault: null } : UNREADABLE;
}
