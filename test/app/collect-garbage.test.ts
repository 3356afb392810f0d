import { expect, test } from "vitest";
import { GarbageCollection } from "../../src/app/daemon/collect-garbage.ts";

test("what a run let go is collected, though nothing else is allocated", async () => {
  const garbage = new GarbageCollection();
  const { promise: collected, resolve } = Promise.withResolvers<string>();
  const registry = new FinalizationRegistry(resolve);
  registry.register({ tree: Array.from({ length: 1_000 }, (_, n) => `note-${n}.md`) }, "the tree");
  garbage.schedule();
  garbage.schedule();
  await expect(collected).resolves.toBe("the tree");
});
