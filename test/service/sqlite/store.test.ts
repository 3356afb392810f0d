import { expect, onTestFinished, test } from "vitest";
import { SqliteStore } from "../../../src/service/store/sqlite/store.ts";
import type { Tables } from "../../../src/service/store/tables.ts";
import { openService, seeded } from "../fixture.ts";

function openStore(): SqliteStore {
  const store = new SqliteStore(":memory:", { random: seeded("store") });
  onTestFinished(() => store.close());
  return store;
}

const names = async ({ workspaces }: Tables) => (await workspaces.all()).map(({ name }) => name);

test("a read waits for the transaction before it, and never sees half of one", async () => {
  const store = openStore();
  const writing = store.write(async ({ workspaces }) => {
    await workspaces.insert("wsp_1", "first");
    for (let n = 0; n < 50; n++) await null;
    await workspaces.insert("wsp_2", "second");
  });
  expect(await store.read(names)).toEqual(["first", "second"]);
  await writing;
});

test("what is refused or throws is undone alone, and those after it go on", async () => {
  const store = openStore();
  const refused = store.write(
    async ({ workspaces }) => {
      await workspaces.insert("wsp_1", "refused");
      return "no";
    },
    (result) => result !== "no",
  );
  const failed = store.write(async ({ workspaces }) => {
    await workspaces.insert("wsp_2", "failed");
    throw new Error("in the midst");
  });
  const kept = store.write(({ workspaces }) => workspaces.insert("wsp_3", "kept"));
  expect(await refused).toBe("no");
  await expect(failed).rejects.toThrow("in the midst");
  await kept;
  expect(await store.read(names)).toEqual(["kept"]);
});

test("requests under way are answered before the service closes; those after are refused", async () => {
  const { service, key } = await openService();
  const headers = { "x-api-key": key };
  const create = (n: number) => {
    const body = JSON.stringify({ path: `${n}.md`, content: "text" });
    return service.handle({ method: "POST", path: "/v1/files", headers, body });
  };
  const before = Array.from({ length: 5 }, (_, n) => create(n));
  const closing = service.close();
  const after = create(9);
  expect((await Promise.all(before)).map(({ status }) => status)).toEqual([201, 201, 201, 201, 201]);
  expect((await after).status).toBe(503);
  await closing;
  await service.close();
});
