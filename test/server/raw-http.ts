import { once } from "node:events";
import { connect } from "node:net";

/** Sends bytes and reads until the server closes. */
export async function raw(port: number, bytes: string | Buffer): Promise<string> {
  const socket = connect(port, "127.0.0.1");
  socket.setEncoding("latin1");
  let text = "";
  socket.on("data", (part) => {
    text += part;
  });
  socket.write(bytes);
  await once(socket, "close");
  return text;
}

export function problemOf(body: string): { code: string; requestId: string } {
  return JSON.parse(body);
}

export function problemIn(text: string): { code: string; requestId: string } {
  return problemOf(text.slice(text.indexOf("\r\n\r\n") + 4));
}
