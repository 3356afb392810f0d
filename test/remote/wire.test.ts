import { expect, it } from "vitest";
import type { Wire } from "../../src/ports/wire.ts";
import { createWire } from "../../src/remote/wire.ts";
import { BOUNDS, closeAfterEach, closers, GET, PUT, serve } from "./undici-fixture.ts";

closeAfterEach();

/** A wire, and who sent each request: Node's client spells its headers in capitals. */
async function begin() {
  const by: ("node" | "undici")[] = [];
  const held: (() => void)[] = [];
  let holds = false;
  const { port } = await serve((request, response) => {
    by.push(request.rawHeaders.includes("Connection") ? "node" : "undici");
    const answer = () => {
      if (request.url === "/events") response.writeHead(200, { "content-type": "text/event-stream" });
      response.end("{}");
    };
    if (holds) held.push(answer);
    else answer();
  });
  const wire = createWire({ baseUrl: `http://127.0.0.1:${port}` });
  closers.push(() => wire.close());
  const hold = () => {
    holds = true;
    return held;
  };
  return { wire, by, hold };
}

const kinds = async (wire: Wire, count: number) => {
  const ends = await Promise.all(Array.from({ length: count }, () => wire.send(GET, BOUNDS)));
  return ends.map(({ kind }) => kind);
};

it("few exchanges go by Node's own client, writes too", async () => {
  const { wire, by } = await begin();
  for (const request of [GET, GET, PUT, GET]) expect((await wire.send(request, BOUNDS)).kind).toBe("answer");
  expect(by).toEqual(["node", "node", "node", "node"]);
});

it("from many at one time on it is undici, and each exchange is answered", async () => {
  const { wire, by } = await begin();
  expect(await kinds(wire, 20)).toEqual(new Array(20).fill("answer"));
  expect(by.filter((who) => who === "node").length).toBe(10);
  await wire.send(GET, BOUNDS);
  expect([by.length, by.at(-1)]).toEqual([21, "undici"]);
});

it("however many follow one another go by Node's own client", async () => {
  const { wire, by } = await begin();
  for (let n = 0; n < 300; n++) await kinds(wire, n % 3);
  expect(by.length).toBe(300);
  expect(new Set(by)).toEqual(new Set(["node"]));
});

it("a stream is undici's", async () => {
  const { wire, by } = await begin();
  const bytes: Buffer[] = [];
  const { signal } = new AbortController();
  const end = await wire.stream!({ ...GET, path: "/events" }, { ...BOUNDS, silenceMs: 5_000, signal }, (part) =>
    bytes.push(part),
  );
  expect([end.kind, Buffer.concat(bytes).toString(), by]).toEqual(["ended", "{}", ["undici"]]);
});

it("waits in close for what is in flight on either, and sends nothing after", async () => {
  const { wire, by, hold } = await begin();
  const held = hold();
  const running = kinds(wire, 20);
  await expect.poll(() => held.length).toBe(20);
  const closing = wire.close();
  expect(await wire.send(GET, BOUNDS)).toEqual({ kind: "not-sent", why: "closed" });
  for (const answer of held) answer();
  expect(await running).toEqual(new Array(20).fill("answer"));
  await closing;
  expect(by.length).toBe(20);
});
