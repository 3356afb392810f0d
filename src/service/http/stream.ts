import type { ServerResponse } from "node:http";
import type { WireHeaders } from "../../contract/wire.ts";

/** An answer that the service sends in parts until the client disconnects. */
export type StreamedAnswer = {
  readonly status: number;
  readonly headers: WireHeaders;
  /**
   * Starts to send the stream.
   * @returns a function that the server calls once, when the client or the server has ended the
   * connection
   */
  readonly stream: (sink: AnswerStream) => () => void;
};

export type AnswerStream = {
  /**
   * Sends a part of the stream.
   * LIMIT: closes the connection if more than `MAX_UNREAD_BYTES` bytes are unread, because unread
   * bytes take memory. The client may connect again.
   */
  send(part: string): void;
  end(): void;
};

/** Number of unread bytes that are kept for a client, in addition to the buffers of the system. */
const MAX_UNREAD_BYTES = 64 * 1024;

/** Sends a stream as the answer to a request. Returns a function that ends the stream. */
export function sendStream(response: ServerResponse, { status, headers, stream }: StreamedAnswer): () => void {
  response.writeHead(status, { ...headers, connection: "close" });
  response.flushHeaders();
  let isEnded = false;
  const endStream = () => {
    isEnded = true;
    response.end();
  };
  const onStreamEnd = stream({
    send: (part) => {
      // A client that does not read keeps the connection open after the end of the stream. Node
      // would report a write to an ended answer as an error.
      if (isEnded) return;
      response.write(part);
      if (response.writableLength > MAX_UNREAD_BYTES) response.destroy();
    },
    end: endStream,
  });
  response.once("close", onStreamEnd);
  return endStream;
}
