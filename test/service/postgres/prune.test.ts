import { describe, expect, it } from "vitest";
import type { Tables } from "../../../src/service/store/tables.ts";
import { whyNoPostgres } from "../../postgres/database.ts";
import { useSharedDatabase } from "./fixture.ts";

const openStore = useSharedDatabase();

describe.skipIf(whyNoPostgres !== null)("texts of old versions", () => {
  it.each([
    ["by age", { before: 25, keep: null }, [null, null, "2", "3"]],
    ["by count", { before: null, keep: 3 }, [null, "1", "2", "3"]],
    ["by both", { before: 15, keep: 3 }, [null, "1", "2", "3"]],
    ["by neither", { before: null, keep: null }, ["0", "1", "2", "3"]],
  ] as const)("are pruned %s", async (name, limits, left) => {
    const { store, workspace } = await openStore();
    const change = (n: number) => `chg_${name.replace(" ", "")}${n}`;
    const rowOf = async ({ files }: Tables) => (await files.byName(workspace, 0, "a.md"))!;
    const first = {
      workspace,
      id: `doc_${name}`,
      folder: { seq: 0, path: "" },
      name: "a.md",
      changeId: change(0),
      text: "0",
      at: 0,
    };
    await store.write(({ files }) => files.insert(first));
    for (const n of [1, 2, 3]) {
      await store.write(async (tables) => {
        await tables.files.save(await rowOf(tables), { id: change(n), text: String(n), at: n * 10, key: null });
      });
    }
    await store.write(({ changes }) => changes.prune(0, 1_000, limits));
    const kept = await store.read(async (tables) => {
      const { seq } = await rowOf(tables);
      const texts = [];
      for (const n of [0, 1, 2, 3]) texts.push((await tables.changes.base(change(n), seq))!.text);
      return texts;
    });
    expect(kept).toEqual(left);
  });
});
