import { describe, expect, test } from "vitest";
import type { WireRequest, WireResponse } from "../../src/contract/wire.ts";
import { openapiDocument } from "../../src/contract/api/openapi.ts";
import { OpenapiJudge } from "../contract/openapi.ts";
import type { Wire } from "../contract/suite/fetch-wire.ts";
import type { Json } from "../contract/suite/world.ts";
import { openSqlite } from "../../src/service/store/sqlite/store.ts";
import { Dice } from "../simulator/dice.ts";
import { compareTraffic, type Side } from "./compare.ts";
import { sideOn } from "./side.ts";

/** Seeded requests of twenty clients, to two services. */

function sideOf(name: string, change: (wire: Wire) => Wire = (wire) => wire): Side {
  const seed = name.length;
  const side = sideOn(name, openSqlite(":memory:", { random: new Dice(seed).bytes }), seed);
  return { ...side, wire: change(side.wire) };
}

const PLAN = { seed: 1, requests: 1_000 };
const SHORT = { ...PLAN, requests: 400 };

test("two services of one store answer alike and as openapi.json says, whatever is asked", async () => {
  const judge = new OpenapiJudge(openapiDocument());
  const judged = sideOf("one", (wire) => judge.watch(wire));
  const { requests, answers, difference } = await compareTraffic(judged, sideOf("other"), PLAN);
  expect(difference).toBe(null);
  expect(judge.differences).toEqual([]);
  expect(judge.judged).toBeGreaterThan(PLAN.requests / 2);
  expect(requests).toBe(PLAN.requests);
  // What is asked is not so odd that it ends at the door.
  const answered = new Set([...answers.keys()].map((route) => route.split(" ").at(-1)));
  expect([...answered].sort()).toEqual(["200", "201", "202", "204", "400", "401", "403", "404", "409", "422"]);
  expect(answers.size).toBeGreaterThan(80);
});

/** The n-th answer that a change knows to make another is made another. */
function changed(n: number, change: (answer: WireResponse, request: WireRequest) => WireResponse | null) {
  let left = n;
  return (wire: Wire): Wire =>
    async (request) => {
      const answer = await wire(request);
      const other = left > 0 ? change(answer, request) : null;
      if (other !== null) left--;
      return other !== null && left === 0 ? other : answer;
    };
}

const inBody = (from: RegExp | string, to: string) => (answer: WireResponse) => {
  const body = answer.body.replace(from, to);
  return body === answer.body ? null : { ...answer, body };
};

const hitsOf =
  (change: (data: Json[]) => Json[]) =>
  (answer: WireResponse, { path }: WireRequest) => {
    const json = path === "/v1/search/hybrid" && answer.status === 200 ? JSON.parse(answer.body) : { data: [] };
    return json.data.length < 2 ? null : { ...answer, body: JSON.stringify({ ...json, data: change(json.data) }) };
  };

describe("a difference is found", () => {
  test.each<[string, (wire: Wire) => Wire]>([
    ["of a status", changed(5, (answer) => (answer.status === 404 ? { ...answer, status: 403 } : null))],
    ["of a path", changed(9, inBody('"path":"/a', '"path":"/A'))],
    ["of a text", changed(3, inBody(/"content":"[^"]/, '"content":"?'))],
    ["of a flag", changed(20, inBody('"protected":false', '"protected":true'))],
    ["of an explanation", changed(7, inBody('"detail":"', '"detail":"So: '))],
    ["of a header", changed(30, (answer) => ({ ...answer, headers: { ...answer.headers, "retry-after": "1" } }))],
    [
      "of an id, which was another's before",
      changed(12, inBody(/"lastChangeId":"chg_\w+"/, '"lastChangeId":"chg_00000000000000"')),
    ],
    ["of a list that ends too soon", changed(1, inBody('"hasMore":true', '"hasMore":false'))],
    [
      "of the rank of what is found",
      changed(
        1,
        hitsOf((data) => data.toReversed()),
      ),
    ],
    [
      "of what is found",
      changed(
        1,
        hitsOf((data) => data.slice(1)),
      ),
    ],
  ])("%s", async (_, change) => {
    const { difference } = await compareTraffic(sideOf("one"), sideOf("other", change), SHORT);
    expect(difference).toMatch(/\none: \d+ .*\nother: \d+ /s);
  });
});
