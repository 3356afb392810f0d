import { describe, expect, it } from "vitest";
import type { ChangeId, DirId, DocId } from "../../src/contract/ids.ts";
import type { WireRequest } from "../../src/contract/wire.ts";
import type { WireResult } from "../../src/common/wire.ts";
import { type ApiReply, readRetryAfterMs } from "../../src/mirror/remote/reply.ts";
import { isCongested, RETRY } from "../../src/mirror/remote/retry.ts";
import { CallQueue, CONCURRENCY } from "../../src/mirror/remote/queue.ts";
import { answer, bench, FILE, LOST, NOT_SENT, page, problem } from "./scripted-wire.ts";
import { VirtualClock } from "../clocks.ts";

const DOC = "doc_1" as DocId;
const BASE = "chg_1" as ChangeId;
const GOOD = answer(200, { ...FILE, content: "text" });
const unavailable = (retryAfter?: string): WireResult =>
  problem(503, "service_unavailable", [], retryAfter === undefined ? {} : { "retry-after": retryAfter });
const limited = (retryAfter?: string): WireResult =>
  problem(429, "rate_limited", [], retryAfter === undefined ? {} : { "retry-after": retryAfter });

describe("a read", () => {
  it.each([
    ["503 with Retry-After", unavailable("7"), [7_000, 7_000]],
    ["503 with a date", unavailable("Thu, 01 Jan 2026 00:00:10 GMT"), [10_000, 0]],
    ["503 without: backoff with jitter", unavailable(), [500, 1_000]],
    ["503 as HTML", answer(503, "<html>", { "retry-after": "3" }), [3_000, 3_000]],
    ["500", problem(500, "internal_error"), [500, 1_000]],
    ["502", answer(502, "<html>"), [500, 1_000]],
    ["a lost connection", LOST, [500, 1_000]],
    ["a refused connection", NOT_SENT, [500, 1_000]],
    ["429 with Retry-After", limited("5"), [5_000, 5_000]],
    ["429 without", limited(), [1_000, 1_000]],
  ])("is sent again after %s", async (_name, result, sleeps) => {
    const { remote, wire, clock } = bench([result, result, GOOD]);
    expect(await remote.getFile(DOC)).toMatchObject({ ok: true, value: { content: "text" } });
    expect(wire.sent.length).toBe(3);
    expect(clock.sleeps).toEqual(sleeps);
  });

  it("is a fault of that document alone after an answer that cannot be read", async () => {
    const response = { status: 200, headers: {}, body: "" };
    const large: WireResult = { kind: "unreadable", response, why: "the answer is too large" };
    const { remote, wire } = bench([large]);
    const fault = { kind: "later", cause: "malformed", detail: "the answer is too large" };
    expect(await remote.getFile(DOC)).toMatchObject({ ok: false, fault });
    expect(wire.sent.length).toBe(1);
  });

  it("has full jitter: the wait is the random fraction of the backoff, and bounded", async () => {
    for (const [fraction, first] of [
      [0, 0],
      [0.25, 250],
      [0.99, 990],
    ] as const) {
      const { remote, clock } = bench([LOST, GOOD], { fraction });
      await remote.getFile(DOC);
      expect(clock.sleeps).toEqual([first]);
    }
  });

  it.each([
    ["lost", LOST, RETRY.attempts],
    ["503", unavailable(), RETRY.attempts],
    ["500", problem(500, "internal_error"), RETRY.attemptsOnFailure],
    ["429", limited(), RETRY.attempts],
    ["404", problem(404, "file_not_found"), 1],
    ["400", problem(400, "invalid_request"), 1],
    ["401", problem(401, "unauthenticated"), 1],
    ["HTML", answer(200, "<html>"), 1],
    ["a redirect", answer(302), 1],
  ])("that is always answered %s is sent %d times at most", async (_name, result, times) => {
    const { remote, wire } = bench([result]);
    expect((await remote.getFile(DOC)).ok).toBe(false);
    expect(wire.sent.length).toBe(times);
  });

  it("does not wait longer than its total time", async () => {
    const { remote, wire, clock } = bench([unavailable("600"), GOOD]);
    expect(await remote.getFile(DOC)).toMatchObject({ ok: false, fault: { kind: "later", cause: "unavailable" } });
    expect([wire.sent.length, clock.sleeps]).toEqual([1, []]);
    const patient = bench([unavailable("50")]);
    expect((await patient.remote.getFile(DOC)).ok).toBe(false);
    expect(patient.clock.sleeps).toEqual([50_000, 50_000]);
  });
});

describe("a write", () => {
  const WRITES = [
    ["createFile", (b: ReturnType<typeof bench>) => b.remote.createFile("a.md", "x")],
    ["putContent", (b: ReturnType<typeof bench>) => b.remote.putContent(DOC, BASE, "x")],
    ["renameFile", (b: ReturnType<typeof bench>) => b.remote.renameFile(DOC, "b.md")],
    ["moveFile", (b: ReturnType<typeof bench>) => b.remote.moveFile(DOC, { kind: "folder", id: "dir_1" as DirId })],
    ["setProtected", (b: ReturnType<typeof bench>) => b.remote.setProtected(DOC, true)],
    ["deleteFile", (b: ReturnType<typeof bench>) => b.remote.deleteFile(DOC)],
    ["createFolder", (b: ReturnType<typeof bench>) => b.remote.createFolder("a")],
    ["renameFolder", (b: ReturnType<typeof bench>) => b.remote.renameFolder("dir_1" as DirId, "b")],
    ["moveFolder", (b: ReturnType<typeof bench>) => b.remote.moveFolder("dir_1" as DirId, { kind: "root" })],
    ["deleteFolder", (b: ReturnType<typeof bench>) => b.remote.deleteFolder("dir_1" as DirId)],
  ] as const;

  it.each(WRITES)("%s is never sent again once it may have happened (I08)", async (_name, write) => {
    for (const result of [LOST, unavailable("1"), problem(500, "internal_error"), answer(200, "<html>"), answer(302)]) {
      const b = bench([result]);
      expect(await write(b)).toMatchObject({ ok: false, fault: { kind: "uncertain" } });
      expect(b.wire.sent.length).toBe(1);
    }
  });

  it.each(WRITES)("%s is never sent again after a 4xx (I08)", async (_name, write) => {
    for (const result of [
      problem(400, "invalid_request"),
      problem(403, "forbidden"),
      problem(409, "odd"),
      limited("1"),
    ]) {
      const b = bench([result]);
      expect((await write(b)).ok).toBe(false);
      expect(b.wire.sent.length).toBe(1);
    }
  });

  it.each(WRITES)("%s is sent again if it was certainly not sent, and is `later` in the end", async (_name, write) => {
    const b = bench([NOT_SENT]);
    expect(await write(b)).toMatchObject({ ok: false, fault: { kind: "later", cause: "unreachable" } });
    expect(b.wire.sent.length).toBe(RETRY.attempts);
    const lostAfter = bench([NOT_SENT, LOST]);
    expect(await write(lostAfter)).toMatchObject({ ok: false, fault: { kind: "uncertain" } });
    expect(lostAfter.wire.sent.length).toBe(2);
  });
});

const FROM = { url: "", contentType: "" };
const SERVICE_SAYS = {
  detail: "",
  summary: "",
  requestId: null,
  pointers: [],
  retryAfterMs: null,
  from: FROM,
} as const;

it.each<readonly [string, boolean, ApiReply]>([
  ["503", true, { ...SERVICE_SAYS, kind: "problem", status: 503, code: "service_unavailable" }],
  ["429", true, { ...SERVICE_SAYS, kind: "problem", status: 429, code: "rate_limited" }],
  ["a 503 of a proxy", true, { ...SERVICE_SAYS, kind: "unreadable", status: 503 }],
  ["a lost answer", true, { kind: "no-answer", sent: true, timedOut: false, detail: "" }],
  ["a deadline in the queue", true, { kind: "no-answer", sent: false, timedOut: true, detail: "" }],
  ["a refused connection", false, { kind: "no-answer", sent: false, timedOut: false, detail: "" }],
  ["500", false, { ...SERVICE_SAYS, kind: "problem", status: 500, code: "internal_error" }],
  ["404", false, { ...SERVICE_SAYS, kind: "problem", status: 404, code: "file_not_found" }],
  ["a value", false, { kind: "success", status: 200, value: {}, requestId: null, from: FROM }],
])("%s as a sign of too much load: %s", (_name, congested, reply) => {
  expect(isCongested(reply)).toBe(congested);
});

describe("a rate limit", () => {
  it("pauses every call for Retry-After", async () => {
    const at: number[] = [];
    const b = bench((_request, n) => {
      at.push(b.clock.monotonic());
      return n === 1 ? limited("20") : GOOD;
    });
    await b.remote.putContent(DOC, BASE, "x");
    const results = await Promise.all(Array.from({ length: 20 }, () => b.remote.getFile(DOC)));
    expect(results.every((result) => result.ok)).toBe(true);
    expect(at.slice(1)).toEqual(Array.from({ length: 20 }, () => 20_000));
  });

  it("that asks for more than a minute is reported immediately, to every call, without sending", async () => {
    const { remote, wire, clock } = bench([limited("3600")]);
    const first = await remote.getFile(DOC);
    const rest = await Promise.all(Array.from({ length: 50 }, () => remote.getFile(DOC)));
    for (const result of [first, ...rest]) {
      expect(result).toMatchObject({ ok: false, fault: { kind: "later", cause: "rate-limited" } });
    }
    expect(await remote.deleteFile(DOC)).toMatchObject({ ok: false, fault: { kind: "later", cause: "rate-limited" } });
    expect([wire.sent.length, clock.sleeps]).toEqual([1, []]);
  });
});

describe("close", () => {
  it("waits for what is in flight, ends the waits for retries, and refuses new calls", async () => {
    let release: (result: WireResult) => void = () => undefined;
    const script = (request: WireRequest) => {
      if (request.path !== "/v1/files/doc_1") return unavailable("60");
      return new Promise<WireResult>((resolve) => {
        release = resolve;
      });
    };
    const b = bench(script, { clock: new VirtualClock(true) });
    const reading = b.remote.getFile(DOC);
    const retrying = b.remote.getFile("doc_2" as DocId);
    await new Promise(setImmediate);
    expect(b.clock.sleeps).toEqual([60_000]);
    const closing = b.remote.close();
    expect(b.wire.closed).toBe(false);
    release(GOOD);
    expect((await reading).ok).toBe(true);
    expect(await retrying).toMatchObject({ ok: false, fault: { kind: "later" } });
    await closing;
    expect(b.wire.closed).toBe(true);
    const sent = b.wire.sent.length;
    expect(await b.remote.listFiles({ kind: "none" })).toMatchObject({ complete: false, fault: { kind: "later" } });
    expect(await b.remote.deleteFile(DOC)).toMatchObject({ ok: false, fault: { kind: "later" } });
    expect(b.wire.sent.length).toBe(sent);
  });
});

it("a page that cannot be read is requested again", async () => {
  const large: WireResult = { kind: "unreadable", response: { status: 200, headers: {}, body: "" }, why: "too large" };
  const { remote, wire } = bench([large, page([FILE])]);
  expect(await remote.listFiles({ kind: "none" })).toMatchObject({ complete: true, items: [{ id: FILE.id }] });
  expect(wire.sent.length).toBe(2);
});

it("a listing retries each page by itself", async () => {
  const { remote, wire } = bench([page([FILE], "c1"), LOST, LOST, page([{ ...FILE, id: "doc_2" }])]);
  const listing = await remote.listFiles({ kind: "none" });
  expect([listing.complete, listing.items.length, wire.sent.length]).toEqual([true, 2, 4]);
});

const NOW = Date.UTC(2026, 6, 1, 12, 0, 0);

describe("retryAfterMs", () => {
  it.each([
    ["seconds", "120", undefined, 120_000],
    ["zero seconds", "0", undefined, 0],
    ["a date, by our clock where the answer has none", "Wed, 01 Jul 2026 12:00:30 GMT", undefined, 30_000],
    [
      "a date, by the clock that made it (I29)",
      "Thu, 01 Jan 1970 00:01:00 GMT",
      "Thu, 01 Jan 1970 00:00:20 GMT",
      40_000,
    ],
    ["a date that is past", "Wed, 01 Jul 2026 11:00:00 GMT", undefined, 0],
    ["no header", undefined, undefined, null],
    ["an empty header", "", undefined, null],
    ["a fraction", "1.5", undefined, null],
    ["a negative number", "-3", undefined, null],
    ["words", "soon", undefined, null],
    ["what Date.parse would take", "2027", undefined, 2_027_000],
    ["a date of another form", "2026-07-01T12:00:30Z", undefined, null],
    ["a number past all sense", "99999999999999999999", undefined, null],
  ])("reads %s", (_name, header, date, expected) => {
    expect(readRetryAfterMs(header, date, NOW)).toBe(expected);
  });
});

const never = new AbortController().signal;

/**
 * Runs `n` concurrent calls of one second each. If `bad`, each reports a congested service. Returns
 * the maximum number of calls that ran at the same time.
 */
async function load(queue: CallQueue, n: number, clock: VirtualClock, bad = false) {
  let running = 0;
  let most = 0;
  const one = async (): Promise<boolean> => {
    most = Math.max(most, ++running);
    await clock.sleep(1_000);
    running--;
    return bad;
  };
  await Promise.all(Array.from({ length: n }, () => queue.run(one, (value) => value)));
  return most;
}

describe("the queue", () => {
  it("starts with 8 at a time and never runs more than 32", async () => {
    const clock = new VirtualClock();
    const queue = new CallQueue(clock, never);
    expect(await load(queue, 8, clock)).toBe(8);
    expect(await load(queue, 500, clock)).toBe(32);
    expect(queue.concurrency()).toBe(CONCURRENCY.most);
  });

  it("halves once for one overload, however many calls it fails, and never goes below 1", async () => {
    const clock = new VirtualClock();
    const queue = new CallQueue(clock, never);
    await load(queue, 100, clock);
    expect(queue.concurrency()).toBe(32);
    await load(queue, 32, clock, true);
    expect(queue.concurrency()).toBe(16);
    for (let i = 0; i < 10; i++) await load(queue, 1, clock, true);
    expect(queue.concurrency()).toBe(1);
  });

  it("grows slowly after an overload: one more for each round", async () => {
    const clock = new VirtualClock();
    const queue = new CallQueue(clock, never);
    await load(queue, 8, clock, true);
    expect(queue.concurrency()).toBe(4);
    await load(queue, 4, clock);
    expect(queue.concurrency()).toBe(5);
    await load(queue, 4, clock);
    expect(queue.concurrency()).toBe(5);
    await load(queue, 1, clock);
    expect(queue.concurrency()).toBe(6);
  });
});
