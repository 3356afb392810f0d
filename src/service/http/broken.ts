import { type IncomingMessage, type Server, STATUS_CODES } from "node:http";
import type { Duplex } from "node:stream";
import type { WireResponse } from "../../contract/wire.ts";
import type { BodyFault } from "../requests/body.ts";
import { headersOf, headFault } from "./head.ts";
import type { ServiceWire } from "../service.ts";

/**
 * Answers malformed requests with a problem, if the socket is still writable. Such requests never
 * reach the request handler.
 */

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
  await answerRaw(handle, { method: "GET", path: "/", headers: {} }, faultOf(error), socket);
}

function faultOf(error: Error): BodyFault {
  const code = (error as NodeJS.ErrnoException).code;
  if (code === "HPE_HEADER_OVERFLOW") return "headers-too-large";
  return code === "ERR_HTTP_REQUEST_TIMEOUT" ? "too-slow" : "not-http";
}

/**
 * Answers CONNECT requests, which do not reach the request handler. Without a listener, Node would
 * close the connection.
 */
export function answerTunnels(server: Pick<Server, "on">, handle: ServiceWire): void {
  server.on("connect", (request: IncomingMessage, socket: Duplex) => {
    socket.on("error", () => socket.destroy());
    const head = { method: "CONNECT", path: request.url ?? "/", headers: headersOf(request) };
    void answerRaw(handle, head, headFault(request), socket);
  });
}

async function answerRaw(
  handle: ServiceWire,
  head: { readonly method: string; readonly path: string; readonly headers: Readonly<Record<string, string>> },
  fault: BodyFault | null,
  socket: Duplex,
): Promise<void> {
  try {
    socket.end(rawResponse(await handle({ ...head, body: null }, fault)));
  } catch {
    socket.destroy();
  }
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
