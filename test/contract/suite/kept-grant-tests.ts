import assert from "node:assert/strict";
import { adminTest, type ContractTest } from "./world.ts";

/** Grants that outlive the documents and folders for which they were made. */

export const keptGrantTests: readonly ContractTest[] = [
  adminTest("keeps what a grant withholds when its folder is deleted and made again", async (world) => {
    const { api, admin, as, folder } = world;
    const secret = await api.folder(`${folder.path}/secret`);
    const { key, id } = await admin().key([
      { on: null, level: "edit" },
      { on: secret.id, level: "none" },
    ]);
    const other = as(key);
    (await api.delete(`/v1/folders/${folder.id}?recursive=true`)).deleted();
    const shown = (await admin().api.get("/admin/keys")).ok(200).data;
    const path = `${folder.path}/secret`;
    assert.deepEqual(shown.find((each: { id: string }) => each.id === id).grants, [
      { on: null, level: "edit" },
      { on: path, level: "none" },
    ]);
    const file = await api.file(`${path.slice(1)}/a.md`);
    (await other.get(`/v1/files/${file.id}`)).problem("file_not_found");
    assert.deepEqual(await other.paths("files"), []);
    const made = (await api.page("folders", { path: path.slice(1) })).data[0]!;
    const after = (await admin().api.get("/admin/keys")).ok(200).data;
    assert.deepEqual(after.find((each: { id: string }) => each.id === id).grants, [
      { on: null, level: "edit" },
      { on: made.id, level: "none" },
    ]);
  }),
  adminTest("keeps what a grant withholds when its place is taken by a move or a rename", async (world) => {
    const { api, admin, as, folder } = world;
    const file = await api.file(`${folder.path}/a.md`);
    const sub = await api.folder(`${folder.path}/sub/deep`);
    const { key } = await admin().key([
      { on: null, level: "read" },
      { on: file.id, level: "none" },
      { on: sub.id, level: "none" },
    ]);
    (await api.delete(`/v1/files/${file.id}`)).deleted();
    (await api.delete(`/v1/folders/${folder.id}?recursive=true`)).deleted();
    const again = await api.file("elsewhere/b.md");
    const inner = await api.file("elsewhere/sub/deep/c.md");
    (await api.patch(`/v1/files/${again.id}`, { name: "a.md" })).ok(200);
    const moved = (await api.page("folders", { path: "elsewhere" })).data[0]!;
    assert.equal((await as(key).paths("files")).length, 2);
    (await api.patch(`/v1/folders/${moved.id}`, { name: folder.path.slice(1) })).ok(200);
    for (const { id } of [again, inner]) (await as(key).get(`/v1/files/${id}`)).problem("file_not_found");
  }),
  adminTest("keeps what a grant withholds below a parent that is renamed meanwhile", async (world) => {
    const { api, admin, as, folder } = world;
    const sub = await api.folder(`${folder.path}/sub`);
    const { key } = await admin().key([
      { on: null, level: "read" },
      { on: sub.id, level: "none" },
    ]);
    (await api.delete(`/v1/folders/${sub.id}`)).deleted();
    (await api.patch(`/v1/folders/${folder.id}`, { name: "renamed" })).ok(200);
    const file = await api.file("renamed/sub/a.md");
    (await as(key).get(`/v1/files/${file.id}`)).problem("file_not_found");
  }),
  adminTest("lets the strictest grant win when two that are kept come to one path", async (world) => {
    const { api, admin, as, folder } = world;
    for (const [moved, stays] of [
      ["read", "none"],
      ["none", "read"],
    ] as const) {
      const from = await api.folder(`${folder.path}/from`);
      const [first, second] = [await api.folder(`${from.path}/x`), await api.folder(`${folder.path}/to/x`)];
      const { key, id } = await admin().key([
        { on: folder.id, level: "edit" },
        { on: first.id, level: moved },
        { on: second.id, level: stays },
      ]);
      const limited = as(key);
      (await api.delete(`/v1/folders/${first.id}`)).deleted();
      const to = (await api.page("folders", { path: `${folder.path}/to` })).data[0]!;
      (await api.delete(`/v1/folders/${to.id}?recursive=true`)).deleted();
      (await limited.patch(`/v1/folders/${from.id}`, { name: "to" })).ok(200);
      const path = `${folder.path}/to/x`;
      const shown = (await admin().api.get("/admin/keys")).ok(200).data;
      assert.deepEqual(shown.find((each: { id: string }) => each.id === id).grants, [
        { on: folder.id, level: "edit" },
        { on: path, level: "none" },
      ]);
      const file = await api.file(`${path}/a.md`);
      (await limited.get(`/v1/files/${file.id}`)).problem("file_not_found");
      (await api.delete(`/v1/folders/${from.id}?recursive=true`)).deleted();
    }
  }),
  adminTest("does not keep a grant that gave more than the place above it", async (world) => {
    const { api, admin, as, folder } = world;
    const sub = await api.folder(`${folder.path}/sub`);
    const { key } = await admin().key([
      { on: null, level: "read" },
      { on: sub.id, level: "full" },
    ]);
    (await api.delete(`/v1/folders/${sub.id}`)).deleted();
    const file = await api.file(`${folder.path}/sub/a.md`);
    (await as(key).edit(file.id, file.lastChangeId, "x")).problem("forbidden");
  }),
  adminTest("refuses what would take from a key what it has just put at a path", async (world) => {
    const { api, admin, as, folder } = world;
    const { key } = await admin().key([
      { on: null, level: "edit" },
      { on: `${folder.path}/hidden`, level: "none" },
      { on: `${folder.path}/read.md`, level: "read" },
    ]);
    const limited = as(key);
    const at = folder.path.slice(1);
    const file = await limited.file(`${at}/mine.md`);
    const sub = await limited.folder(`${folder.path}/mine`);
    for (const refused of [
      await limited.post("/v1/folders", { path: `${at}/hidden` }),
      await limited.post("/v1/folders", { parentId: folder.id, name: "hidden" }),
      await limited.post("/v1/folders", { path: `${at}/hidden/below` }),
      await limited.post("/v1/files", { path: `${at}/hidden/a.md`, content: "a" }),
      await limited.post("/v1/files", { parentId: folder.id, name: "read.md", content: "a" }),
      await limited.patch(`/v1/files/${file.id}`, { name: "read.md" }),
      await limited.patch(`/v1/folders/${sub.id}`, { name: "hidden" }),
    ])
      refused.problem("forbidden");
    assert.deepEqual(await api.paths("folders", { path_prefix: at }), [`${folder.path}/mine`]);
    assert.deepEqual(await api.paths("files", { path_prefix: at }), [`${folder.path}/mine.md`]);
    await api.file(`${at}/hidden/a.md`);
    assert.deepEqual(await limited.paths("files", { path_prefix: at }), [`${folder.path}/mine.md`]);
  }),
  adminTest("takes a grant on a path that is not there yet, as it shows one", async (world) => {
    const { api, admin, as } = world;
    const grants = [
      { on: null, level: "read" },
      { on: "/later", level: "none" },
    ] as const;
    const made = await admin().key(grants);
    assert.deepEqual(made.grants, grants);
    assert.deepEqual((await admin().api.patch(`/admin/keys/${made.id}`, { grants })).ok(200).grants, grants);
    const file = await api.file("later/a.md");
    (await as(made.key).get(`/v1/files/${file.id}`)).problem("file_not_found");
  }),
];
