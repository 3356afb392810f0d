import type { ServerResponse } from "node:http";
import { createServer as createTlsServer } from "node:https";
import { createServer as createTcpServer } from "node:net";
import { inspect } from "node:util";
import { describe, expect, it, onTestFinished } from "vitest";
import { gzipSync, brotliCompressSync, deflateSync } from "node:zlib";
import { createWire, decodeBody } from "../../src/mirror/remote/wire.ts";
import { isJsonObject, member } from "../../src/contract/json.ts";
import { parseJson } from "../../src/mirror/remote/shapes.ts";
import { TEST_CERTIFICATE, TEST_KEY } from "./test-certificate.ts";
import { BOUNDS, GET, listen, lost, PUT, serve, unreadable, wireTo } from "./wire-fixture.ts";
import { fc } from "../property.ts";

describe("the wire", () => {
  it("carries method, path below the prefix, headers and body, and brings status, lower-case headers and text", async () => {
    const { wire, seen } = await serve((_request, response) => {
      response.writeHead(207, { "X-Request-Id": "req_1", "Set-Cookie": ["a=1", "b=2"] }).end("h\u00e9llo \u{1f600}");
    }, "/api/files/");
    const result = await wire.send(PUT, BOUNDS);
    expect(result).toMatchObject({
      kind: "answer",
      response: {
        status: 207,
        body: "h\u00e9llo \u{1f600}",
        headers: { "x-request-id": "req_1", "set-cookie": "a=1, b=2" },
      },
    });
    expect(seen).toMatchObject([
      {
        method: "PUT",
        url: "/api/files/v1/files/doc_1/content",
        body: PUT.body,
        headers: { "x-api-key": "sk_secret" },
      },
    ]);
  });

  it("keeps its connections", async () => {
    const ports = new Set<number>();
    const { wire } = await serve((request, response) => {
      ports.add(request.socket.remotePort ?? 0);
      response.writeHead(204).end();
    });
    for (let i = 0; i < 20; i++) expect((await wire.send(GET, BOUNDS)).kind).toBe("answer");
    // Two sockets are possible: a socket becomes free one turn of the event loop after its answer,
    // and the next request may come before.
    expect(ports.size).toBeLessThanOrEqual(2);
  });

  it.each(["GET", "PUT"])("%s: a refused connection was not sent", async (method) => {
    const server = createTcpServer();
    const port = await listen(server);
    await new Promise((resolve) => server.close(resolve));
    const wire = wireTo(`http://127.0.0.1:${port}`);
    expect(await wire.send({ ...GET, method }, BOUNDS)).toEqual({ kind: "not-sent", why: "ECONNREFUSED" });
  });

  it("a host without an address was not sent", async () => {
    const wire = wireTo("https://no-such-host.invalid");
    expect(await wire.send(PUT, BOUNDS)).toMatchObject({ kind: "not-sent" });
  });

  it.each([
    ["https://localhost", undefined, { kind: "not-sent", why: "DEPTH_ZERO_SELF_SIGNED_CERT" }],
    ["https://127.0.0.1", TEST_CERTIFICATE, { kind: "not-sent", why: "ERR_TLS_CERT_ALTNAME_INVALID" }],
    ["https://localhost", TEST_CERTIFICATE, { kind: "answer" }],
  ])("checks certificates: %s", async (origin, ca, expected) => {
    const urls: (string | undefined)[] = [];
    const server = createTlsServer({ key: TEST_KEY, cert: TEST_CERTIFICATE }, (request, response) => {
      urls.push(request.url);
      response.end("{}");
    });
    const baseUrl = `${origin}:${await listen(server)}`;
    const wire = createWire({ baseUrl, ...(ca === undefined ? {} : { ca }) });
    onTestFinished(() => wire.close());
    expect(await wire.send(PUT, BOUNDS)).toMatchObject(expected);
    expect(urls).toEqual(expected.kind === "answer" ? [PUT.path] : []);
  });

  it("a server that does not speak TLS was not sent anything", async () => {
    const bytes: Buffer[] = [];
    const server = createTcpServer((socket) => {
      socket.on("error", () => undefined);
      socket.on("data", (chunk) => {
        bytes.push(chunk);
        socket.end("HTTP/1.1 400 Bad Request\r\n\r\n");
      });
    });
    const wire = wireTo(`https://127.0.0.1:${await listen(server)}`);
    expect(await wire.send(PUT, BOUNDS)).toMatchObject({ kind: "not-sent" });
    expect(Buffer.concat(bytes).toString("latin1")).not.toContain("sk_secret");
  });

  it.each([
    ["GET", GET],
    ["PUT", PUT],
  ])("%s: a connection cut after the request is lost, and the request was not repeated", async (_name, request) => {
    const { wire, seen } = await serve((incoming) => incoming.socket.destroy());
    expect(await wire.send(request, BOUNDS)).toMatchObject({ kind: "lost" });
    expect(seen.length).toBe(1);
  });

  it("a connection cut in the headers is lost", async () => {
    const { wire } = await serve((request) => request.socket.end("HTTP/1.1 200 OK\r\ncontent-le"));
    expect(await wire.send(PUT, BOUNDS)).toMatchObject({ kind: "lost" });
  });

  it.each([
    ["with a length", "HTTP/1.1 200 OK\r\ncontent-length: 100\r\n\r\n{}"],
    ["in chunks", "HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n2\r\n{}\r\n"],
  ])("a connection cut in a body %s is lost", async (_name, bytes) => {
    const { wire } = await serve((request) => request.socket.end(bytes));
    expect(await wire.send(PUT, BOUNDS)).toMatchObject({ kind: "lost" });
  });

  it("what is not HTTP is lost", async () => {
    const { wire } = await serve((request) => request.socket.end("SSH-2.0-OpenSSH_9.9\r\n"));
    expect(await wire.send(PUT, BOUNDS)).toMatchObject({ kind: "lost" });
  });

  it("the deadline applies to the headers", async () => {
    const { wire } = await serve(() => undefined);
    expect(await wire.send(PUT, { ...BOUNDS, deadlineMs: 60 })).toEqual({
      ...lost("deadline of 60 ms"),
      timedOut: true,
    });
  });

  it("the deadline applies to headers and body together", async () => {
    const { wire } = await serve((_request, response) => {
      const timer = setInterval(() => response.write(" "), 10);
      response.on("close", () => clearInterval(timer));
    });
    expect(await wire.send(GET, { ...BOUNDS, deadlineMs: 120 })).toEqual({ ...lost("deadline"), timedOut: true });
  });

  it("what waits for a connection at the deadline was not sent, and is not sent after it", async () => {
    const pending: ServerResponse[] = [];
    const { port, seen } = await serve((_request, response) => pending.push(response));
    const wire = wireTo(`http://127.0.0.1:${port}`, 1);
    const first = wire.send(GET, BOUNDS);
    await expect.poll(() => pending.length).toBe(1);
    expect(await wire.send(PUT, { ...BOUNDS, deadlineMs: 60 })).toMatchObject({ kind: "not-sent", timedOut: true });
    pending[0]!.end("{}");
    expect((await first).kind).toBe("answer");
    const third = wire.send({ ...GET, path: "/third" }, BOUNDS);
    await expect.poll(() => pending.length).toBe(2);
    pending[1]!.end("{}");
    expect((await third).kind).toBe("answer");
    expect(seen.map((request) => request.url)).toEqual([GET.path, "/third"]);
  });

  it("does not follow a redirect: the other origin never sees the key", async () => {
    const other = await serve((_request, response) => response.end("{}"));
    const { wire } = await serve((_request, response) => {
      response.writeHead(307, { location: `http://127.0.0.1:${other.port}/v1/files` }).end();
    });
    expect(await wire.send(GET, BOUNDS)).toMatchObject({ kind: "answer", response: { status: 307 } });
    expect(other.seen).toEqual([]);
  });

  it("a path cannot name another origin", async () => {
    const other = await serve((_request, response) => response.end("{}"));
    const { wire, seen } = await serve((_request, response) => response.end("{}"));
    await wire.send({ ...GET, path: `//127.0.0.1:${other.port}/x` }, BOUNDS);
    await expect(wire.send({ ...GET, path: `http://127.0.0.1:${other.port}/x` }, BOUNDS)).rejects.toThrow("slash");
    expect([seen.length, other.seen.length]).toEqual([1, 0]);
  });

  it("waits in close for what is in flight, and sends nothing after", async () => {
    let pending: ServerResponse | null = null;
    const { wire, seen } = await serve((_request, response) => {
      pending = response;
    });
    const reading = wire.send(GET, BOUNDS);
    await expect.poll(() => seen.length).toBe(1);
    const closing = wire.close();
    expect(await wire.send(GET, BOUNDS)).toEqual({ kind: "not-sent", why: "closed" });
    pending!.end("{}");
    expect((await reading).kind).toBe("answer");
    await closing;
    expect(seen.length).toBe(1);
  });

  it("I30 a header that cannot be sent is not sent, and not shown", async () => {
    const { wire, seen } = await serve((_request, response) => response.end("{}"));
    const result = await wire.send({ ...GET, headers: { authorization: "Bearer sk_secret\r\nx: y" } }, BOUNDS);
    expect(result.kind).toBe("not-sent");
    expect(inspect([result, wire], { depth: 20, showHidden: true })).not.toContain("sk_secret");
    expect(seen).toEqual([]);
  });

  it.each(["http://files.example.com", "https://user:sk_secret@files.example.com", "files.example.com"])(
    "refuses the base URL %s without repeating it",
    (baseUrl) => {
      expect(() => createWire({ baseUrl })).toThrow("bad base URL");
      expect(() => createWire({ baseUrl })).not.toThrow("example.com");
    },
  );
});

describe("what is answered", () => {
  it.each([
    ["with a length", (response: ServerResponse) => response.setHeader("content-length", 10_000_000)],
    ["in chunks", () => undefined],
  ])("an answer of 10 MB %s is given up at its bound", async (_name, prepare) => {
    let written = 0;
    const { wire } = await serve((_request, response) => {
      prepare(response);
      const chunk = Buffer.alloc(50_000, 0x20);
      const more = () => {
        while (written < 10_000_000 && !response.destroyed) {
          written += chunk.length;
          if (!response.write(chunk)) return void response.once("drain", more);
        }
      };
      more();
    });
    expect(await wire.send(GET, BOUNDS)).toMatchObject(unreadable("too large"));
    expect(written).toBeLessThan(10_000_000);
  });

  it("a gzip bomb is bounded", async () => {
    const bomb = gzipSync(Buffer.alloc(20_000_000));
    expect(bomb.length).toBeLessThan(BOUNDS.maxBytes);
    const { wire } = await serve((_request, response) => response.setHeader("content-encoding", "gzip").end(bomb));
    expect(await wire.send(GET, BOUNDS)).toMatchObject(unreadable("too large"));
  });

  it("reads a compressed answer, and refuses an encoding that it did not ask for", async () => {
    const { wire, seen } = await serve((request, response) => {
      const encoding = request.url === "/deflate" ? "deflate" : "gzip";
      response.setHeader("content-encoding", encoding).end(gzipSync('{"a":1}'));
    });
    expect(await wire.send(GET, BOUNDS)).toMatchObject({ kind: "answer", response: { body: '{"a":1}' } });
    expect(seen[0]!.headers["accept-encoding"]).toBe("gzip, br");
    expect(await wire.send({ ...GET, path: "/deflate" }, BOUNDS)).toMatchObject(unreadable("compression"));
  });

  it.each([302, 401, 429, 502])(
    "reports a %d whose body is not UTF-8 as an answer, with its headers",
    async (status) => {
      const { wire } = await serve((_request, response) =>
        response.writeHead(status, { "retry-after": "5" }).end(Buffer.from([0xe9])),
      );
      const response = { status, headers: { "retry-after": "5" }, body: "" };
      expect(await wire.send(GET, BOUNDS)).toMatchObject({ kind: "answer", response });
    },
  );

  it("reports an answer that is not UTF-8, with its status", async () => {
    const { wire } = await serve((_request, response) => response.end(Buffer.from([0x7b, 0xe9, 0x7d])));
    expect(await wire.send(GET, BOUNDS)).toMatchObject(unreadable("not UTF-8"));
  });

  it("passes over informational answers", async () => {
    const { wire } = await serve((_request, response) => {
      response.writeEarlyHints({ link: "</x>; rel=preload" });
      response.end("{}");
    });
    expect(await wire.send(GET, BOUNDS)).toMatchObject({ kind: "answer", response: { status: 200, body: "{}" } });
  });
});

describe("parseJson", () => {
  it("agrees with JSON.parse on any value that is not too deep", () => {
    fc.assert(
      fc.property(fc.jsonValue({ maxDepth: 8 }), (value) => {
        const text = JSON.stringify(value);
        expect(parseJson(text)).toEqual({ kind: "json", value: JSON.parse(text) });
      }),
    );
  });

  it("does not count brackets in strings, with any escapes", () => {
    const text = JSON.stringify({ content: `${"[{".repeat(5_000)}\\" \\\\` });
    expect(parseJson(text)).toEqual({ kind: "json", value: JSON.parse(text) });
  });

  it.each([
    ["32 levels", 32, "json"],
    ["33 levels", 33, "too-much"],
    ["eight million levels", 8_000_000, "too-much"],
  ])("judges %s", (_name, depth, kind) => {
    expect(parseJson("[".repeat(depth) + "]".repeat(depth)).kind).toBe(kind);
  });

  it.each([
    ["", "empty"],
    ["  \n", "empty"],
    ["<html>secret", "not JSON"],
    ['{"a":"secr', "not JSON"],
    ["{}{}", "not JSON"],
  ])("refuses %j without quoting it", (text, why) => {
    const json = parseJson(text);
    expect(json).toEqual({ kind: "not-json", why: expect.stringContaining(why) });
    expect(JSON.stringify(json)).not.toContain("secr");
  });

  it("reads own members alone", () => {
    const value = parseJson('{"__proto__":{"path":"x"}}');
    expect(value.kind === "json" && isJsonObject(value.value) && member(value.value, "path")).toBeUndefined();
    expect(member({}, "constructor")).toBeUndefined();
  });
});

const TEXT = '{"content":"h\u00e9llo \u{1f600}"}';
const BOMB = Buffer.alloc(5_000_000);

describe("decodeBody", () => {
  it.each([
    ["no encoding", Buffer.from(TEXT), null],
    ["identity", Buffer.from(TEXT), "identity"],
    ["gzip", gzipSync(TEXT), "GZIP"],
    ["brotli", brotliCompressSync(TEXT), "br"],
  ])("reads %s", (_name, bytes, encoding) => {
    expect(decodeBody(bytes, encoding, 1_000)).toEqual({ kind: "text", text: TEXT });
  });

  it.each([
    ["bytes that are not UTF-8", Buffer.from([0x7b, 0xff, 0x7d]), null, "not UTF-8"],
    ["a surrogate spelled in UTF-8", Buffer.from([0xed, 0xa0, 0x80]), null, "not UTF-8"],
    ["a gzip bomb", gzipSync(BOMB), "gzip", "too large"],
    ["a brotli bomb", brotliCompressSync(BOMB), "br", "too large"],
    ["a damaged stream", Buffer.from("no gzip"), "gzip", "damaged"],
    ["a stream that was cut", gzipSync(TEXT).subarray(0, 20), "gzip", "damaged"],
    ["an encoding nobody asked for", deflateSync(TEXT), "deflate", "did not ask for"],
    ["two encodings", gzipSync(gzipSync(TEXT)), "gzip, gzip", "did not ask for"],
    ["too many plain bytes", Buffer.alloc(1_001, 0x20), null, "too large"],
  ])("refuses %s", (_name, bytes, encoding, why) => {
    expect(decodeBody(bytes, encoding, 1_000)).toEqual({ kind: "bad", why: expect.stringContaining(why) });
  });

  it("takes an answer of exactly the bound", () => {
    expect(decodeBody(gzipSync(Buffer.alloc(1_000, 0x20)), "gzip", 1_000).kind).toBe("text");
  });
});
