import { fc } from "../property.ts";
import { expect, test } from "vitest";
import type { Hold } from "../../src/mirror/model/link.ts";
import { changesSeen } from "./changes.ts";
import { holdOf, memoryState, openIn, tempFolder } from "./fixture.ts";

const someHold: fc.Arbitrary<Hold> = fc
  .record({
    key: fc.constantFrom("doc_a", "doc_b", "c.md"),
    path: fc.constantFrom("x.md", "y.md"),
    reason: fc.constantFrom("refused" as const, "read-only" as const),
    detail: fc.constantFrom("one", "two"),
    code: fc.constantFrom(null, "forbidden"),
    since: fc.integer({ min: 0, max: 9 }),
  })
  .map((some) => holdOf(some.key, some));

test("replaceHolds leaves exactly the holds given, the age of those that were there with reason and detail", () => {
  fc.assert(
    fc.property(fc.array(fc.array(someHold)), (rounds) => {
      const state = openIn(":memory:");
      let model = new Map<string, Hold>();
      for (const holds of rounds) {
        state.replaceHolds(holds);
        const next = new Map<string, Hold>();
        for (const hold of new Map(holds.map((one) => [one.key, one])).values()) {
          const known = model.get(hold.key);
          const isSame = known !== undefined && known.reason === hold.reason && known.detail === hold.detail;
          next.set(hold.key, isSame ? { ...hold, since: known.since } : hold);
        }
        model = next;
        expect(state.load().holds).toEqual(model);
      }
      state.close();
    }),
    { numRuns: 60 },
  );
});

test("I02 replaceHolds writes nothing when they are the same but for their age", () => {
  const folder = tempFolder();
  const state = openIn(folder);
  const holds = [holdOf("doc_a"), holdOf("b.md", { digest: null, changeId: null })];
  state.replaceHolds(holds);
  const before = changesSeen(folder);
  state.replaceHolds(holds.map((hold) => ({ ...hold, since: 99 })).reverse());
  expect(before.moved()).toBe(false);
  state.replaceHolds(holds.slice(1));
  expect(before.moved(), "the probe sees a write").toBe(true);
  before.close();
});

test("I22 holds survive a restart", () => {
  const folder = tempFolder();
  const state = openIn(folder);
  state.replaceHolds([holdOf("doc_a")]);
  state.close();
  const again = openIn(folder);
  expect(again.load().holds.get("doc_a")).toEqual(holdOf("doc_a"));
});

test("removing a hold leaves the others", () => {
  const state = memoryState();
  state.replaceHolds([holdOf("doc_a"), holdOf("doc_b")]);
  state.removeHold("doc_a");
  expect([...state.load().holds.keys()]).toEqual(["doc_b"]);
});
