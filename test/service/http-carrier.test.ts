import { once } from "node:events";
import { request } from "node:http";
import { describe, expect, it, onTestFinished } from "vitest";
import { responseInParts } from "../../src/contract/wire.ts";
import { type HttpOptions, type HttpServer, startHttp } from "../../src/service/http/server.ts";
import type { AccessEntry } from "../../src/service/http/access-log.ts";
import type { HttpService } from "../../src/service/http/server-state.ts";
import { openService } from "./fixture.ts";
import { get, openConnection, problemIn, raw } from "./raw-http.ts";

/** What HTTP itself promises of an answer, and when a connection ends. */

async function serve(service?: HttpService, options?: HttpOptions) {
  const opened = await openService();
  const server = await startHttp(service ?? opened.service, options);
  onTestFinished(() => server.close());
  return { ...opened, server, port: portOf(server) };
}

const portOf = ({ url }: HttpServer) => Number(new URL(url).port);

const statuses = (text: string) => [...text.matchAll(/HTTP\/1\.1 (\d{3}) /g)].map(([, status]) => Number(status));
const lengthIn = (text: string) => Number(/content-length: (\d+)/i.exec(text)?.[1]);

describe("an answer", () => {
  it("says its length in bytes, and is kept apart from the next on one connection", async () => {
    const { port, key, api } = await serve();
    const { id } = await api.file("a.md", "größer – 𝄞\n");
    const { socket, told, until } = openConnection(port);
    socket.write(get(`/v1/files/${id}`, `x-api-key: ${key}\r\n`));
    const first = Buffer.from(await until(/"\}$/), "latin1").toString();
    const body = first.slice(first.indexOf("\r\n\r\n") + 4);
    expect(JSON.parse(body)).toMatchObject({ id, content: "größer – 𝄞\n" });
    expect([lengthIn(first), /^connection: keep-alive\r$/im.test(first)]).toEqual([Buffer.byteLength(body), true]);
    told.text = "";
    socket.write(get("/v1/files", "connection: close\r\n"));
    await once(socket, "close");
    expect(statuses(told.text)).toEqual([401]);
  });

  it("is the same bytes whatever form its body has: short or long, ASCII or not, one piece or parts", async () => {
    const long = "größer – 𝄞 ".repeat(3_000);
    const bodies = ["a", "ä", "a".repeat(40_000), long];
    const whole = bodies.map((body) => ({ status: 200, headers: {}, body }));
    const answers = [...whole, responseInParts(200, {}, ["{}\n", "", long, "\n"]), responseInParts(200, {}, [])];
    const { port } = await serve({ handle: async ({ path }) => answers[Number(path.slice(1))]! });
    for (const [n, answer] of answers.entries()) {
      const told = Buffer.from(await raw(port, get(`/${n}`, "connection: close\r\n")), "latin1").toString();
      expect([told.slice(told.indexOf("\r\n\r\n") + 4), lengthIn(told)]).toEqual([
        answer.body,
        Buffer.byteLength(answer.body),
      ]);
    }
    expect(answers[4]!.body).toBe(`{}\n${long}\n`);
  });

  it("has the length but not the body for HEAD, and neither without a body", async () => {
    const { port, key, api } = await serve();
    const { id } = await api.file("a.md");
    const rest = `HTTP/1.1\r\nhost: x\r\nx-api-key: ${key}\r\nconnection: close\r\n\r\n`;
    const head = await raw(port, `HEAD /v1/files ${rest}`);
    expect([statuses(head), head.endsWith("\r\n\r\n"), lengthIn(head) > 0]).toEqual([[404], true, true]);
    const gone = await raw(port, `DELETE /v1/files/${id} ${rest}`);
    expect([statuses(gone), gone.endsWith("\r\n\r\n"), lengthIn(gone)]).toEqual([[204], true, Number.NaN]);
  });

  it("comes in the order of requests that were sent without waiting", async () => {
    const { port, key, api } = await serve();
    for (const name of ["a", "b"]) await api.file(`${name}.md`, "");
    const one = (path: string) => get(`/v1/files?path=${path}`, `x-api-key: ${key}\r\n`);
    const text = await raw(
      port,
      `${one("a.md")}${one("none.md")}${get("/v1/files?path=b.md", "connection: close\r\n")}`,
    );
    expect([statuses(text), /"path":"\/a.md".*"data":\[\]/s.test(text)]).toEqual([[200, 200, 401], true]);
  });

  it("to HTTP/1.0 needs no Host, and ends the connection", async () => {
    const { port, key } = await serve();
    const text = await raw(port, `GET /v1/files HTTP/1.0\r\nx-api-key: ${key}\r\n\r\n`);
    expect([statuses(text), /^connection: close\r$/im.test(text)]).toEqual([[200], true]);
  });
});

const chunk = (text: string) => `${text.length.toString(16)}\r\n${text}\r\n`;

describe("a body", () => {
  const post = (key: string, headers: string, body: string) =>
    `POST /v1/files HTTP/1.1\r\nhost: x\r\nx-api-key: ${key}\r\nconnection: close\r\n${headers}\r\n${body}`;

  it("may come in chunks, and is not read beyond its limit", async () => {
    const { port, key } = await serve();
    const chunked = "transfer-encoding: chunked\r\n";
    const small = chunk('{"path":"a.md",') + chunk('"content":""}') + chunk("");
    expect(statuses(await raw(port, post(key, chunked, small)))).toEqual([201]);
    const large = chunk("x".repeat(600_000)).repeat(2);
    const text = await raw(port, post(key, chunked, large));
    expect([statuses(text), problemIn(text).code, /^connection: close\r$/im.test(text)]).toEqual([
      [400],
      "invalid_request",
      true,
    ]);
  });

  it("that comes with a GET is not looked at", async () => {
    const { port, key } = await serve();
    const text = await raw(
      port,
      `${get("/v1/files", `x-api-key: ${key}\r\nconnection: close\r\ncontent-length: 2\r\n`)}\xff{`,
    );
    expect(statuses(text)).toEqual([200]);
  });

  it("of a client that leaves in the middle changes nothing, and the service continues", async () => {
    const { port, key, server, api } = await serve();
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
      const { server } = await serve(service, { log: (entry) => void seen.push(entry) });
      const answer = await fetch(`${server.url}${path}`);
      expect([answer.status, await answer.text()]).toEqual([404, path]);
      await server.close();
      expect(seen).toMatchObject([{ route: "other", status: 404 }]);
    },
  );
});

describe("a target below /app", () => {
  const loadBundle = async () => ({ names: new Map(), assets: new Map(), base: "/assets/" });

  async function ask(path: string, hasPages: boolean) {
    const opened = await openService();
    const seen: AccessEntry[] = [];
    const log = (entry: AccessEntry) => void seen.push(entry);
    const pages = hasPages ? { pages: { core: opened.service.core, proxy: null, loadBundle } } : {};
    const { server } = await serve(opened.service, { log, ...pages });
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
    const { server } = await serve({ handle: service.handle, isReady: async () => isReady });
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
  it("waits for an answer, and for silent clients, only for a limited time", async () => {
    const { service } = await openService();
    const inside = Promise.withResolvers<void>();
    const handle: HttpService["handle"] = (wire) => {
      if (wire.path !== "/v1/folders") return service.handle(wire);
      inside.resolve();
      return new Promise(() => undefined);
    };
    const { port, server } = await serve({ handle }, { deadlines: { stop: 20 } });
    const silent = openConnection(port);
    await once(silent.socket, "ready");
    const busy = openConnection(port);
    busy.socket.write(get("/v1/folders", ""));
    await inside.promise;
    const over = Promise.all([once(silent.socket, "close"), once(busy.socket, "close")]);
    await server.close();
    await over;
  });

  it("answers requests that come as it ends, and closes each connection", async () => {
    const { port, server } = await serve((await openService()).service, { deadlines: { drain: 60_000 } });
    const known = openConnection(port);
    known.socket.write(get("/v1/files", ""));
    await known.until(/\}$/);
    known.told.text = "";
    const closed = server.close();
    known.socket.write(get("/v1/files", ""));
    const fresh = openConnection(port);
    fresh.socket.write(get("/v1/files", ""));
    await Promise.all([once(known.socket, "close"), once(fresh.socket, "close"), closed]);
    for (const { told } of [known, fresh])
      expect([statuses(told.text), /^connection: close\r$/im.test(told.text)]).toEqual([[401], true]);
  });

  it("resets nobody who comes again as soon as he is answered", async () => {
    const { port, server } = await serve((await openService()).service);
    const ends: string[] = [];
    const warm = Promise.withResolvers<void>();
    let answers = 0;
    const clients = Array.from({ length: 20 }, async () => {
      for (;;) {
        const end = await new Promise<string>((resolve) => {
          const sent = request({ port, host: "127.0.0.1", path: "/v1/files", agent: false }, (response) => {
            response.resume().on("end", () => resolve("answered"));
            response.on("error", (error: NodeJS.ErrnoException) => resolve(error.code!));
          });
          sent.on("error", (error: NodeJS.ErrnoException) => resolve(error.code!));
          sent.end();
        });
        if (end !== "answered") return void ends.push(end);
        if (++answers === 100) warm.resolve();
      }
    });
    await warm.promise;
    await Promise.all([server.close(), ...clients]);
    expect(new Set(ends)).toEqual(new Set(["ECONNREFUSED"]));
  });

  it("closes idle connections, and announces the end to those that still get an answer", async () => {
    const inside = Promise.withResolvers<void>();
    const held = Promise.withResolvers<void>();
    const opened = await openService();
    const handle: HttpService["handle"] = async (wire) => {
      if (wire.path === "/v1/folders") {
        inside.resolve();
        await held.promise;
      }
      return opened.service.handle(wire);
    };
    const { port, server } = await serve({ handle });
    const idle = openConnection(port);
    idle.socket.write(get("/v1/files", ""));
    await idle.until(/\}$/);
    const busy = openConnection(port);
    busy.socket.write(get("/v1/folders", ""));
    await inside.promise;
    const closed = server.close();
    await once(idle.socket, "close");
    held.resolve();
    await once(busy.socket, "close");
    await closed;
    expect([statuses(busy.told.text), /^connection: close\r$/im.test(busy.told.text)]).toEqual([[401], true]);
  });
});
