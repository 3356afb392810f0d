import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import { createServer as createTlsServer } from "node:https";
import type { AddressInfo } from "node:net";
import { onTestFinished } from "vitest";
import { TEST_CERTIFICATE, TEST_KEY } from "../remote/test-certificate.ts";

export type Handle = (request: IncomingMessage, response: ServerResponse) => void;

/** Starts a server on loopback for the time of the test, and records its requests. */
export async function serve(
  handle: Handle,
  secure = false,
): Promise<{ readonly port: number; readonly seen: IncomingMessage[] }> {
  const seen: IncomingMessage[] = [];
  const listener: Handle = (request, response) => {
    seen.push(request);
    response.on("error", () => undefined);
    handle(request, response);
  };
  const server = secure ? createTlsServer({ key: TEST_KEY, cert: TEST_CERTIFICATE }, listener) : createServer(listener);
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  onTestFinished(async () => {
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  });
  return { port: (server.address() as AddressInfo).port, seen };
}
