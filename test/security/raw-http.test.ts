import { afterAll, beforeAll, expect, it } from "vitest";
import { type HttpServer, startHttp } from "../../src/service/http/server.ts";
import { openService } from "../service/fixture.ts";
import { raw, statuses } from "../service/raw-http.ts";
import { rollBytes } from "../simulator/dice.ts";

/**
 * Bytes that no client would send to the service. Each request has one answer, no answer is a 5xx,
 * and no request reaches what its key may not read.
 */

let server: HttpServer;
let key: string;
const faults: unknown[] = [];
beforeAll(async () => {
  const opened = await openService({ now: Date.now, onFault: (error) => void faults.push(error) });
  key = opened.key;
  server = await startHttp(opened.service);
});
afterAll(() => server.close());

/** Sends bytes and ends. Returns everything that the service answers. */
function sendBytes(bytes: string): Promise<string> {
  const { port } = new URL(server.url);
  return raw(Number(port), Buffer.from(bytes, "latin1"), "ends");
}

const auth = () => `host: x\r\nx-api-key: ${key}\r\n`;
const INNER = "DELETE /v1/files/doc_smuggled HTTP/1.1\r\nhost: x\r\n\r\n";

const SMUGGLED: Readonly<Record<string, () => string>> = {
  "a length and chunks": () =>
    `POST /v1/files HTTP/1.1\r\n${auth()}content-length: 4\r\ntransfer-encoding: chunked\r\n\r\n0\r\n\r\n${INNER}`,
  "two lengths": () =>
    `POST /v1/files HTTP/1.1\r\n${auth()}content-length: 0\r\ncontent-length: ${INNER.length}\r\n\r\n${INNER}`,
  "a length that is negative": () => `POST /v1/files HTTP/1.1\r\n${auth()}content-length: -1\r\n\r\n${INNER}`,
  "an encoding with a space before its colon": () =>
    `POST /v1/files HTTP/1.1\r\n${auth()}transfer-encoding : chunked\r\n\r\n0\r\n\r\n${INNER}`,
  "a chunk of a size beyond measure": () =>
    `POST /v1/files HTTP/1.1\r\n${auth()}transfer-encoding: chunked\r\n\r\nffffffffffffffffff\r\n${INNER}`,
  "a header that is folded": () => `GET /v1/files HTTP/1.1\r\n${auth()}x: a\r\n b: c\r\n\tcontent-length: 9\r\n\r\n`,
  "a header with a NUL": () => `GET /v1/files HTTP/1.1\r\n${auth()}x: a\0b\r\n\r\n${INNER}`,
  "line feeds alone": () => `GET /v1/files HTTP/1.1\n${auth().replaceAll("\r", "")}\n${INNER}`,
  TLS: () => "\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03".padEnd(200, "\0"),
  "nothing but noise": () => rollBytes(2)(4_000).toString("latin1"),
};

it.each(Object.entries(SMUGGLED))("%s: at most one answer, and what is behind is no request", async (_name, bytes) => {
  const seen = statuses(await sendBytes(bytes()));
  // If the length of a request is in doubt, the service ends the connection, so that the rest
  // cannot be taken for a request.
  const refused = seen.filter((status) => status === 400);
  expect(seen.filter((status) => status >= 500)).toEqual([]);
  expect(seen.length - refused.length).toBeLessThanOrEqual(1);
  expect(seen.filter((status) => status === 404)).toEqual([]);
  expect(faults).toEqual([]);
});

it.each([
  "/v1/files/../../admin/keys",
  "/v1/files/..%2f..%2fadmin%2fkeys",
  "/v1/%2e%2e/admin/keys",
  "//admin/keys",
  "/admin/keys",
  "/admin/keys;x=1",
  "/ADMIN/KEYS",
  "http://localhost/admin/keys",
  "/v1/files/%00",
  "/v1/files/%ff%fe",
  "/v1/files/%",
  "/v1/files/doc_%2e%2e%2f",
  "*",
  "/v1/files?path=%ff",
  `/${"a/".repeat(5_000)}`,
  "/v1/files#/admin/keys",
])("%s is refused to an ordinary key", async (path) => {
  for (const method of ["GET", "HEAD", "POST", "OPTIONS", "TRACE", "PROPFIND"]) {
    const text = await sendBytes(
      `${method} ${path} HTTP/1.1\r\n${auth()}connection: close\r\ncontent-length: 0\r\n\r\n`,
    );
    for (const status of statuses(text)) {
      const isList = path.startsWith("/v1/files#");
      if (!isList) expect([method, path, status >= 400 && status < 500]).toEqual([method, path, true]);
      expect(status).toBeLessThan(500);
    }
    expect(text).not.toContain("workspaceId");
    expect(text).not.toContain(key);
  }
  expect(faults).toEqual([]);
});

it("is alive after all that", async () => {
  const answer = await fetch(`${server.url}/v1/files`, { headers: { "x-api-key": key } });
  expect(answer.status).toBe(200);
});
