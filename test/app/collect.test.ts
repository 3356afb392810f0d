import { expect, test } from "vitest";
import { collectAtRest } from "../../src/app/daemon/collect.ts";

test("what a run let go is collected, though nothing else is allocated", async () => {
  const letGo = collectAtRest();
  const { promise: collected, resolve } = Promise.withResolvers<string>();
  const registry = new FinalizationRegistry(resolve);
  registry.register({ tree: Array.from({ length: 1_000 }, (_, n) => `note-${n}.md`) }, "the tree");
  letGo();
  letGo();
  await expect(collected).resolves.toBe("the tree");
});
