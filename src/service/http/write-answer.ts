import type { ServerResponse } from "node:http";
import type { WireHeaders } from "../../contract/wire.ts";

/** Writes answers that are long, or that continue. */

/** An answer that is sent part by part for as long as somebody listens. */
export type StreamedAnswer = {
  readonly status: number;
  readonly headers: WireHeaders;
  /** Begins it. @returns called once when the connection has ended, whoever ended it */
  readonly stream: (sink: Sink) => () => void;
};

export type Sink = {
  /** LIMIT: a listener that leaves `MAX_UNREAD_BYTES` unread is cut, and may come again. */
  send(part: string): void;
  end(): void;
};

/** What is kept for a listener that does not read, beyond what the system keeps. */
const MAX_UNREAD_BYTES = 64 * 1024;

/** LIMIT: characters that are put together before they become bytes. */
const PIECE = 16 * 1024;

/** Parts are put together until they are worth a call, and no further. */
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

/** @returns what ends it */
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
      // Whoever does not read is still there after the end; Node takes a late part for a fault.
      if (isOver) return;
      response.write(part);
      if (response.writableLength > MAX_UNREAD_BYTES) response.destroy();
    },
    end,
  });
  response.once("close", ended);
  return end;
}
