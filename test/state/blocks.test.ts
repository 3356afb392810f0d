import { fc } from "../property.ts";
import { expect, test } from "vitest";
import type { Block } from "../../src/mirror/model/link.ts";
import { changesSeen } from "./changes.ts";
import { blockOf, memoryState, openIn, tempFolder } from "./fixture.ts";

const someBlock: fc.Arbitrary<Block> = fc
  .record({
    key: fc.constantFrom("doc_a", "doc_b", "c.md"),
    path: fc.constantFrom("x.md", "y.md"),
    reason: fc.constantFrom("refused" as const, "read-only" as const),
    detail: fc.constantFrom("one", "two"),
    code: fc.constantFrom(null, "forbidden"),
    since: fc.integer({ min: 0, max: 9 }),
  })
  .map((some) => blockOf(some.key, some));

test("replaceBlocks leaves exactly the given blocks, and keeps the age of those with equal reason and detail", () => {
  fc.assert(
    fc.property(fc.array(fc.array(someBlock)), (rounds) => {
      const state = openIn(":memory:");
      let model = new Map<string, Block>();
      for (const blocks of rounds) {
        state.replaceBlocks(blocks);
        const next = new Map<string, Block>();
        for (const block of new Map(blocks.map((one) => [one.key, one])).values()) {
          const known = model.get(block.key);
          const isSame = known !== undefined && known.reason === block.reason && known.detail === block.detail;
          next.set(block.key, isSame ? { ...block, since: known.since } : block);
        }
        model = next;
        expect(state.load().blocks).toEqual(model);
      }
      state.close();
    }),
    { numRuns: 30 },
  );
});

test("I02 replaceHolds writes nothing when they are the same but for their age", () => {
  const folder = tempFolder();
  const state = openIn(folder);
  const blocks = [blockOf("doc_a"), blockOf("b.md", { digest: null, changeId: null })];
  state.replaceBlocks(blocks);
  const before = changesSeen(folder);
  state.replaceBlocks(blocks.map((block) => ({ ...block, since: 99 })).reverse());
  expect(before.moved()).toBe(false);
  state.replaceBlocks(blocks.slice(1));
  expect(before.moved(), "the probe sees a write").toBe(true);
  before.close();
});

test("removing a block leaves the others", () => {
  const state = memoryState();
  state.replaceBlocks([blockOf("doc_a"), blockOf("doc_b")]);
  state.removeBlock("doc_a");
  expect([...state.load().blocks.keys()]).toEqual(["doc_b"]);
});
