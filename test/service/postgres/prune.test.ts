import { describe, expect, it } from "vitest";
import { whyNoPostgres } from "../../postgres/database.ts";
import { makeFile, useSharedDatabase } from "./fixture.ts";

const openStore = useSharedDatabase();

describe.skipIf(whyNoPostgres !== null)("texts of old versions", () => {
  it.each([
    ["by age", { before: 25, keep: null }, [null, null, "2", "3"]],
    ["by count", { before: null, keep: 3 }, [null, "1", "2", "3"]],
    ["by both", { before: 15, keep: 3 }, [null, "1", "2", "3"]],
    ["by neither", { before: null, keep: null }, ["of a.md\n", "1", "2", "3"]],
  ] as const)("are pruned %s", async (_name, limits, left) => {
    const { store, workspace } = await openStore();
    const id = await store.write((tables) => makeFile(tables, workspace, "a.md"));
    for (const n of [1, 2, 3]) {
      await store.write(async ({ files }) => {
        const row = (await files.byId(workspace, id))!;
        await files.save(row, { id: `chg_${n}-of-${id}`, text: String(n), at: n * 10, key: null });
      });
    }
    await store.write(({ changes }) => changes.prune(0, 1_000, limits));
    const kept = await store.read(async ({ files, changes }) => {
      const { seq } = (await files.byId(workspace, id))!;
      const history = await changes.ofFile(seq, Number.MAX_SAFE_INTEGER, 9);
      return Promise.all(history.toReversed().map(async (change) => (await changes.base(change.id, seq))!.text));
    });
    expect(kept).toEqual(left);
  });
});
