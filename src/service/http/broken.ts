/**
 * Answers malformed requests with a problem, if the socket is still writable. Such requests never
 * reach the request handler.
 */

import { STATUS_CODES } from "node:http";
import type { Duplex } from "node:stream";
import type { WireResponse } from "../../contract/wire.ts";
import type { BodyFault } from "../requests/body.ts";
import type { ServiceWire } from "../service.ts";

/**
 * Connections on which a request was refused after its headers. The answer is already sent, so a
 * fault of the body gets no second answer.
 */
const answeredEarly = new WeakSet<Duplex>();

export function markAnsweredEarly(socket: Duplex): void {
  answeredEarly.add(socket);
}

/**
 * Answers a request that Node's parser refused.
 * @param error an error of Node's parser, or a passed deadline
 */
export async function answerBroken(handle: ServiceWire, error: Error, socket: Duplex): Promise<void> {
  if (!socket.writable || answeredEarly.has(socket)) return void socket.destroy();
  try {
    socket.end(rawResponse(await handle({ method: "GET", path: "/", headers: {}, body: null }, faultOf(error))));
  } catch {
    socket.destroy();
  }
}

function faultOf(error: Error): BodyFault {
  const code = (error as NodeJS.ErrnoException).code;
  if (code === "HPE_HEADER_OVERFLOW") return "headers-too-large";
  return code === "ERR_HTTP_REQUEST_TIMEOUT" ? "too-slow" : "not-http";
}

function rawResponse(response: WireResponse): string {
  const headers = {
    ...response.headers,
    "content-length": String(Buffer.byteLength(response.body)),
    connection: "close",
  };
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}`);
  return [`HTTP/1.1 ${response.status} ${STATUS_CODES[response.status]}`, ...lines, "", response.body].join("\r\n");
}
