import type { ServerResponse } from "node:http";
import type { WireHeaders } from "../../contract/wire.ts";

/** An answer that the service sends in parts until the client disconnects. */
export type StreamedAnswer = {
  readonly status: number;
  readonly headers: WireHeaders;
  /**
   * Starts to send the stream.
   * @returns a function that the server calls once when the connection has ended, whoever ended it
   */
  readonly stream: (sink: AnswerStream) => () => void;
};

export type AnswerStream = {
  /**
   * LIMIT: closes the connection if more than `MAX_UNREAD_BYTES` are unread, because memory holds
   * these bytes. The client may connect again.
   */
  send(part: string): void;
  end(): void;
};

/** Bytes that are kept for a client that does not read, besides the buffers of the system. */
const MAX_UNREAD_BYTES = 64 * 1024;

/** Sends a stream as the answer to a request. Returns a function that ends the stream. */
export function sendStream(response: ServerResponse, { status, headers, stream }: StreamedAnswer): () => void {
  response.writeHead(status, { ...headers, connection: "close" });
  response.flushHeaders();
  let isOver = false;
  const endStream = () => {
    isOver = true;
    response.end();
  };
  const onEnd = stream({
    send: (part) => {
      // If a client does not read, its connection stays open after the stream has ended. Node would
      // report a write after the end as an error.
      if (isOver) return;
      response.write(part);
      if (response.writableLength > MAX_UNREAD_BYTES) response.destroy();
    },
    end: endStream,
  });
  response.once("close", onEnd);
  return endStream;
}
