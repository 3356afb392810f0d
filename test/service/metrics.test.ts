import { expect, onTestFinished, test, vi } from "vitest";
import { RequestMetrics } from "../../src/service/http/metrics.ts";
import { startHttp } from "../../src/service/http/server.ts";
import { Api } from "../../src/conformance/world.ts";
import { httpWire } from "../contract/suite/http-wire.ts";
import { ADMIN_KEY, serveHttp } from "./fixture.ts";

/** The metrics of the service, and who may read them. */

async function serve() {
  const { key, server } = await serveHttp();
  const ask = (path: string, headers: Record<string, string> = {}) => fetch(`${server.url}${path}`, { headers });
  return { key, ask, api: new Api(httpWire(server.url), key) };
}

test("/healthz is answered to everybody, and says nothing", async () => {
  const { ask } = await serve();
  const answer = await ask("/healthz");
  expect([answer.status, await answer.text()]).toEqual([200, "ok\n"]);
});

test("/metrics counts requests by route and code, and names no document, key or workspace", async () => {
  const { ask, key, api } = await serve();
  const { id } = await api.file("secret.md", "secret garden\n");
  await api.read(id);
  await (await ask("/v1/files/secret", { "x-api-key": "wrong" })).text();
  await (await ask("/secret/place")).text();
  const text = await (await ask("/metrics")).text();
  const samples = new Map(
    text.split("\n").map((line) => [line.slice(0, line.lastIndexOf(" ")), line.split(" ").at(-1)]),
  );
  const value = (sample: string) => Number(samples.get(sample));
  const requests = [...samples].filter(([sample]) => sample.startsWith("mdmirror_service_requests_total{"));
  const sampleOf = (route: string, code: number) => `mdmirror_service_requests_total{route="${route}",code="${code}"}`;
  expect(requests).toEqual([
    [sampleOf("POST /v1/files", 201), "1"],
    [sampleOf("GET /v1/files/{id}", 200), "1"],
    [sampleOf("GET /v1/files/{id}", 401), "1"],
    [sampleOf("GET other", 401), "1"],
  ]);
  expect(value("mdmirror_service_documents")).toBe(1);
  expect(value('mdmirror_service_request_duration_seconds_bucket{le="+Inf"}')).toBe(4);
  expect(value("mdmirror_service_request_duration_seconds_count")).toBe(4);
  expect(value("mdmirror_service_indexing_backlog")).toBeGreaterThan(0);
  expect(value("mdmirror_service_uptime_seconds")).toBeGreaterThan(0);
  expect(value("mdmirror_service_event_listeners")).toBe(0);
  expect(text).not.toContain("mdmirror_service_database");
  for (const secret of ["secret", "garden", id, key, ADMIN_KEY]) expect(text).not.toContain(secret);
});

test("/metrics is for this machine, and through a proxy for the admin key alone", async () => {
  const { ask, key } = await serve();
  const status = async (headers: Record<string, string>) => (await ask("/metrics", headers)).status;
  const proxied = { "x-forwarded-for": "192.0.2.1" };
  expect(await status({})).toBe(200);
  expect(await status(proxied)).toBe(401);
  expect(await status({ ...proxied, "x-api-key": key })).toBe(401);
  expect(await status({ ...proxied, authorization: `Bearer ${ADMIN_KEY}` })).toBe(200);
});

test("a server whose port is taken leaves no timer behind", async () => {
  const { service, port } = await serveHttp();
  const close = vi.spyOn(RequestMetrics.prototype, "close");
  onTestFinished(() => {
    vi.restoreAllMocks();
  });
  await expect(startHttp(service, { port })).rejects.toThrow("EADDRINUSE");
  expect(close).toHaveBeenCalledOnce();
});
