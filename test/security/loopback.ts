import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import { createServer as createTlsServer } from "node:https";
import { TEST_CERTIFICATE, TEST_KEY } from "../remote/test-certificate.ts";
import { listen } from "../remote/wire-fixture.ts";

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
  return { port: await listen(server), seen };
}
