import { expect, test } from "vitest";
import type { WireResult } from "../../src/common/wire.ts";
import { ExchangeTally, countingWire } from "../../src/mirror/remote/tally.ts";

const answer = (status: number): WireResult => ({ kind: "answer", response: { status, headers: {}, body: "" } });

test("exchanges are counted by how they ended, and pass as they are", async () => {
  const results: WireResult[] = [
    ...[200, 201, 204, 302, 404, 409, 429, 500, 503, 700].map(answer),
    { kind: "lost", why: "cut" },
    { kind: "not-sent", why: "refused" },
  ];
  const left = [...results];
  const tally = new ExchangeTally();
  const wire = countingWire({ send: async () => left.shift()!, close: async () => undefined }, tally);
  const request = { method: "GET", path: "/", headers: {}, body: null };
  expect(tally.counts()).toEqual({});
  for (const result of results) expect(await wire.send(request, { deadlineMs: 1, maxBytes: 1 })).toBe(result);
  expect(tally.counts()).toEqual({
    "2xx": 3,
    "3xx": 1,
    "4xx": 2,
    "429": 1,
    "5xx": 2,
    other: 1,
    lost: 1,
    "not-sent": 1,
  });
});
