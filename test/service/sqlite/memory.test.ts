import { expect, test } from "vitest";
import { makeFileCache, type SqliteStore } from "../../../src/service/store/sqlite/store.ts";
import type { Tables } from "../../../src/service/store/tables.ts";
import { memoryStore, openService } from "../fixture.ts";
import type { FileRow } from "../../../src/service/store/rows.ts";
import { Api } from "../../../src/conformance/world.ts";

const HASH = Buffer.alloc(32, 7);
const ALL = { kind: "root", target: 0 } as const;

async function openStore(): Promise<{ readonly store: SqliteStore; readonly key: number }> {
  const store = memoryStore();
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

/** Documents that were read stay in memory, but each answer has their present version. */

test("a file that was read is shown as it is after each change, and not at all once it is gone", async () => {
  const { api } = await openService();
  const { id, lastChangeId } = await api.file("team/a.md", "one – 𝄞\r\n");
  const shown = async () => {
    const [first, second] = [await api.get(`/v1/files/${id}`), await api.get(`/v1/files/${id}`)];
    expect(second.json).toEqual(first.json);
    return first.json;
  };
  expect(await shown()).toMatchObject({ content: "one – 𝄞\r\n", path: "/team/a.md", lastChangeId });
  const edited = await api.edit(id, lastChangeId, "two\n");
  const live = (edited.json as { file: { lastChangeId: string } }).file.lastChangeId;
  expect(await shown()).toMatchObject({ content: "two\n", lastChangeId: live });
  await api.patch(`/v1/files/${id}`, { name: "b.md" });
  expect(await shown()).toMatchObject({ content: "two\n", path: "/team/b.md" });
  await api.patch(`/v1/files/${id}`, { parentId: null });
  expect(await shown()).toMatchObject({ content: "two\n", path: "/b.md", parentId: null });
  await api.delete(`/v1/files/${id}`);
  expect((await api.get(`/v1/files/${id}`)).status).toBe(404);
});

test("content that was read in one workspace is not used in another", async () => {
  const { service, api } = await openService();
  const { id } = await api.file("a.md", "secret\n");
  await api.get(`/v1/files/${id}`);
  const { key } = await service.admin.createWorkspace("other");
  const other = new Api(service.handle, key);
  expect((await other.get(`/v1/files/${id}`)).status).toBe(404);
});

test("a file that was read is shown with the path that its folder has now", async () => {
  const { api } = await openService();
  const { id } = await api.file("team/inner/a.md", "one\n");
  const shown = async () => (await api.get(`/v1/files/${id}`)).json;
  expect(await shown()).toMatchObject({ path: "/team/inner/a.md", content: "one\n" });
  const [folder] = (await api.page("folders", { path: "/team" })).data;
  await api.patch(`/v1/folders/${folder!.id}`, { name: "crew" });
  expect(await shown()).toMatchObject({ path: "/crew/inner/a.md", content: "one\n" });
  await api.patch(`/v1/files/${id}`, { protected: true });
  expect(await shown()).toMatchObject({ protected: true, content: "one\n" });
  await api.patch(`/v1/files/${id}`, { protected: false });
  expect(await shown()).toMatchObject({ protected: false, content: "one\n" });
  await api.delete(`/v1/folders/${folder!.id}?recursive=true`);
  expect((await api.get(`/v1/files/${id}`)).status).toBe(404);
});

test("what was read within a write that is undone is not shown afterwards", async () => {
  const store = memoryStore();
  const { workspace, seq } = await store.write(async ({ workspaces, files }) => {
    await workspaces.insert("wsp_1", "notes");
    const { seq: made } = (await workspaces.byId("wsp_1"))!;
    const given = {
      workspace: made,
      id: "doc_1",
      folder: { seq: 0, path: "" },
      name: "a.md",
      changeId: "chg_1",
      text: "one\n",
      at: 0,
    };
    await files.insert(given);
    return { workspace: made, seq: (await files.byName(made, 0, "a.md"))!.seq };
  });
  const nameOf = async ({ files }: Tables) => (await files.shown(workspace, "doc_1", (_, text) => text))?.row.name;
  expect(await store.read(nameOf)).toBe("a.md");
  const renamed = store.write(async (tables) => {
    await tables.files.place(seq, 0, "b.md");
    expect(await nameOf(tables)).toBe("b.md");
    throw new Error("the end");
  });
  await expect(renamed).rejects.toThrow("the end");
  expect(await store.read(nameOf)).toBe("a.md");
});

test("memory is bounded: what was read longest ago goes first", () => {
  const kept = makeFileCache();
  const million = "x".repeat(1024 * 1024);
  const of = (name: string, text = million) => ({ row: rowOf(name), json: text, workspace: 1, version: 0 });
  for (let n = 0; n < 12; n++) kept.set(`doc_${n}`, of(`${n}.md`));
  const left = Array.from({ length: 12 }, (_, n) => n).filter((n) => kept.get(`doc_${n}`) !== undefined);
  expect(left).toEqual([4, 5, 6, 7, 8, 9, 10, 11]);
  kept.set("doc_4", of("new.md", "short"));
  expect([kept.get("doc_4")?.json, kept.get("doc_5")?.row.name]).toEqual(["short", "5.md"]);
});

function rowOf(name: string): FileRow {
  return { seq: 1, id: "doc_1", parent: 0, parentId: null, name, path: name, protected: 0, changeId: "chg_1" };
}
