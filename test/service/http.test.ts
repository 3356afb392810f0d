import { once } from "node:events";
import { request } from "node:https";
import { describe, expect, it, onTestFinished } from "vitest";
import { startHttp } from "../../src/service/http/server.ts";
import { startService } from "../../src/service/serve.ts";
import { ADMIN_KEY, openService, SERVE, serveHttp } from "./fixture.ts";
import { temporaryFolder } from "../temporary-folder.ts";
import { TEST_CERTIFICATE, TEST_KEY } from "../remote/test-certificate.ts";
import { get, openConnection, problemIn, problemOf, raw, statuses } from "./raw-http.ts";
import type { AccessEntry } from "../../src/service/http/access-log.ts";

const head = (more: string) => `POST /v1/files HTTP/1.1\r\nhost: x\r\nconnection: close\r\n${more}\r\n\r\n`;

describe("startHttp", () => {
  it("answers a body that is not UTF-8 with 400 and changes nothing", async () => {
    const { server, key, api } = await serveHttp();
    const body = Buffer.concat([
      Buffer.from('{"path":"a.md","content":"'),
      Buffer.from([0xff, 0xfe]),
      Buffer.from('"}'),
    ]);
    const response = await fetch(`${server.url}/v1/files`, { method: "POST", body, headers: { "x-api-key": key } });
    expect([response.status, problemOf(await response.text()).code]).toEqual([400, "invalid_request"]);
    expect(await api.paths("files")).toEqual([]);
  });

  it("answers a body that is too large without reading it all", async () => {
    const { port, key } = await serveHttp();
    const head = `POST /v1/files HTTP/1.1\r\nhost: x\r\nx-api-key: ${key}\r\ncontent-length: 900000000\r\n\r\n`;
    const text = await raw(port, head);
    expect(text).toMatch(/^HTTP\/1.1 400 /);
    expect(problemIn(text).code).toBe("invalid_request");
  });

  it("answers a request without a key before its body arrives", async () => {
    const { port } = await serveHttp();
    for (const length of ["content-length: 900000", "content-length: 900000000", "transfer-encoding: chunked"]) {
      const { socket, until } = openConnection(port);
      socket.write(`POST /v1/files HTTP/1.1\r\nhost: x\r\n${length}\r\n\r\n`);
      expect(await until(/\r\n/)).toMatch(/^HTTP\/1.1 401 /);
    }
  });

  it("answers 100 Continue only to a request with a key", async () => {
    const { port, key } = await serveHttp();
    const body = JSON.stringify({ path: "a.md", content: "" });
    const length = `expect: 100-continue\r\ncontent-length: ${body.length}`;
    expect(await raw(port, head(length))).toMatch(/^HTTP\/1.1 401 /);
    const { socket, until } = openConnection(port);
    socket.write(head(`x-api-key: ${key}\r\n${length}`));
    expect(await until(/\r\n\r\n/)).toBe("HTTP/1.1 100 Continue\r\n\r\n");
    socket.write(body);
    await until(/^HTTP\/1.1 100 Continue\r\n\r\nHTTP\/1.1 201 /);
  });

  it("keeps the connection of a request that expects a 100 and has no body", async () => {
    const { port, key } = await serveHttp();
    const ask = `GET /v1/files HTTP/1.1\r\nhost: x\r\nx-api-key: ${key}\r\n`;
    const text = await raw(port, `${ask}expect: 100-continue\r\n\r\n${ask}connection: close\r\n\r\n`);
    expect(text.match(/HTTP\/1.1 \d+/g)).toEqual(["HTTP/1.1 100", "HTTP/1.1 200", "HTTP/1.1 200"]);
  });

  it("ends a connection that takes too long to send headers or a body, with an answer", async () => {
    const { port, key } = await serveHttp(undefined, { deadlines: { headers: 20, request: 20, checkEvery: 5 } });
    for (const bytes of [
      "",
      "GET /v1/files HTTP/1.1\r\nhost: x\r\n",
      `POST /v1/files HTTP/1.1\r\nhost: x\r\nx-api-key: ${key}\r\ncontent-length: 10\r\n\r\n{`,
    ]) {
      const text = await raw(port, bytes);
      expect(text).toMatch(/^HTTP\/1.1 503 Service Unavailable\r\n/);
      expect(text).toContain("retry-after: 1");
      expect(problemIn(text).code).toBe("service_unavailable");
    }
  });

  it("answers 503 with Retry-After while it has too much to do, but not to the operator", async () => {
    // A turn of the event loop that does not end. Ten seconds pass at each reading of the clock.
    let at = 0;
    const turns = { now: () => (at += 10_000), atEnd: () => undefined };
    const { server, key } = await serveHttp(undefined, { turns });
    for (let n = 0; n < 8; n++) {
      expect((await fetch(`${server.url}/v1/files`, { headers: { "x-api-key": key } })).status).toBe(200);
    }
    const response = await fetch(`${server.url}/v1/files`, { headers: { "x-api-key": key } });
    expect([response.status, response.headers.get("retry-after")]).toEqual([503, "2"]);
    expect(problemOf(await response.text()).code).toBe("service_unavailable");
    expect((await fetch(`${server.url}/v1/files`)).status).toBe(401);
    expect((await fetch(`${server.url}/admin/keys`, { headers: { "x-api-key": ADMIN_KEY } })).status).toBe(200);
  });

  it("answers what is not HTTP, or has no Host, with a problem that carries a request id", async () => {
    const { port, key } = await serveHttp();
    for (const bytes of [
      `GET /v1/files HTTP/1.1\r\nx-api-key: ${key}\r\nconnection: close\r\n\r\n`,
      "nonsense\r\n\r\n",
      "GET / HTTP/9\r\n\r\n",
      `GET / HTTP/1.1\r\nx: ${"y".repeat(100_000)}\r\n\r\n`,
    ]) {
      const text = await raw(port, bytes);
      expect(text).toMatch(/^HTTP\/1.1 400 Bad Request\r\n/);
      const problem = problemIn(text);
      expect(problem.code).toBe("invalid_request");
      expect(text).toContain(`x-request-id: ${problem.requestId}`);
    }
  });

  it("refuses a malformed content type, once it knows the key", async () => {
    const { port, key, api } = await serveHttp();
    const body = JSON.stringify({ path: "a.md", content: "" });
    const send = (auth: string) =>
      raw(port, `${head(`${auth}content-type: json\r\ncontent-length: ${body.length}`)}${body}`);
    for (const [auth, status, code] of [
      ["", 401, "unauthenticated"],
      [`x-api-key: ${key}\r\n`, 400, "invalid_request"],
    ] as const) {
      const text = await send(auth);
      expect(text).toMatch(new RegExp(`^HTTP/1.1 ${status} `));
      expect(problemIn(text).code).toBe(code);
    }
    expect(await api.paths("files")).toEqual([]);
  });

  it("destroys the connection when the core loses it", async () => {
    const { server } = await serveHttp({ handle: () => Promise.reject(new Error("lost")) });
    await expect(fetch(`${server.url}/v1/files`)).rejects.toThrow("fetch failed");
  });

  it("serves loopback alone without TLS, unless an option says otherwise", async () => {
    const data = temporaryFolder();
    for (const host of ["0.0.0.0", "::", "192.0.2.1", "example.org", "127.example.org"]) {
      const started = await startService({ ...SERVE, data, host });
      expect(started).toMatchObject({
        kind: "trouble",
        trouble: { kind: "usage", what: expect.stringContaining(host) },
      });
    }
    for (const host of ["0.0.0.0", "127.0.0.1", "localhost"]) {
      const started = await startService({ ...SERVE, data, host, insecureHttp: host === "0.0.0.0" });
      if (started.kind === "trouble") expect.fail(started.trouble.what);
      await started.value.close();
    }
  });

  it("takes two keys in repeated headers as no valid key", async () => {
    const { port, key } = await serveHttp();
    const twice = `x-api-key: ${key}\r\n`.repeat(2);
    const text = await raw(port, `GET /v1/files HTTP/1.1\r\nhost: x\r\n${twice}connection: close\r\n\r\n`);
    expect(text).toMatch(/^HTTP\/1.1 401 /);
  });

  it("serves TLS with a certificate, also beyond loopback", async () => {
    const { service, key } = await openService();
    const server = await startHttp(service, { host: "0.0.0.0", tls: { cert: TEST_CERTIFICATE, key: TEST_KEY } });
    onTestFinished(() => server.close());
    expect(server.url).toMatch(/^https:\/\/0\.0\.0\.0:\d+$/);
    const port = Number(new URL(server.url).port);
    const options = {
      port,
      path: "/v1/files",
      host: "localhost",
      ca: TEST_CERTIFICATE,
      headers: { "x-api-key": key },
      agent: false,
    } as const;
    const sent = request(options).end();
    const [response] = await once(sent, "response");
    response.resume();
    await once(response, "close");
    expect(response.statusCode).toBe(200);
  });
});

it("refuses two Host or two Authorization headers, on any route", async () => {
  const { port, key } = await serveHttp();
  const auth = `authorization: Bearer ${key}\r\n`;
  for (const more of [`host: y\r\n${auth}`, `HOST: x\r\n${auth}`, auth + auth, `${auth}Authorization: Basic eDp4\r\n`])
    for (const target of ["GET /v1/files", "GET /v1/events", "GET /metrics", "GET /app"]) {
      const text = await raw(port, `${target} HTTP/1.1\r\nhost: x\r\n${more}connection: close\r\n\r\n`);
      expect([target, more, text.slice(0, 13)]).toEqual([target, more, "HTTP/1.1 400 "]);
      expect(problemIn(text).code).toBe("invalid_request");
    }
  expect(await raw(port, `GET /v1/files HTTP/1.1\r\nhost: x\r\n${auth}connection: close\r\n\r\n`)).toMatch(
    /^HTTP\/1.1 200 /,
  );
});

/** Rules of HTTP for an answer, and the end of a connection. */

const lengthIn = (text: string) => Number(/content-length: (\d+)/i.exec(text)?.[1]);

describe("an answer", () => {
  it("says its length in bytes, and is kept apart from the next on one connection", async () => {
    const { port, key, api } = await serveHttp();
    const { id } = await api.file("a.md", "größer – 𝄞\n");
    const { socket, received, until } = openConnection(port);
    socket.write(get(`/v1/files/${id}`, `x-api-key: ${key}\r\n`));
    const first = Buffer.from(await until(/"\}$/), "latin1").toString();
    const body = first.slice(first.indexOf("\r\n\r\n") + 4);
    expect(JSON.parse(body)).toMatchObject({ id, content: "größer – 𝄞\n" });
    expect([lengthIn(first), /^connection: keep-alive\r$/im.test(first)]).toEqual([Buffer.byteLength(body), true]);
    received.text = "";
    socket.write(get("/v1/files", "connection: close\r\n"));
    await once(socket, "close");
    expect(statuses(received.text)).toEqual([401]);
  });
});

const chunk = (text: string) => `${text.length.toString(16)}\r\n${text}\r\n`;

describe("a body", () => {
  const post = (key: string, headers: string, body: string) =>
    `POST /v1/files HTTP/1.1\r\nhost: x\r\nx-api-key: ${key}\r\nconnection: close\r\n${headers}\r\n${body}`;

  it("may come in chunks, and is not read beyond its limit", async () => {
    const { port, key } = await serveHttp();
    const chunked = "transfer-encoding: chunked\r\n";
    const small = chunk('{"path":"a.md",') + chunk('"content":""}') + chunk("");
    expect(statuses(await raw(port, post(key, chunked, small)))).toEqual([201]);
    const large = chunk("x".repeat(600_000)).repeat(2);
    const text = await raw(port, post(key, chunked, large));
    expect(statuses(text)).toEqual([400]);
    expect(problemIn(text).code).toBe("invalid_request");
    expect(/^connection: close\r$/im.test(text)).toBe(true);
  });

  it("may be absent although the request names its type", async () => {
    const { port, key } = await serveHttp();
    const type = "content-type: application/json\r\n";
    const remove = (id: string) =>
      `DELETE /v1/files/${id} HTTP/1.1\r\nhost: x\r\nx-api-key: ${key}\r\nconnection: close\r\n${type}\r\n`;
    expect(statuses(await raw(port, remove("doc_aaaaaaaaaaaaaa")))).toEqual([404]);
    expect(statuses(await raw(port, post(key, type, "")))).toEqual([400]);
  });

  it("of a client that leaves in the middle changes nothing, and the service continues", async () => {
    const { port, key, server, api } = await serveHttp();
    const { socket } = openConnection(port);
    socket.write(post(key, "content-length: 1000\r\n", '{"path":"a.md","content":"'));
    await once(socket, "ready");
    socket.resetAndDestroy();
    expect((await fetch(`${server.url}/v1/files`, { headers: { "x-api-key": key } })).status).toBe(200);
    expect(await api.paths("files")).toEqual([]);
  });
});

describe("a target", () => {
  it.each(["/v1/%65vents", "/%68ealthz", "/%72eadyz", "/metric%73", "/openapi%2ejson"])(
    "is judged as it was sent: %s",
    async (path) => {
      const answerOf = (status: number) => async (wire: { readonly path: string }) => ({
        status,
        headers: {},
        body: wire.path,
      });
      const seen: AccessEntry[] = [];
      const service = { handle: answerOf(404), streams: { open: answerOf(200) } };
      const { server } = await serveHttp(service, { log: (entry) => void seen.push(entry) });
      const answer = await fetch(`${server.url}${path}`);
      expect([answer.status, await answer.text()]).toEqual([404, path]);
      await server.close();
      expect(seen).toMatchObject([{ route: "other", status: 404 }]);
    },
  );
});

describe("a target below /app", () => {
  async function ask(path: string, hasPages: boolean) {
    const opened = await openService();
    const seen: AccessEntry[] = [];
    const log = (entry: AccessEntry) => void seen.push(entry);
    const pages = hasPages ? { pages: { core: opened.service.core, proxy: null } } : {};
    const { server } = await serveHttp(opened.service, { log, ...pages });
    const answer = await fetch(`${server.url}${path}`, { redirect: "manual" });
    await server.close();
    return [answer.status, answer.headers.get("location"), seen.map(({ route }) => route)];
  }

  it.each(["/app/%zz", "/app/files", "/app?x=%zz", "/app"])("is answered by the pages: %s", async (path) => {
    expect(await ask(path, true)).toEqual([303, "/app/sign-in", ["/app"]]);
    expect(await ask(path, false)).toEqual([401, null, ["/app"]]);
  });

  it("is not one that must be decoded first", async () => {
    expect(await ask("/%61pp", true)).toEqual([401, null, ["other"]]);
  });
});

describe("/readyz", () => {
  it("says whether requests can be served", async () => {
    const { service } = await openService();
    let isReady = true;
    const { server } = await serveHttp({ handle: service.handle, isReady: async () => isReady });
    const ask = async () => {
      const answer = await fetch(`${server.url}/readyz`);
      return [answer.status, await answer.text(), answer.headers.get("retry-after")];
    };
    expect(await ask()).toEqual([200, "ready\n", null]);
    isReady = false;
    expect(await ask()).toEqual([503, "not ready\n", "5"]);
  });
});

describe("the end", () => {
  it("answers requests that come as it ends, and closes each connection", async () => {
    const { port, server } = await serveHttp((await openService()).service, { deadlines: { drain: 60_000 } });
    const known = openConnection(port);
    known.socket.write(get("/v1/files", ""));
    await known.until(/\}$/);
    known.received.text = "";
    const closed = server.close();
    known.socket.write(get("/v1/files", ""));
    const fresh = openConnection(port);
    fresh.socket.write(get("/v1/files", ""));
    await Promise.all([once(known.socket, "close"), once(fresh.socket, "close"), closed]);
    for (const { received } of [known, fresh])
      expect([statuses(received.text), /^connection: close\r$/im.test(received.text)]).toEqual([[401], true]);
  });
});
