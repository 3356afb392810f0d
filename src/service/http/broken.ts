/**
 * Answers malformed requests with a problem. Node refuses such requests, so the request handler
 * never gets them.
 */

import { STATUS_CODES } from "node:http";
import type { Duplex } from "node:stream";
import type { WireResponse } from "../../contract/wire.ts";
import type { BodyFault } from "../requests/body.ts";
import type { ServiceWire } from "../service.ts";

/**
 * Connections on which a request was refused after its headers were read. An error in the body of
 * such a request gets no second answer.
 */
const connectionsAnsweredEarly = new WeakSet<Duplex>();

export function markAnsweredEarly(socket: Duplex): void {
  connectionsAnsweredEarly.add(socket);
}

/**
 * Answers a request that Node refused.
 * @param error error of Node's parser, or of an exceeded time limit
 */
export async function answerMalformedRequest(handle: ServiceWire, error: Error, socket: Duplex): Promise<void> {
  if (!socket.writable || connectionsAnsweredEarly.has(socket)) return void socket.destroy();
  try {
    socket.end(formatResponse(await handle({ method: "GET", path: "/", headers: {}, body: null }, toBodyFault(error))));
  } catch {
    socket.destroy();
  }
}

function toBodyFault(error: Error): BodyFault {
  const code = (error as NodeJS.ErrnoException).code;
  if (code === "HPE_HEADER_OVERFLOW") return "headers-too-large";
  return code === "ERR_HTTP_REQUEST_TIMEOUT" ? "too-slow" : "not-http";
}

function formatResponse(response: WireResponse): string {
  const headers = {
    ...response.headers,
    "content-length": String(Buffer.byteLength(response.body)),
    connection: "close",
  };
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}`);
  return [`HTTP/1.1 ${response.status} ${STATUS_CODES[response.status]}`, ...lines, "", response.body].join("\r\n");
}
