import { once } from "node:events";
import { describe, expect, it } from "vitest";
import type { AccessEntry } from "../../src/service/http/access-log.ts";
import { openService, serveHttp } from "./fixture.ts";
import { get, openConnection, problemIn, raw } from "./raw-http.ts";

/** Rules of HTTP for an answer, and the end of a connection. */

const statuses = (text: string) => [...text.matchAll(/HTTP\/1\.1 (\d{3}) /g)].map(([, status]) => Number(status));
const lengthIn = (text: string) => Number(/content-length: (\d+)/i.exec(text)?.[1]);

describe("an answer", () => {
  it("says its length in bytes, and is kept apart from the next on one connection", async () => {
    const { port, key, api } = await serveHttp();
    const { id } = await api.file("a.md", "größer – 𝄞\n");
    const { socket, told: received, until } = openConnection(port);
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
      const service = { handle: answerOf(404), streams: { path: "/v1/events", open: answerOf(200) } };
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
    known.told.text = "";
    const closed = server.close();
    known.socket.write(get("/v1/files", ""));
    const fresh = openConnection(port);
    fresh.socket.write(get("/v1/files", ""));
    await Promise.all([once(known.socket, "close"), once(fresh.socket, "close"), closed]);
    for (const { told: received } of [known, fresh])
      expect([statuses(received.text), /^connection: close\r$/im.test(received.text)]).toEqual([[401], true]);
  });
});
