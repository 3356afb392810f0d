import type { ServerResponse } from "node:http";
import type { WireHeaders } from "../../contract/wire.ts";

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
