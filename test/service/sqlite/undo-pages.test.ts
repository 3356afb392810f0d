import { expect, onTestFinished, test } from "vitest";
import { openDatabase } from "../../../src/service/store/sqlite/database.ts";
import { openSqlite } from "../../../src/service/store/sqlite/store.ts";
import { UndoPages } from "../../../src/service/store/sqlite/undo-pages.ts";
import type { Store } from "../../../src/service/store/store.ts";
import { ADMIN_KEY, openService, seeded } from "../fixture.ts";
import { Api } from "../../../src/conformance/world.ts";

const [ON_DISK, IN_MEMORY] = [[{ temp_store: 1 }], [{ temp_store: 2 }]];

test("pages to undo are kept in memory, and on the disk for as long as that is asked", async () => {
  const db = openDatabase(":memory:");
  onTestFinished(() => db.close());
  const pages = new UndoPages(db);
  expect(db.pragma("temp_store")).toEqual(IN_MEMORY);
  expect(await pages.onDisk(async () => db.pragma("temp_store"))).toEqual(ON_DISK);
  expect(db.pragma("temp_store")).toEqual(IN_MEMORY);
  await expect(pages.onDisk(() => Promise.reject(new Error("undone")))).rejects.toThrow("undone");
  expect(db.pragma("temp_store")).toEqual(IN_MEMORY);
});

test("what may change any number of rows says so, and nothing else does", async () => {
  const random = seeded("undo");
  const store = openSqlite(":memory:", { random, commits: "together" });
  const reaches: string[] = [];
  const write: Store["write"] = (work, keep, reach = "rows") => {
    reaches.push(reach);
    return store.write(work, keep, reach);
  };
  const { service, api, workspaceId } = await openService({
    random,
    store: new Proxy(store, { get: (of, name) => (name === "write" ? write : boundTo(of, name)) }),
  });
  const [full, empty] = [await api.folder("/full"), await api.folder("/empty")];
  await api.file("/full/a.md");
  reaches.length = 0;
  await api.delete(`/v1/folders/${full.id}?recursive=true`);
  await api.delete(`/v1/folders/${empty.id}`);
  await new Api(service.handle, ADMIN_KEY).delete(`/admin/workspaces/${workspaceId}`);
  expect(reaches).toEqual(["tree", "rows", "tree"]);
  expect(await service.admin.workspaces()).toEqual([]);
});

/** A private field is of the store alone, not of what stands before it. */
function boundTo(store: object, name: string | symbol): unknown {
  const value: unknown = Reflect.get(store, name, store);
  return typeof value === "function" ? value.bind(store) : value;
}
