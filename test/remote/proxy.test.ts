import { execFile } from "node:child_process";
import { createServer, type Server } from "node:http";
import { createServer as createTlsServer } from "node:https";
import { connect } from "node:net";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it, onTestFinished, test } from "vitest";
import { inspect } from "node:util";
import { chooseRoute } from "../../src/mirror/remote/address.ts";
import { createWire } from "../../src/mirror/remote/wire.ts";
import type { ChangeId, DocId } from "../../src/contract/ids.ts";
import { HttpClient } from "../../src/mirror/remote/http.ts";
import { createScrub } from "../../src/mirror/remote/reply.ts";
import { TEST_CERTIFICATE, TEST_KEY } from "./test-certificate.ts";
import { BOUNDS, GET, listen, PUT, serve } from "./wire-fixture.ts";
import { answer, bench, KEY, page } from "./scripted-wire.ts";
import { temporaryFolder } from "../temporary-folder.ts";
import { NO_LOG } from "../simulator/quiet-ports.ts";

const PROXY = "http://proxy.test:3128";

describe("the route to a service", () => {
  it.each([
    ["https://files.test", {}, "direct"],
    ["https://files.test", { HTTPS_PROXY: PROXY }, "HTTPS_PROXY"],
    ["https://files.test", { https_proxy: PROXY, HTTPS_PROXY: "http://other.test" }, "https_proxy"],
    ["https://files.test", { HTTP_PROXY: PROXY }, "HTTP_PROXY"],
    ["http://files.test", { HTTP_PROXY: PROXY }, "HTTP_PROXY"],
    ["http://files.test", { HTTPS_PROXY: PROXY }, "direct"],
    ["https://files.test", { HTTPS_PROXY: "" }, "direct"],
    ["https://files.test", { HTTPS_PROXY: "proxy.test:3128" }, "HTTPS_PROXY"],
    ["https://files.test", { HTTPS_PROXY: "socks5://proxy.test" }, "bad"],
    ["https://files.test", { HTTPS_PROXY: "http://" }, "bad"],
    ["http://127.0.0.1:8421", { HTTP_PROXY: PROXY }, "direct"],
    ["http://[::1]:8421", { HTTP_PROXY: PROXY }, "direct"],
    ["http://localhost", { HTTP_PROXY: PROXY }, "direct"],
    ["https://files.test", { HTTPS_PROXY: PROXY, NO_PROXY: "files.test" }, "direct"],
    ["https://files.test", { HTTPS_PROXY: PROXY, no_proxy: "a.test, FILES.test" }, "direct"],
    ["https://files.test", { HTTPS_PROXY: PROXY, NO_PROXY: ".test" }, "direct"],
    ["https://files.test", { HTTPS_PROXY: PROXY, NO_PROXY: "*.test" }, "direct"],
    ["https://files.test", { HTTPS_PROXY: PROXY, NO_PROXY: "*" }, "direct"],
    ["https://files.test", { HTTPS_PROXY: PROXY, NO_PROXY: "iles.test" }, "HTTPS_PROXY"],
    ["https://files.test", { HTTPS_PROXY: PROXY, NO_PROXY: "files.test:444" }, "HTTPS_PROXY"],
    ["https://files.test:444", { HTTPS_PROXY: PROXY, NO_PROXY: "files.test:444" }, "direct"],
    ["https://[2001:db8::1]", { HTTPS_PROXY: PROXY, NO_PROXY: "2001:db8::1" }, "direct"],
    ["https://[2001:db8::1]", { HTTPS_PROXY: PROXY, NO_PROXY: "[2001:db8::1]:443" }, "direct"],
  ])("to %s with %o is %s", (origin, env, want) => {
    const route = chooseRoute(origin, env as Record<string, string>);
    expect(route.kind === "proxy" ? route.variable : route.kind).toBe(want);
  });

  it("shows a proxy without its user and password", () => {
    const route = chooseRoute("https://files.test", { HTTPS_PROXY: "http://ann:pw@proxy.test:3128" });
    expect(route).toMatchObject({ kind: "proxy", origin: "http://proxy.test:3128" });
  });
});

type Tunnel = { readonly path: string; readonly headers: Readonly<Record<string, unknown>> };

/** Starts a proxy that connects every host to one local port, and records its requests. */
async function startProxy(target: number, refuse = false) {
  const tunnels: Tunnel[] = [];
  const forwarded: string[] = [];
  const proxy = createServer((request, response) => {
    forwarded.push(`${request.method} ${request.url}`);
    response.end("{}");
  });
  proxy.on("connect", (request, socket) => {
    tunnels.push({ path: request.url ?? "", headers: request.headers });
    if (refuse) return void socket.end("HTTP/1.1 407 Proxy Authentication Required\r\n\r\n");
    const upstream = connect(target, "127.0.0.1", () => {
      socket.write("HTTP/1.1 200 Connection Established\r\n\r\n");
      upstream.pipe(socket).pipe(upstream);
    });
    for (const one of [socket, upstream]) one.on("error", () => upstream.destroy());
  });
  return { url: `http://ann:pw@127.0.0.1:${await listen(proxy)}`, tunnels, forwarded };
}

async function startService(): Promise<{ readonly port: number; readonly seen: string[] }> {
  const seen: string[] = [];
  const server: Server = createTlsServer({ key: TEST_KEY, cert: TEST_CERTIFICATE }, (request, response) => {
    seen.push(
      `${request.method} ${request.headers.host} ${request.headers["x-api-key"]} ${request.headers["user-agent"]}`,
    );
    request.resume();
    response.end("{}");
  });
  return { port: await listen(server), seen };
}

function wireBy(proxyUrl: string, baseUrl: string, ca: string | undefined) {
  const route = chooseRoute(baseUrl, { HTTPS_PROXY: proxyUrl, HTTP_PROXY: proxyUrl });
  const wire = createWire({
    baseUrl,
    allowHttpHosts: ["plain.test"],
    route,
    userAgent: "mdmirror/1",
    ...(ca === undefined ? {} : { ca }),
  });
  onTestFinished(() => wire.close());
  return wire;
}

describe("I30 by a proxy", () => {
  it("nothing is sent, by a request or for a stream of events, while the variable is not usable", async () => {
    const { port, seen } = await serve((_, response) => response.end("{}"));
    const route = { kind: "bad", variable: "HTTPS_PROXY" } as const;
    const wire = createWire({ baseUrl: `http://127.0.0.1:${port}`, route });
    onTestFinished(() => wire.close());
    const refused = { kind: "not-sent", why: "HTTPS_PROXY is not the URL of an HTTP proxy" };
    expect(await wire.send(GET, BOUNDS)).toEqual(refused);
    const bounds = { ...BOUNDS, silenceMs: 5_000, signal: new AbortController().signal };
    expect(await wire.stream!(GET, bounds, () => undefined)).toEqual(refused);
    expect(seen).toEqual([]);
  });

  it("requests reach an https service in a tunnel, which carries no key", async () => {
    const service = await startService();
    const proxy = await startProxy(service.port);
    const wire = wireBy(proxy.url, "https://service.test", TEST_CERTIFICATE);
    const ends = [await wire.send(GET, BOUNDS), await wire.send(PUT, BOUNDS)];
    expect(ends.map(({ kind }) => kind)).toEqual(["answer", "answer"]);
    expect(service.seen).toEqual(["GET service.test sk_secret mdmirror/1", "PUT service.test sk_secret mdmirror/1"]);
    const [tunnel] = proxy.tunnels;
    expect(tunnel?.path).toBe("service.test:443");
    expect(tunnel?.headers["proxy-authorization"]).toBe(`Basic ${Buffer.from("ann:pw").toString("base64")}`);
    expect(JSON.stringify(proxy.tunnels)).not.toContain("sk_secret");
  });

  it("a service whose certificate is not trusted gets nothing", async () => {
    const service = await startService();
    const proxy = await startProxy(service.port);
    const result = await wireBy(proxy.url, "https://service.test", undefined).send(PUT, BOUNDS);
    expect([result.kind, service.seen]).toEqual(["not-sent", []]);
  });

  it.each([
    ["refuses", true],
    ["is not there", false],
  ])("nothing was sent where the proxy %s, and its password is not repeated", async (_name, isThere) => {
    const proxy = await startProxy(1, true);
    const url = isThere ? proxy.url : "http://ann:pw@127.0.0.1:1";
    const result = await wireBy(url, "https://service.test", TEST_CERTIFICATE).send(PUT, BOUNDS);
    expect(result.kind).toBe("not-sent");
    expect(JSON.stringify(result)).toContain("HTTPS_PROXY");
    expect(JSON.stringify(result)).not.toContain("pw@");
  });

  it("plain http, where the user allows it, is forwarded", async () => {
    const proxy = await startProxy(1);
    const result = await wireBy(proxy.url, "http://plain.test", undefined).send(GET, BOUNDS);
    expect([result.kind, proxy.forwarded]).toEqual(["answer", ["GET http://plain.test/v1/files?limit=1"]]);
  });
});

test("an authority in NODE_EXTRA_CA_CERTS is trusted", async () => {
  const service = await startService();
  const file = join(temporaryFolder(), "authority.pem");
  writeFileSync(file, TEST_CERTIFICATE);
  const script = `
import { createWire } from ${JSON.stringify(new URL("../../src/mirror/remote/wire.ts", import.meta.url).href)};
const wire = createWire({ baseUrl: "https://localhost:${service.port}" });
const { kind } = await wire.send(${JSON.stringify(GET)}, ${JSON.stringify(BOUNDS)});
console.log(kind);
await wire.close();`;
  const ask = (env: Readonly<Record<string, string>>) =>
    new Promise<string>((resolve, reject) => {
      const options = { env: { ...process.env, ...env } };
      execFile(process.execPath, ["--input-type=module", "-e", script], options, (error, stdout) =>
        error === null ? resolve(stdout.trim()) : reject(error),
      );
    });
  expect([await ask({}), await ask({ NODE_EXTRA_CA_CERTS: file })]).toEqual(["not-sent", "answer"]);
});

const shown = (value: unknown): string => inspect(value, { depth: 20, showHidden: true, getters: true });
const DOC = "doc_1" as DocId;
const TEXT = "the text of a document";

describe("I30 the key", () => {
  it("is in no fault, trait, count or log line, even where the service echoes it everywhere", async () => {
    const echo = {
      status: 409,
      code: KEY,
      type: `https://docs/errors/${KEY}`,
      title: KEY,
      detail: `Authorization: Bearer ${KEY}`,
      requestId: KEY,
      errors: [{ code: KEY, pointer: `/${KEY}`, detail: KEY }],
    };
    const results = [
      answer(409, echo, { "x-request-id": KEY }),
      answer(409, { ...echo, code: "odd" }, { "x-request-id": KEY }),
      answer(409, { ...echo, code: undefined }, { "x-request-id": KEY }),
      answer(200, `<html>${KEY}`, { "x-request-id": KEY, "retry-after": KEY }),
      answer(302, "", { location: `https://${KEY}.example/${KEY}` }),
      page([{ id: KEY, path: KEY }], KEY),
      { kind: "lost", why: `header ${KEY}` },
      { kind: "not-sent", why: `header ${KEY}` },
    ] as const;
    for (const result of results) {
      const { remote, lines } = bench([result]);
      const all = [
        await remote.getFile(DOC),
        await remote.putContent(DOC, "chg_1" as ChangeId, TEXT),
        await remote.listFiles({ kind: "none" }),
        await remote.listFolders(null),
        await remote.renameFile(DOC, "b.md"),
      ];
      const everything = shown([all, remote, remote.traits(), remote.counts(), lines]);
      expect(everything).not.toContain(KEY);
      expect(everything).not.toContain(TEXT);
      expect(lines.length).toBeGreaterThan(4);
    }
  });

  it.each(["", "two words", "line\r\nend", "käse", "x".repeat(5_000)])("%j is refused and not repeated", (key) => {
    const { wire, clock } = bench([answer(204)]);
    const make = () =>
      new HttpClient({
        wire,
        key,
        address: "",
        clock,
        log: NO_LOG,
        scrub: createScrub(key),
      });
    expect(make).toThrow("the API key must be");
    if (key !== "") expect(make).not.toThrow(key);
  });

  it("is not half visible where a text is cut", () => {
    const scrub = createScrub(KEY);
    for (let before = 470; before <= 500; before++) {
      const text = scrub("x".repeat(before) + KEY);
      expect(text.length).toBeLessThanOrEqual(500);
      expect(text).not.toContain(KEY.slice(0, 8));
    }
  });

  it("is not half visible where a text is cut behind another key", () => {
    const text = createScrub(KEY)(`${KEY} ${"x".repeat(505 - KEY.length)} ${KEY}`);
    expect(text).not.toContain(KEY.slice(0, 8));
  });
});

it("a cursor, which may be anything, is in no log line", async () => {
  const { remote, lines } = bench([page([], "opaque-cursor"), page([])]);
  await remote.listFiles({ kind: "none" });
  expect(lines.length).toBe(2);
  expect(lines.join()).not.toContain("opaque-cursor");
});
