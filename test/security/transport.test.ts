import type { IncomingMessage } from "node:http";
import { describe, expect, it, onTestFinished } from "vitest";
import { createWire } from "../../src/mirror/remote/wire.ts";
import { openRig } from "../cli/rig.ts";
import { TEST_CERTIFICATE } from "../remote/test-certificate.ts";
import { BOUNDS, GET, wireTo } from "../remote/wire-fixture.ts";
import { serve } from "./loopback.ts";

describe("I30 a redirect, through the command line", () => {
  it("is never followed, wherever it leads", async () => {
    const targets: readonly ((own: number, other: number) => string)[] = [
      (_own, other) => `http://127.0.0.1:${other}/v1/files`,
      (own) => `http://127.0.0.1:${own}/elsewhere`,
      () => "/elsewhere",
      (_own, other) => `//127.0.0.1:${other}/`,
      () => "file:///etc/passwd",
      () => "::",
    ];
    const rig = await openRig();
    onTestFinished(() => rig.close());
    await rig.init();
    for (const [at, locate] of targets.entries()) {
      const status = [301, 302, 303, 307, 308][at % 5]!;
      const other = await serve((_request, response) => void response.end("{}"));
      const own: { port: number; seen: IncomingMessage[] } = await serve((_request, response) => {
        response.writeHead(status, { location: locate(own.port, other.port) }).end();
      });
      const { code, err, out } = await rig.run(["sync", "w", "--url", `http://127.0.0.1:${own.port}`]);
      expect([at, other.seen.length]).toEqual([at, 0]);
      expect(own.seen.filter(({ url }) => !url?.startsWith("/v1/"))).toEqual([]);
      expect(own.seen.length).toBeGreaterThan(0);
      expect(code).not.toBe(0);
      expect([...out, ...err].join("\n")).toMatch(new RegExp(`answers ${status}, .*: a redirect`));
      expect([...out, ...err].join("\n")).not.toContain(rig.key);
    }
  });

  it("from https to http is never followed, and a certificate that is not trusted never sees the key", async () => {
    const plain = await serve((_request, response) => void response.end("{}"));
    const secure = await serve((_request, response) => {
      response.writeHead(302, { location: `http://127.0.0.1:${plain.port}/v1/files` }).end();
    }, true);
    const wary = wireTo(`https://localhost:${secure.port}`);
    expect(await wary.send(GET, BOUNDS)).toMatchObject({ kind: "not-sent" });
    expect(secure.seen).toEqual([]);
    const baseUrl = `https://localhost:${secure.port}`;
    const wire = createWire({ baseUrl, ca: TEST_CERTIFICATE });
    onTestFinished(() => wire.close());
    expect(await wire.send(GET, BOUNDS)).toMatchObject({ kind: "answer", response: { status: 302 } });
    expect([secure.seen.length, plain.seen.length]).toEqual([1, 0]);
  });

  it("plain http beyond loopback is refused before anything is sent, by each way to give it", async () => {
    const rig = await openRig();
    onTestFinished(() => rig.close());
    await rig.init();
    for (const host of [
      "files.example.org",
      "192.0.2.1",
      "localhost.example.org",
      "127.0.0.1.example.org",
      "[::2]",
      "0.0.0.0:80",
    ]) {
      const url = `http://${host}`;
      for (const [argv, env] of [
        [["sync", "w", "--url", url], {}],
        [["sync", "w"], { MDMIRROR_URL: url }],
        [["init", "v", "--url", url, "--key-file", rig.keyFile, "--yes"], {}],
      ] as const) {
        const { code, err } = await rig.run(argv, { env });
        expect([url, code]).toEqual([url, 2]);
        expect(err.join("\n")).toContain("plain http would show the key to the network");
      }
    }
  });
});
