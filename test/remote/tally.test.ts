import { expect, test } from "vitest";
import type { WireResult } from "../../src/common/wire.ts";
import { ExchangeTally } from "../../src/mirror/remote/tally.ts";

const answer = (status: number): WireResult => ({ kind: "answer", response: { status, headers: {}, body: "" } });

test("exchanges are counted by how they ended", () => {
  const results: WireResult[] = [
    ...[200, 201, 204, 302, 404, 409, 429, 500, 503, 700].map(answer),
    { kind: "lost", why: "cut" },
    { kind: "not-sent", why: "refused" },
  ];
  const tally = new ExchangeTally();
  expect(tally.counts()).toEqual({});
  for (const result of results) tally.note(result);
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
