import type { ServerResponse } from "node:http";
import type { WireHeaders } from "../../contract/wire.ts";

/** Writes answers: the headers and a body that is known in one piece, or one that goes on. */

export type WholeAnswer = {
  readonly status: number;
  readonly headers: WireHeaders;
  readonly body: string | Uint8Array;
  /** See `WireResponse`. */
  readonly parts?: readonly string[];
};

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

/**
 * Characters. Node puts headers and a body that is a string into one string, and copies that: a
 * longer body is made bytes first.
 */
const SHORT = 16 * 1024;

/** @param isLast the connection ends with this answer. @returns the bytes of the body */
export function sendWhole(response: ServerResponse, answer: WholeAnswer, isLast: boolean): number {
  const { status, headers, parts } = answer;
  const body = parts === undefined ? answer.body : bytesOf(parts);
  const bytes = typeof body === "string" ? Buffer.byteLength(body) : body.byteLength;
  const flat = flatHeaders(headers, isLast);
  if (status !== 204) flat.push("content-length", String(bytes));
  response.writeHead(status, flat);
  if (typeof body === "string") endWithText(response, body, bytes);
  else response.end(body);
  return bytes;
}

function endWithText(response: ServerResponse, body: string, bytes: number): void {
  // A text of as many bytes as characters is ASCII, which is copied and need not be encoded.
  const encoding = bytes === body.length ? "latin1" : "utf8";
  if (body.length <= SHORT) response.end(body, encoding);
  else response.end(Buffer.from(body, encoding));
}

/** Parts are put together until they are worth a call, and no further. */
function bytesOf(parts: readonly string[]): Buffer {
  const pieces: string[] = [];
  let piece = "";
  for (const part of parts) {
    piece += part;
    if (piece.length < SHORT) continue;
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
  response.writeHead(status, flatHeaders(headers, true));
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

function flatHeaders(headers: WireHeaders, isLast: boolean): string[] {
  const flat: string[] = [];
  for (const name in headers) flat.push(name, headers[name]!);
  if (isLast) flat.push("connection", "close");
  return flat;
}
