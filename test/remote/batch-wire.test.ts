import { describe, expect, it } from "vitest";
import { BATCH_TYPE, PACKED_BATCH_TYPE } from "../../src/contract/batch.ts";
import type { WireResult } from "../../src/ports/wire.ts";
import { BatchBench, echo, get, HeldScript, many, nextTick, post, settle } from "./batch-bench.ts";
import { batching } from "./scripted-batches.ts";
import { answer } from "./scripted-wire.ts";
import { requestsOf } from "./take-batch.ts";

describe("what goes out together", () => {
  it("nothing, on a service that did not say that it takes batches", async () => {
    const bench = new BatchBench(echo);
    await bench.sendAll(many(70));
    expect(bench.inner.sent).toEqual(many(70));
  });

  it("the requests of one turn, and each gets its own answer", async () => {
    const bench = await new BatchBench(batching(echo)).listed();
    const results = await bench.sendAll(many(5));
    expect(bench.inner.sent).toHaveLength(1);
    const [sent] = bench.inner.sent;
    expect(sent).toMatchObject({ method: "POST", path: "/v1/batch" });
    expect(sent!.headers).toEqual({
      authorization: "Bearer k",
      accept: `${PACKED_BATCH_TYPE}, ${BATCH_TYPE}, application/json`,
      "content-type": BATCH_TYPE,
    });
    expect(requestsOf(sent!).map(({ method, path, body }) => ({ method, path, body }))).toEqual(
      many(5).map(({ method, path, body }) => ({ method, path, body })),
    );
    expect(results).toEqual(many(5).map(({ path, body }) => answer(200, { path, body })));
  });

  it("also those that promises of one turn bring one after the other", async () => {
    const bench = await new BatchBench(batching(echo)).listed();
    await Promise.all(
      many(20).map(async (request, n) => {
        for (let turn = 0; turn < n; turn++) await null;
        return bench.send(request);
      }),
    );
    expect(bench.sizes()).toEqual([20]);
  });

  it("not one that is alone: it goes out as it is, in the same turn, and waits for no time", async () => {
    const bench = await new BatchBench(batching(echo)).listed();
    const sending = bench.send(post(1));
    let isTurned = false;
    setImmediate(() => {
      isTurned = true;
    });
    await sending;
    expect(isTurned).toBe(false);
    expect(bench.inner.sent).toEqual([post(1)]);
    expect(bench.clock.sleeps).toEqual([]);
  });

  it("reads with reads, writes with writes", async () => {
    const bench = await new BatchBench(batching(echo)).listed();
    const put = { ...post(3), method: "PUT", path: "/v1/files/doc_3/content" };
    const folder = { ...post(4), path: "/v1/folders" };
    const patch = { ...post(5), method: "PATCH", path: "/v1/folders/dir_5" };
    const gone = { ...get(6), method: "DELETE" };
    await bench.sendAll([get(1), post(2), put, get(2), folder, patch, gone]);
    expect(bench.inner.sent.map((each) => requestsOf(each).map(({ method }) => method))).toEqual([
      ["GET", "GET"],
      ["POST", "PUT", "POST", "PATCH", "DELETE"],
    ]);
  });

  it("no list, no search, nothing with a query, and no body of several lines", async () => {
    const bench = await new BatchBench(batching(echo)).listed();
    const others = [
      { ...get(1), path: "/v1/folders?limit=5" },
      { ...get(1), path: "/v1/folders" },
      { ...post(1), path: "/v1/search/hybrid" },
      { ...get(1), path: "/auth/validate-key" },
      { ...get(1), path: "/v1/files/doc_1?x=1" },
      { ...get(1), path: "/v1/files/doc_1/content/x" },
      { ...post(1), body: '{\n"path": "a.md"}' },
    ];
    await bench.sendAll(others);
    expect(bench.inner.sent).toEqual(others);
  });

  it("as many as the service takes", async () => {
    const bench = await new BatchBench(batching(echo, 10)).listed();
    await bench.sendAll(many(25));
    expect(bench.sizes()).toEqual([10, 10, 5]);
  });

  it.each([
    ["half a megabyte", "x", 50_000, [10, 10, 5]],
    ["half a megabyte in bytes", "界", 50_000, [3, 3, 3, 3, 3, 3, 3, 3, 1]],
  ])("not more text than %s", async (_name, unit, length, sizes) => {
    const bench = await new BatchBench(batching(() => answer(201, {}))).listed();
    await bench.sendAll(many(25, (n) => post(n, unit.repeat(length))));
    expect(bench.sizes()).toEqual(sizes);
  });

  it("fewer reads, where texts are long", async () => {
    const text = answer(200, { content: "x".repeat(50_000) });
    const bench = await new BatchBench(batching(() => text)).listed();
    for (let n = 0; n < 6; n++) await bench.sendAll(many(20));
    expect(bench.sizes()[0]).toBe(20);
    expect(bench.sizes().at(-2)).toBeLessThan(13);
    expect(bench.sizes().at(-2)).toBeGreaterThan(8);
  });

  it("below the base path, of which the service behind it knows nothing", async () => {
    const bench = await new BatchBench(batching(echo), "/notes").listed();
    await bench.sendAll(many(2).map((each) => ({ ...each, path: `/notes${each.path}` })));
    expect(bench.inner.sent.map(({ path }) => path)).toEqual(["/notes/v1/batch"]);
    expect(requestsOf(bench.inner.sent[0]!).map(({ path }) => path)).toEqual(["/v1/files/doc_0", "/v1/files/doc_1"]);
  });
});

describe("what comes while exchanges are under way", () => {
  it("waits for one to end if it would fill no batch, and goes out with what comes then", async () => {
    const held = new HeldScript(batching(echo));
    const bench = await new BatchBench(held.answer).listed();
    const first = bench.sendAll(many(2));
    await nextTick();
    const rest: Promise<WireResult>[] = [];
    for (let n = 0; n < 3; n++) rest.push(bench.send(get(10 + n)));
    await nextTick();
    expect(bench.sizes()).toEqual([2]);
    held.release();
    await first;
    await settle();
    held.release();
    await Promise.all(rest);
    expect(bench.sizes()).toEqual([2, 3]);
  });

  it("goes out at once if it fills a batch, four of which are under way at most", async () => {
    const held = new HeldScript(batching(echo));
    const bench = await new BatchBench(held.answer).listed();
    const all = bench.sendAll(many(400));
    await nextTick();
    expect(bench.sizes()).toEqual([64, 64, 64, 64]);
    while (bench.sizes().length < 7) {
      held.release();
      await settle();
    }
    while (held.waiting > 0) held.release();
    await all;
    expect(bench.sizes()).toEqual([64, 64, 64, 64, 64, 64, 16]);
  });

  it("does not wait for reads if it writes", async () => {
    const held = new HeldScript(batching(echo));
    const bench = await new BatchBench(held.answer).listed();
    const both = [bench.send(get(1)), bench.send(post(2))];
    await nextTick();
    expect(bench.sizes()).toEqual([1, 1]);
    while (held.waiting > 0) held.release();
    await Promise.all(both);
  });

  it("goes out all the same when the service is silent for a quarter of a second", async () => {
    const held = new HeldScript(batching(echo));
    const bench = await new BatchBench(held.answer).listed();
    const first = bench.send(post(1));
    await nextTick();
    const second = bench.send(post(2));
    while (bench.sizes().length < 2) await settle();
    expect([bench.sizes(), bench.clock.monotonic()]).toEqual([[1, 1], 250]);
    while (held.waiting > 0) held.release();
    await Promise.all([first, second]);
  });
});
