import { once } from "node:events";
import { connect, type Socket } from "node:net";
import { onTestFinished } from "vitest";

/**
 * Sends bytes and reads until the server closes. With `ends`, it also ends its side of the
 * connection.
 */
export async function raw(port: number, bytes: string | Buffer, after?: "ends"): Promise<string> {
  const { socket, received } = openConnection(port);
  if (after === "ends") socket.end(bytes);
  else socket.write(bytes);
  if (!socket.closed) await once(socket, "close");
  return received.text;
}

export function problemOf(body: string): { code: string; requestId: string } {
  return JSON.parse(body);
}

export function problemIn(text: string): { code: string; requestId: string } {
  return problemOf(text.slice(text.indexOf("\r\n\r\n") + 4));
}

/** Opens a connection that stays open, and records what it receives. */
export function openConnection(port: number) {
  const socket: Socket = connect(port, "127.0.0.1").setEncoding("latin1");
  const received = { text: "" };
  socket.on("data", (part: string) => {
    received.text += part;
  });
  socket.on("error", () => undefined);
  onTestFinished(() => void socket.destroy());
  const until = async (pattern: RegExp) => {
    while (!pattern.test(received.text)) await once(socket, "data");
    return received.text;
  };
  return { socket, received, until };
}

/** Returns the status codes of all answers in the received text. */
export const statuses = (text: string) =>
  [...text.matchAll(/HTTP\/1\.1 (\d{3}) /g)].map(([, status]) => Number(status));

export const get = (path: string, headers: string) => `GET ${path} HTTP/1.1\r\nhost: x\r\n${headers}\r\n`;
