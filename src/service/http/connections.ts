/**
 * Ends connections with malformed requests, and connections of clients that do not read their
 * answers. Node refuses a malformed request before the request handler gets it.
 */
import { type ServerResponse, STATUS_CODES } from "node:http";
import type { Duplex } from "node:stream";
import type { WireResponse } from "../../contract/wire.ts";
import type { BodyFault } from "../requests/input.ts";
import type { ServiceWire } from "../service.ts";

/**
 * Connections on which a request was refused after its headers were read. An error in the body of
 * such a request gets no second answer.
 */
const socketsAnsweredEarly = new WeakSet<Duplex>();

export function markAnsweredEarly(socket: Duplex): void {
  socketsAnsweredEarly.add(socket);
}

/**
 * Sends a problem as the answer to a request that Node refused.
 * @param error error of Node's parser, or of an exceeded time limit
 */
export async function answerMalformed(handle: ServiceWire, error: Error, socket: Duplex): Promise<void> {
  if (!socket.writable || socketsAnsweredEarly.has(socket)) return void socket.destroy();
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

/**
 * LIMIT: number of bytes, in all answers together, that clients have not read yet, so that answers
 * do not fill the memory.
 */
const MAX_UNREAD_BYTES = 128 * 1024 * 1024;
/**
 * LIMIT: lowest speed in bytes per second at which a client must read, so that a long answer does
 * not stay in memory.
 */
const BYTES_PER_SECOND = 32 * 1024;

/** `timer` closes the connection of a client that takes too long. */
type UnreadAnswer = { readonly bytes: number; readonly timer: NodeJS.Timeout };

/**
 * Tracks answers that their clients have not read completely, because memory holds the unread
 * bytes. Closes the connection of a client that takes too long. If all unread bytes together take
 * too much memory, closes the connection whose answer has waited longest.
 */
export class UnreadAnswers {
  readonly #waiting = new Map<ServerResponse, UnreadAnswer>();
  readonly #mostMs: number;
  #bytes = 0;
  #cut = 0;

  /**
   * @param mostMs milliseconds in which a client must read a short answer. A longer answer gets
   * extra time for its bytes
   */
  constructor(mostMs: number) {
    this.#mostMs = mostMs;
  }

  /** Number of connections closed so far, because the client did not read an answer. */
  get cut(): number {
    return this.#cut;
  }

  /** Tracks a written answer, unless the operating system has taken all its bytes. */
  watch(response: ServerResponse): void {
    const bytes = response.writableLength;
    if (bytes === 0) return;
    const limitMs = this.#mostMs + (bytes / BYTES_PER_SECOND) * 1_000;
    this.#waiting.set(response, { bytes, timer: setTimeout(() => this.#end(response), limitMs).unref() });
    this.#bytes += bytes;
    response.once("close", () => this.#forget(response));
    for (const [oldest] of this.#waiting) {
      if (this.#bytes <= MAX_UNREAD_BYTES) return;
      this.#end(oldest);
    }
  }

  #end(response: ServerResponse): void {
    this.#cut++;
    this.#forget(response);
    response.destroy();
  }

  #forget(response: ServerResponse): void {
    const unreadAnswer = this.#waiting.get(response);
    if (unreadAnswer === undefined) return;
    clearTimeout(unreadAnswer.timer);
    this.#waiting.delete(response);
    this.#bytes -= unreadAnswer.bytes;
  }
}
