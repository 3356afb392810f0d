import type { ServerResponse } from "node:http";
import type { WireHeaders } from "../../contract/wire.ts";

/** Writes long answers and streams. */

/** An answer that the service sends in parts until the client disconnects. */
export type StreamedAnswer = {
  readonly status: number;
  readonly headers: WireHeaders;
  /**
   * Starts the stream.
   * @returns a function that is called once when the connection has ended, on either side
   */
  readonly stream: (sink: AnswerStream) => () => void;
};

export type AnswerStream = {
  /**
   * Sends a part. LIMIT: a listener that leaves `MAX_UNREAD_BYTES` unread is cut, and may
   * reconnect.
   */
  send(part: string): void;
  end(): void;
};

/** Bytes that are kept for a listener that does not read, beyond the system's buffers. */
const MAX_UNREAD_BYTES = 64 * 1024;

/** LIMIT: characters that are joined before they are encoded. */
const PIECE = 16 * 1024;

/** Encodes parts; small parts are joined first, to save calls. */
export function bytesOf(parts: readonly string[]): Buffer {
  const pieces: string[] = [];
  let piece = "";
  for (const part of parts) {
    piece += part;
    if (piece.length < PIECE) continue;
    pieces.push(piece);
    piece = "";
  }
  pieces.push(piece);
  const bytes = Buffer.allocUnsafe(pieces.reduce((sum, each) => sum + Buffer.byteLength(each), 0));
  let at = 0;
  for (const each of pieces) at += bytes.write(each, at);
  return bytes;
}

/**
 * Sends a stream.
 * @returns a function that ends the stream
 */
export function sendStream(response: ServerResponse, { status, headers, stream }: StreamedAnswer): () => void {
  response.writeHead(status, { ...headers, connection: "close" });
  response.flushHeaders();
  let isOver = false;
  const end = () => {
    isOver = true;
    response.end();
  };
  const ended = stream({
    send: (part) => {
      // If a client does not read, its socket outlives the end of the stream. Node would report a
      // late write as an error.
      if (isOver) return;
      response.write(part);
      if (response.writableLength > MAX_UNREAD_BYTES) response.destroy();
    },
    end,
  });
  response.once("close", ended);
  return end;
}
