import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { AddressInfo, Server as TcpServer } from "node:net";
import { expect, onTestFinished } from "vitest";
import type { WireRequest } from "../../src/contract/wire.ts";
import type { Wire, WireResult } from "../../src/common/wire.ts";
import { createWire } from "../../src/mirror/remote/wire.ts";

export async function listen(server: Server | TcpServer): Promise<number> {
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  onTestFinished(async () => {
    if ("closeAllConnections" in server) server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  });
  return (server.address() as AddressInfo).port;
}

type Seen = {
  readonly method: string;
  readonly url: string;
  readonly headers: IncomingMessage["headers"];
  readonly body: string;
};

/** Starts a real HTTP server on loopback that records requests. Returns it with a wire to it. */
export async function serve(handle: (request: IncomingMessage, response: ServerResponse) => void, prefix = "") {
  const seen: Seen[] = [];
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on("data", (chunk: Buffer) => chunks.push(chunk));
    request.on("end", () => {
      const { method = "", url = "", headers } = request;
      seen.push({ method, url, headers, body: Buffer.concat(chunks).toString() });
      handle(request, response);
    });
  });
  const port = await listen(server);
  return { port, seen, wire: wireTo(`http://127.0.0.1:${port}${prefix}`) };
}

export function wireTo(baseUrl: string, connections = 4): Wire {
  const wire = createWire({ baseUrl, connections });
  onTestFinished(() => wire.close());
  return wire;
}

export const BOUNDS = { deadlineMs: 5_000, maxBytes: 100_000 };
export const GET: WireRequest = {
  method: "GET",
  path: "/v1/files?limit=1",
  headers: { "x-api-key": "sk_secret" },
  body: null,
};
export const PUT: WireRequest = {
  ...GET,
  method: "PUT",
  path: "/v1/files/doc_1/content",
  body: '{"content":"h\u00e9"}',
};

export function unreadable(why: string): object {
  return { kind: "unreadable", why: expect.stringContaining(why) as string, response: { body: "" } };
}

export function lost(why: string): WireResult {
  return { kind: "lost", why: expect.stringContaining(why) as unknown as string };
}
