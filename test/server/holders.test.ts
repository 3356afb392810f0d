import { expect, onTestFinished, test } from "vitest";
import { Store } from "../../src/server/store.ts";
import { seeded } from "./fixture.ts";

const HASH = Buffer.alloc(32, 7);

function openStore(): { readonly store: Store; readonly key: number } {
  const store = new Store(":memory:", seeded("holders"));
  onTestFinished(() => store.close());
  store.workspaces.insert("wsp_1", "notes");
  const given = { id: "key_1", workspaceId: "wsp_1", hash: HASH, label: "a", rateRequests: null, rateSeconds: null };
  const key = store.keys.insert({ ...given, expiresAt: null, at: 0 });
  store.keys.setGrants(key, [{ kind: "root", target: 0, level: "full" }]);
  return { store, key };
}

const levels = (store: Store) => store.holders.byHash(HASH)?.grants.map(({ level }) => level);

test("what a key may see is read once, and again after each write", () => {
  const { store, key } = openStore();
  const first = store.holders.byHash(HASH);
  expect(first?.workspace?.state).toBe("open");
  expect(store.holders.byHash(HASH)).toBe(first);
  store.keys.setGrants(key, [{ kind: "root", target: 0, level: "read" }]);
  expect(levels(store)).toEqual(["read"]);
  store.workspaces.setState("wsp_1", "closed", 5);
  expect(store.holders.byHash(HASH)?.workspace?.state).toBe("closed");
  store.keys.remove(key);
  expect(store.holders.byHash(HASH)).toBeUndefined();
});

test("what was read within a transaction does not outlive its end", () => {
  const { store, key } = openStore();
  const end = () => {
    store.keys.setGrants(key, [{ kind: "root", target: 0, level: "none" }]);
    expect(levels(store)).toEqual(["none"]);
    throw new Error("the end");
  };
  expect(() => store.transact(end)).toThrow("the end");
  expect(levels(store)).toEqual(["full"]);
  store.transact(
    () => expect(() => store.transact(end)).toThrow("the end"),
    () => true,
  );
  expect(levels(store)).toEqual(["full"]);
});
