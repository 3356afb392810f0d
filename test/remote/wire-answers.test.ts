import type { ServerResponse } from "node:http";
import { gzipSync } from "node:zlib";
import { describe, expect, it } from "vitest";
import { BOUNDS, closeAfterEach, GET, lost, serve } from "./wire-fixture.ts";

closeAfterEach();

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
    expect(await wire.send(GET, BOUNDS)).toEqual(lost("too large"));
    expect(written).toBeLessThan(10_000_000);
  });

  it("a gzip bomb is bounded", async () => {
    const bomb = gzipSync(Buffer.alloc(20_000_000));
    expect(bomb.length).toBeLessThan(BOUNDS.maxBytes);
    const { wire } = await serve((_request, response) => response.setHeader("content-encoding", "gzip").end(bomb));
    expect(await wire.send(GET, BOUNDS)).toEqual(lost("too large"));
  });

  it("reads a compressed answer, and refuses an encoding that it did not ask for", async () => {
    const { wire, seen } = await serve((request, response) => {
      const encoding = request.url === "/deflate" ? "deflate" : "gzip";
      response.setHeader("content-encoding", encoding).end(gzipSync('{"a":1}'));
    });
    expect(await wire.send(GET, BOUNDS)).toMatchObject({ kind: "answer", response: { body: '{"a":1}' } });
    expect(seen[0]!.headers["accept-encoding"]).toBe("gzip, br");
    expect(await wire.send({ ...GET, path: "/deflate" }, BOUNDS)).toEqual(lost("compression"));
  });

  it("an answer that is not UTF-8 is lost", async () => {
    const { wire } = await serve((_request, response) => response.end(Buffer.from([0x7b, 0xe9, 0x7d])));
    expect(await wire.send(GET, BOUNDS)).toEqual(lost("not UTF-8"));
  });

  it("passes over informational answers", async () => {
    const { wire } = await serve((_request, response) => {
      response.writeEarlyHints({ link: "</x>; rel=preload" });
      response.end("{}");
    });
    expect(await wire.send(GET, BOUNDS)).toMatchObject({ kind: "answer", response: { status: 200, body: "{}" } });
  });
});
