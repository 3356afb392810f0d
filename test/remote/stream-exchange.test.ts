import type { ServerResponse } from "node:http";
import { describe, expect, it } from "vitest";
import type { StreamBounds, StreamEnd } from "../../src/common/wire.ts";
import { GET, lost, serve, unreadable } from "./wire-fixture.ts";

const STREAM = { "content-type": "text/event-stream; charset=utf-8" };

type Listened = { readonly end: StreamEnd; readonly bytes: string };

async function listenTo(
  handle: (response: ServerResponse) => void,
  more: Partial<StreamBounds> = {},
  onBytes: (bytes: Buffer) => void = () => undefined,
): Promise<Listened & { readonly url: string }> {
  const { wire, seen } = await serve((_request, response) => handle(response), "/api");
  let bytes = "";
  const { signal } = new AbortController();
  const bounds = { deadlineMs: 2_000, silenceMs: 2_000, maxBytes: 1_000, signal, ...more };
  const end = await wire.stream!({ ...GET, path: "/v1/events" }, bounds, (chunk) => {
    bytes += chunk.toString();
    onBytes(chunk);
  });
  return { end, bytes, url: seen[0]?.url ?? "" };
}

describe("a stream over undici", () => {
  it("brings the bytes as they come, and says when the service ends it", async () => {
    const got = await listenTo((response) => void response.writeHead(200, STREAM).end(": one\n\n"));
    expect(got).toEqual({
      end: { kind: "ended", why: "the service ended it" },
      bytes: ": one\n\n",
      url: "/api/v1/events",
    });
  });

  it("is ended by the caller, also before the first byte", async () => {
    const stop = new AbortController();
    const open = (response: ServerResponse) => void response.writeHead(200, STREAM).write("x");
    const got = await listenTo(open, { signal: stop.signal }, () => stop.abort());
    expect(got.end).toEqual({ kind: "ended", why: "closed" });
    const early = new AbortController();
    const none = await listenTo(() => early.abort(), { signal: early.signal });
    expect(none.end).toEqual({ kind: "lost", why: "closed" });
  });

  it("is given up after a silence, and after headers that never end", async () => {
    const silent = await listenTo((response) => void response.writeHead(200, STREAM).write("x"), { silenceMs: 100 });
    expect(silent.end).toEqual({ kind: "ended", why: "silent for 100 ms" });
    const headless = await listenTo((response) => void response.socket!.write("HTTP/1.1 200 OK\r\nx-a: b\r\n"), {
      deadlineMs: 400,
    });
    expect(headless.end).toEqual({ kind: "lost", why: "deadline of 400 ms", timedOut: true });
  });

  it.each<readonly [string, (response: ServerResponse) => void, object]>([
    ["an error", (response) => void response.writeHead(404).end("{}"), { status: 404, body: "{}" }],
    [
      "a web page",
      (response) => void response.writeHead(200, { "content-type": "text/html" }).end("<p>"),
      { body: "<p>" },
    ],
    ["a redirect", (response) => void response.writeHead(302, { location: "http://x/" }).end(), { status: 302 }],
  ])("%s in its place is an answer", async (_what, handle, expected) => {
    const { end, bytes } = await listenTo(handle);
    expect(end).toMatchObject({ kind: "answer", response: expected });
    expect(bytes).toBe("");
  });

  it.each<readonly [string, (response: ServerResponse) => void, object]>([
    ["too large", (response) => void response.writeHead(200).end("x".repeat(2_000)), unreadable("too large")],
    [
      "packed",
      (response) => void response.writeHead(200, { ...STREAM, "content-encoding": "zstd" }).end("x"),
      unreadable("compression"),
    ],
    ["cut off", (response) => void response.socket!.destroy(), lost("SOCKET")],
  ])("an answer that is %s has no body", async (_what, handle, expected) => {
    expect((await listenTo(handle)).end).toMatchObject(expected);
  });

  it("does not keep the wire from closing", async () => {
    const { wire } = await serve((_request, response) => void response.writeHead(200, STREAM).write("x"));
    const { signal } = new AbortController();
    const bounds = { deadlineMs: 2_000, silenceMs: 60_000, maxBytes: 10, signal };
    const end = wire.stream!(GET, bounds, () => void wire.close());
    expect(await end).toEqual({ kind: "ended", why: "closed" });
    await wire.close();
    expect(await wire.stream!(GET, bounds, () => undefined)).toEqual({ kind: "not-sent", why: "closed" });
  });
});
