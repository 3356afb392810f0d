import { describe, expect, it } from "vitest";
import type { WireResult } from "../../src/ports/wire.ts";
import { BatchBench, BOUNDS, echo, get, HeldScript, many, nextTick, post, settle } from "./batch-bench.ts";
import { batching, LIST, listThatTells } from "./scripted-batches.ts";
import { answer, LOST, NOT_SENT, page, problem, type Script } from "./scripted-wire.ts";
import { type Answered, batchAnswer, isBatch } from "./take-batch.ts";

/** A service whose batches all end so; what goes by itself is answered. */
function ending(result: WireResult): Script {
  return (request, n) => {
    if (request.path.includes("?")) return listThatTells();
    return isBatch(request) ? result : echo(request, n);
  };
}

const echoed = (requests: ReturnType<typeof many>) => requests.map(({ path, body }) => answer(200, { path, body }));

describe("how a batch may end", () => {
  it.each([
    ["lost", LOST],
    ["timed out", { ...LOST, timedOut: true } as const],
    ["not sent", NOT_SENT],
    ["too many requests", problem(429, "rate_limited", [], { "retry-after": "7" })],
    ["a key that is refused", problem(401, "unauthenticated")],
    ["a proxy's 502", answer(502, "<html>", { "content-type": "text/html" })],
  ])("%s: so does each", async (_name, end) => {
    for (const make of [get, post]) {
      const bench = await new BatchBench(ending(end)).listed();
      expect(await bench.sendAll(many(3, make))).toEqual([end, end, end]);
      expect(bench.sizes()).toEqual([3]);
    }
  });

  it("each with a status of its own", async () => {
    const own = [
      answer(201, { id: "doc_1" }),
      problem(409, "path_already_exists"),
      problem(429, "rate_limited"),
      answer(204),
    ];
    const bench = await new BatchBench(ending(batchAnswer(own.map((each) => (each as Answered).response)))).listed();
    expect(await bench.sendAll(many(4, post))).toEqual(own);
  });

  it("I08 as an answer that is not understood: each write is lost, and no other batch is sent", async () => {
    const bench = await new BatchBench(ending(batchAnswer([]))).listed();
    const why = "the answer to a batch is not understood: it has too few lines";
    expect(await bench.sendAll(many(3, post))).toEqual(Array(3).fill({ kind: "lost", why }));
    bench.inner.sent.length = 0;
    await bench.sendAll(many(3, post));
    expect(bench.inner.sent).toEqual(many(3, post));
  });

  it("likewise for reads: each is made by itself", async () => {
    const bench = await new BatchBench(ending(batchAnswer([]))).listed();
    expect(await bench.sendAll(many(30))).toEqual(echoed(many(30)));
    expect(bench.inner.sent.slice(1)).toEqual(many(30));
  });

  it("unknown to the service: each is sent by itself, writes too, and no other batch", async () => {
    const bench = await new BatchBench(ending(problem(404, "not_found"))).listed();
    expect(await bench.sendAll(many(3, post))).toEqual(echoed(many(3, post)));
    expect(bench.inner.sent.slice(1)).toEqual(many(3, post));
    bench.inner.sent.length = 0;
    await bench.sendAll(many(3));
    expect(bench.inner.sent).toEqual(many(3));
  });

  it("of those that are sent once more, eight are under way at a time", async () => {
    let [running, most] = [0, 0];
    const bench = await new BatchBench(async (request) => {
      if (request.path.includes("?")) return listThatTells();
      if (isBatch(request)) return problem(405, "method_not_allowed");
      most = Math.max(most, ++running);
      await settle();
      running--;
      return answer(200, {});
    }).listed();
    await bench.sendAll(many(60));
    expect([most, bench.inner.sent.length]).toEqual([8, 61]);
  });

  it("with one answer that is too large: it alone is lost", async () => {
    const script: Script = ({ path }) => answer(200, path === "/v1/files/doc_1" ? "x".repeat(500) : "{}");
    const { wire, inner } = await new BatchBench(batching(script)).listed();
    const results = await Promise.all(many(3).map((each) => wire.send(each, { ...BOUNDS, maxBytes: 400 })));
    expect(results).toEqual([answer(200, {}), { kind: "lost", why: "the answer is too large" }, answer(200, {})]);
    expect(inner.sent).toHaveLength(1);
  });

  it("within the bounds of each", async () => {
    const { wire, inner } = await new BatchBench(batching(echo)).listed();
    const seen: unknown[] = [];
    const send = inner.send.bind(inner);
    inner.send = async (request, ...bounds: unknown[]) => {
      seen.push(...bounds);
      return send(request);
    };
    await Promise.all([1_000, 3_000].map((deadlineMs, n) => wire.send(get(n), { deadlineMs, maxBytes: 5_000 })));
    await Promise.all(many(64).map((each) => wire.send(each, BOUNDS)));
    expect(seen).toEqual([
      { deadlineMs: 1_000, maxBytes: 10_000 },
      { deadlineMs: 30_000, maxBytes: 32 * 1024 * 1024 },
    ]);
  });

  it("with an exception, which each gets", async () => {
    const bench = await new BatchBench(async (request) => {
      if (request.path.includes("?")) return listThatTells();
      throw new Error("killed");
    }).listed();
    const ended = await Promise.allSettled(many(3).map((each) => bench.send(each)));
    expect(ended.map(({ status }) => status)).toEqual(["rejected", "rejected", "rejected"]);
  });

  it("not at all: what was not sent when the wire is closed never is", async () => {
    const held = new HeldScript(batching(echo));
    const bench = await new BatchBench(held.answer).listed();
    const first = bench.sendAll(many(2, post));
    await nextTick();
    const second = bench.sendAll(many(2, post));
    const closing = bench.wire.close();
    const third = bench.sendAll(many(2, post));
    held.release();
    const closed = { kind: "not-sent", why: "closed" };
    expect(await second).toEqual([closed, closed]);
    expect(await third).toEqual([closed, closed]);
    expect((await first).map(({ kind }) => kind)).toEqual(["answer", "answer"]);
    await closing;
    expect(bench.sizes()).toEqual([2]);
  });

  it("and a list that does not tell of batches ends them", async () => {
    let tells = true;
    const bench = await new BatchBench((request, n) => {
      if (request.path.includes("?")) return tells ? listThatTells() : page([]);
      return batching(echo)(request, n);
    }).listed();
    await bench.sendAll(many(3));
    tells = false;
    await bench.send(LIST);
    await bench.sendAll(many(3));
    expect(bench.sizes()).toEqual([3, 1, 1, 1, 1]);
  });
});

describe("what came to nothing in a batch", () => {
  it.each([
    ["lost", LOST],
    ["a proxy's 502", answer(502, "<html>", { "content-type": "text/html" })],
  ])("goes by itself when it is made once more, while others go together: %s (I17)", async (_name, end) => {
    let isBroken = true;
    const bench = await new BatchBench((request, n) => {
      const befallen = isBatch(request) && isBroken;
      return befallen ? end : batching(echo)(request, n);
    }).listed();
    await bench.sendAll(many(3, post));
    isBroken = false;
    bench.inner.sent.length = 0;
    await bench.sendAll(many(6, post));
    expect(bench.sizes().toSorted()).toEqual([1, 1, 1, 3]);
    bench.inner.sent.length = 0;
    await bench.sendAll(many(6, post));
    expect(bench.sizes()).toEqual([6]);
  });
});
