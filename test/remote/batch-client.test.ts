import { describe, expect, it } from "vitest";
import type { DocId } from "../../src/contract/ids.ts";
import { answer, type Bench, bench, FILE, LOST, page, problem, type Script } from "./scripted-wire.ts";
import { batching, listThatTells } from "./scripted-batches.ts";
import { isBatch, requestsOf } from "./take-batch.ts";

const idOf = (n: number) => `doc_${n}` as DocId;
const read: Script = ({ path }) => answer(200, { ...FILE, id: path.split("/").at(-1), content: "x" });
const made: Script = (_request, n) => answer(201, { ...FILE, id: `doc_${n}` });

class Client {
  readonly bench: Bench;

  constructor(script: Script) {
    this.bench = bench(script);
  }

  getAll(count: number) {
    return Promise.all(Array.from({ length: count }, (_, n) => this.bench.remote.getFile(idOf(n))));
  }

  createAll(count: number) {
    return Promise.all(Array.from({ length: count }, (_, n) => this.bench.remote.createFile(`${n}.md`, "x")));
  }

  /** How many requests each exchange held; of a lone one, its path. */
  exchanges(): (number | string)[] {
    return this.bench.wire.sent.map((one) => (isBatch(one) ? requestsOf(one).length : one.path));
  }
}

/** Of a service that it has listed. */
async function clientOf(script: Script): Promise<Client> {
  const client = new Client(script);
  await client.bench.remote.listFiles({ kind: "none" });
  client.bench.wire.sent.length = 0;
  return client;
}

describe("a client of a service that takes batches", () => {
  it("asks for many in few exchanges, more at a time from one to the next", async () => {
    const client = await clientOf(batching(read));
    const answers = await client.getAll(300);
    expect(answers.every((one) => one.ok)).toBe(true);
    expect(client.exchanges().length).toBeLessThan(12);
    expect(client.exchanges().slice(0, 3)).toEqual([9, 18, 36]);
    expect(client.bench.remote.counts()).toEqual({ GET: 1, POST: client.exchanges().length });
  });

  it("asks for one as ever", async () => {
    const client = await clientOf(batching(read));
    expect(await client.bench.remote.getFile(idOf(7))).toMatchObject({ ok: true, value: { id: "doc_7" } });
    const plain = bench(read);
    await plain.remote.getFile(idOf(7));
    expect(client.bench.wire.sent).toEqual(plain.wire.sent);
  });

  it("I08 lost with its answer, each write is uncertain, and none is sent again", async () => {
    const client = await clientOf((request, n) => (isBatch(request) ? LOST : batching(made)(request, n)));
    const answers = await client.createAll(8);
    expect(answers.map((one) => !one.ok && one.fault.kind)).toEqual(Array(8).fill("uncertain"));
    expect(client.exchanges()).toEqual([8]);
  });

  it("I08 a batch that is not understood, likewise", async () => {
    const client = await clientOf((request, n) =>
      isBatch(request) ? answer(200, "<p>Sign in</p>", { "content-type": "text/html" }) : batching(made)(request, n),
    );
    const answers = await client.createAll(8);
    expect(answers.map((one) => !one.ok && one.fault.kind)).toEqual(Array(8).fill("uncertain"));
    expect(client.exchanges()).toEqual([8]);
  });

  it("asks once more, after the pause, for the one of them that was too much", async () => {
    let refusals = 0;
    const client = await clientOf(
      batching((request, n) =>
        request.path.endsWith("doc_3") && refusals++ === 0
          ? problem(429, "rate_limited", [], { "retry-after": "5" })
          : read(request, n),
      ),
    );
    expect((await client.getAll(8)).every((one) => one.ok)).toBe(true);
    expect(client.exchanges()).toEqual([8, "/v1/files/doc_3"]);
    expect([client.bench.clock.sleeps, client.bench.remote.pressure().refusals]).toEqual([[5_000], 1]);
  });

  it("a batch that is refused for the pace is one sign of too much to do, not one for each", async () => {
    let left = 1;
    const client = await clientOf((request, n) =>
      isBatch(request) && requestsOf(request).length > 20 && left-- > 0
        ? problem(503, "service_unavailable")
        : batching(read)(request, n),
    );
    expect((await client.getAll(400)).every((one) => one.ok)).toBe(true);
    const sizes = client.exchanges().map((one) => (typeof one === "number" ? one : 1));
    const refused = sizes.findIndex((size) => size > 20);
    // Half as many places; one for each call that failed would leave one.
    expect(Math.max(...sizes.slice(refused + 1))).toBeGreaterThan(sizes[refused]! / 3);
  });

  it("goes on by single requests when the service has none any more", async () => {
    const client = await clientOf((request, n) => {
      if (isBatch(request)) return problem(404, "not_found");
      return request.path.includes("?") ? listThatTells() : made(request, n);
    });
    expect((await client.createAll(6)).every((one) => one.ok)).toBe(true);
    expect(client.exchanges()).toEqual([6, ...Array(6).fill("/v1/files")]);
    await client.bench.remote.listFiles({ kind: "none" });
    await client.createAll(3);
    expect(client.exchanges().slice(7)).toEqual(["/v1/files?limit=1000", ...Array(3).fill("/v1/files")]);
  });

  it("sends no batch to a service that lists without saying so", async () => {
    const client = await clientOf((request, n) => (request.path.includes("?") ? page([]) : read(request, n)));
    await client.getAll(40);
    expect(client.exchanges()).toHaveLength(40);
    expect(client.exchanges()).not.toContain("/v1/batch");
  });

  it("closed meanwhile, sends nothing more, and hears out what is under way", async () => {
    const client = await clientOf(batching(made));
    const creating = client.createAll(30);
    const closing = client.bench.remote.close();
    const answers = await creating;
    await closing;
    const sent = client.exchanges().reduce<number>((sum, one) => sum + (typeof one === "number" ? one : 1), 0);
    expect(answers.filter((one) => one.ok)).toHaveLength(sent);
    expect(answers.filter((one) => !one.ok && one.fault.kind !== "later")).toEqual([]);
    expect(sent).toBeLessThan(9);
    expect(client.bench.wire.closed).toBe(true);
  });
});

const ids = (count: number) => Array.from({ length: count }, (_, n) => idOf(n));

function contentsOf(answers: Awaited<ReturnType<Client["bench"]["remote"]["getAllServed"]>>): unknown[] {
  return answers.map((one) => (one.ok ? one.value.content : one.fault.kind));
}

/** A file whose content is the path by which it was read. */
const itself: Script = ({ path }) => answer(200, { ...FILE, id: path.split("/").at(-1), content: path });

describe("reads of several files at one time", () => {
  it("go in as few exchanges as they fit in, each answer in its place", async () => {
    const client = await clientOf(batching(itself));
    expect(contentsOf(await client.bench.remote.getAllServed(ids(150)))).toEqual(
      ids(150).map((id) => `/v1/files/${id}`),
    );
    expect(client.exchanges()).toEqual([64, 64, 22]);
  });

  it("go singly where the service takes no batches, and where what answered was none", async () => {
    const plain = new Client(read);
    expect(contentsOf(await plain.bench.remote.getAllServed(ids(5)))).toEqual(Array(5).fill("x"));
    expect(plain.exchanges()).toEqual(ids(5).map((id) => `/v1/files/${id}`));
    const client = await clientOf((request, n) =>
      isBatch(request) ? answer(200, "<p>Sign in</p>", { "content-type": "text/html" }) : batching(read)(request, n),
    );
    expect(contentsOf(await client.bench.remote.getAllServed(ids(20)))).toEqual(Array(20).fill("x"));
    expect(client.exchanges()).toEqual([20, ...ids(20).map((id) => `/v1/files/${id}`)]);
  });

  it("are made again, each by itself and after the pause, where they were too much or came to nothing", async () => {
    const refusals = new Map<string, number>();
    const client = await clientOf(
      batching((request, n) => {
        const count = (refusals.get(request.path) ?? 0) + 1;
        refusals.set(request.path, count);
        if (request.path.endsWith("doc_3") && count === 1)
          return problem(429, "rate_limited", [], { "retry-after": "5" });
        if (request.path.endsWith("doc_4") && count === 1) return problem(503, "service_unavailable");
        if (request.path.endsWith("doc_5")) return problem(404, "file_not_found");
        return read(request, n);
      }),
    );
    const before = client.bench.clock.monotonic();
    const answers = await client.bench.remote.getAllServed(ids(8));
    expect(contentsOf(answers)).toEqual(["x", "x", "x", "x", "x", "problem", "x", "x"]);
    expect(client.bench.clock.monotonic() - before).toBeGreaterThanOrEqual(5_000);
    expect(client.exchanges()[0]).toBe(8);
  });

  it("that are lost are made again", async () => {
    let lost = 0;
    const client = await clientOf((request, n) =>
      isBatch(request) && lost++ === 0 ? LOST : batching(read)(request, n),
    );
    expect(contentsOf(await client.bench.remote.getAllServed(ids(6)))).toEqual(Array(6).fill("x"));
  });

  it("refuse an id of another form, and the file of another id is no answer", async () => {
    const client = await clientOf(batching(() => answer(200, { ...FILE, id: "doc_7", content: "x" })));
    expect(() => client.bench.remote.getAllServed(["../x" as DocId])).toThrow("not of the form");
    expect(contentsOf(await client.bench.remote.getAllServed([idOf(7), idOf(8)]))).toEqual(["x", "later"]);
  });
});
