import { expect, onTestFinished, test } from "vitest";
import { SqliteStore } from "../../../src/service/store/sqlite/store.ts";
import type { Tables } from "../../../src/service/store/tables.ts";
import { seeded } from "../fixture.ts";

const HASH = Buffer.alloc(32, 7);
const ALL = { kind: "root", target: 0 } as const;

async function openStore(): Promise<{ readonly store: SqliteStore; readonly key: number }> {
  const store = new SqliteStore(":memory:", { random: seeded("holders") });
  onTestFinished(() => store.close());
  const key = await store.write(async ({ workspaces, keys, grants }) => {
    await workspaces.insert("wsp_1", "notes");
    const given = { id: "key_1", workspaceId: "wsp_1", hash: HASH, label: "a", rateLimit: null };
    const seq = await keys.insert({ ...given, expiresAt: null, at: 0 });
    await grants.replace(seq, [{ ...ALL, level: "full" }]);
    return seq;
  });
  return { store, key };
}

const levels = async ({ holder }: Pick<Tables, "holder">) => (await holder(HASH))?.grants.map(({ level }) => level);
const outside = (store: SqliteStore) => store.read(levels);

test("what a key may see is read once, and again after each write", async () => {
  const { store, key } = await openStore();
  const first = await store.holder(HASH);
  expect(first?.workspace?.state).toBe("open");
  expect(await store.holder(HASH)).toBe(first);
  await store.write(({ grants }) => grants.replace(key, [{ ...ALL, level: "read" }]));
  expect(await outside(store)).toEqual(["read"]);
  await store.write(({ workspaces }) => workspaces.setState("wsp_1", "closed", 5));
  expect((await store.holder(HASH))?.workspace?.state).toBe("closed");
  await store.write(({ settings }) => settings.change({ keepVersionsDays: 3 }));
  expect((await store.holder(HASH))?.settings).toEqual({ rateLimit: null, keepVersionsDays: 3, keepVersions: null });
  await store.write(({ keys }) => keys.remove(key));
  expect(await store.holder(HASH)).toBeUndefined();
});

test("what was read within a transaction does not outlive its end", async () => {
  const { store, key } = await openStore();
  const end = async (tables: Tables) => {
    await tables.grants.replace(key, [{ ...ALL, level: "none" }]);
    expect(await levels(tables)).toEqual(["none"]);
    throw new Error("the end");
  };
  await expect(store.write(end)).rejects.toThrow("the end");
  expect(await outside(store)).toEqual(["full"]);
});
