import assert from "node:assert/strict";
import { withGrant } from "./grants-ground.ts";
import { adminTest, type ContractTest, type TestWorld } from "./world.ts";

/** What each grant allows, and which of several grants applies. */

const levels: readonly ContractTest[] = [
  adminTest("reads with Can read", async (world) => {
    const { api, folder } = world;
    const file = await api.file(`${folder.path}/a.md`);
    const reader = await withGrant(world, "read");
    assert.equal((await reader.read(file.id)).content, "text\n");
    assert.deepEqual(await reader.paths("files"), [file.path]);
    assert.equal((await reader.get(`/v1/folders/${folder.id}`)).ok(200).path, folder.path);
  }),
  adminTest("refuses writes with Can read", async (world) => {
    const { api, folder } = world;
    const file = await api.file(`${folder.path}/a.md`);
    const sub = await api.folder(`${folder.path}/sub`);
    const reader = await withGrant(world, "read");
    for (const reply of [
      await reader.post("/v1/files", { path: `${folder.path}/b.md`, content: "" }),
      await reader.post("/v1/files", { path: `${folder.path}/new/b.md`, content: "" }),
      await reader.post("/v1/files", { parentId: folder.id, name: "b.md", content: "" }),
      await reader.patch(`/v1/files/${file.id}`, { name: "b.md" }),
      await reader.patch(`/v1/files/${file.id}`, { parentId: sub.id }),
      await reader.patch(`/v1/files/${file.id}`, { protected: true }),
      await reader.edit(file.id, file.lastChangeId, "x"),
      await reader.delete(`/v1/files/${file.id}`),
      await reader.post("/v1/folders", { path: `${folder.path}/b` }),
      await reader.post("/v1/folders", { parentId: folder.id, name: "b" }),
      await reader.patch(`/v1/folders/${sub.id}`, { name: "b" }),
      await reader.patch(`/v1/folders/${sub.id}`, { parentId: null }),
      await reader.delete(`/v1/folders/${sub.id}`),
      await reader.delete(`/v1/folders/${folder.id}?recursive=true`),
    ]) {
      reply.problem("forbidden");
    }
    assert.deepEqual(await api.read(file.id), { ...file, content: "text\n" });
    assert.deepEqual(await api.paths("folders", { parent_id: folder.id }), [sub.path]);
  }),
  adminTest("writes with Can edit, but for protected", async (world) => {
    const { folder } = world;
    const editor = await withGrant(world, "edit");
    const file = await editor.file(`${folder.path}/new/a.md`);
    (await editor.edit(file.id, file.lastChangeId, "x")).edited();
    (await editor.patch(`/v1/files/${file.id}`, { name: "b.md" })).ok(200);
    (await editor.patch(`/v1/files/${file.id}`, { parentId: folder.id })).ok(200);
    (await editor.patch(`/v1/files/${file.id}`, { protected: true })).problem("forbidden");
    (await editor.patch(`/v1/files/${file.id}`, { protected: false })).problem("forbidden");
    (await editor.delete(`/v1/files/${file.id}`)).deleted();
    const made = await editor.folder(`${folder.path}/sub`);
    (await editor.patch(`/v1/folders/${made.id}`, { name: "sub2" })).ok(200);
    (await editor.delete(`/v1/folders/${made.id}`)).deleted();
  }),
  adminTest("sends an edit of a protected file to review with Can edit", async (world) => {
    const file = await world.api.file(`${world.folder.path}/a.md`);
    (await world.api.patch(`/v1/files/${file.id}`, { protected: true })).ok(200);
    const editor = await withGrant(world, "edit");
    (await editor.edit(file.id, file.lastChangeId, "proposed")).ok(202);
    (await (await withGrant(world, "read")).edit(file.id, file.lastChangeId, "proposed")).problem("forbidden");
  }),
  adminTest("changes protected with Full access to the subtree", async (world) => {
    const file = await world.api.file(`${world.folder.path}/a.md`);
    const full = await withGrant(world, "full");
    assert.equal((await full.patch(`/v1/files/${file.id}`, { protected: true })).ok(200).protected, true);
  }),
];

const nearest: readonly ContractTest[] = [
  adminTest("lets the nearest grant decide, up or down", async ({ as, admin, api, folder }) => {
    const a = await api.file(`${folder.path}/a.md`);
    const b = await api.file(`${folder.path}/sub/b.md`);
    const c = await api.file(`${folder.path}/sub/c.md`);
    const sub = (await api.page("folders", { path: `${folder.path}/sub` })).data[0]!;
    const { key } = await admin().key([
      { on: null, level: "read" },
      { on: sub.id, level: "edit" },
      { on: c.id, level: "none" },
    ]);
    (await as(key).edit(a.id, a.lastChangeId, "x")).problem("forbidden");
    (await as(key).edit(b.id, b.lastChangeId, "x")).edited();
    (await as(key).get(`/v1/files/${c.id}`)).problem("file_not_found");
  }),
  adminTest("keeps a grant with its folder through renames and moves", async ({ as, admin, api, folder }) => {
    const file = await api.file(`${folder.path}/sub/a.md`);
    const sub = (await api.page("folders", { path: `${folder.path}/sub` })).data[0]!;
    const key = as((await admin().key([{ on: sub.id, level: "read" }])).key);
    (await api.patch(`/v1/folders/${sub.id}`, { name: "renamed" })).ok(200);
    (await api.patch(`/v1/folders/${sub.id}`, { parentId: null })).ok(200);
    assert.equal((await key.read(file.id)).path, "/renamed/a.md");
  }),
  adminTest("gives a moved file the grants of its new place", async (world) => {
    const { api, folder } = world;
    const file = await api.file("outside/a.md");
    const key = await withGrant(world, "read");
    (await key.get(`/v1/files/${file.id}`)).problem("file_not_found");
    (await api.patch(`/v1/files/${file.id}`, { parentId: folder.id })).ok(200);
    assert.equal((await key.read(file.id)).path, `${folder.path}/a.md`);
  }),
  adminTest("refuses a recursive delete above what the key may not write", async ({ as, admin, api, folder }) => {
    const file = await api.file(`${folder.path}/sub/kept.md`);
    const sub = (await api.page("folders", { path: `${folder.path}/sub` })).data[0]!;
    for (const on of [file.id, sub.id]) {
      const { key } = await admin().key([
        { on: folder.id, level: "full" },
        { on, level: "read" },
      ]);
      (await as(key).delete(`/v1/folders/${folder.id}?recursive=true`)).problem("forbidden");
    }
    assert.equal((await api.read(file.id)).content, "text\n");
  }),
  adminTest("applies changed grants to the next request", async ({ as, admin, api, folder }) => {
    const file = await api.file(`${folder.path}/a.md`);
    const made = await admin().key([{ on: null, level: "read" }]);
    assert.equal((await as(made.key).read(file.id)).path, file.path);
    const grants = [{ on: folder.id, level: "none" }];
    assert.deepEqual((await admin().api.patch(`/admin/keys/${made.id}`, { grants })).ok(200).grants, grants);
    (await as(made.key).get(`/v1/files/${file.id}`)).problem("file_not_found");
    assert.deepEqual(await as(made.key).paths("files"), []);
  }),
];

/**
 * Creates a protected document that the key may edit but not move, and a folder to which the key
 * has Full access.
 */
async function protectedBesideFull({ api, admin, as, folder }: TestWorld) {
  const file = await api.file(`${folder.path}/guarded/a.md`);
  (await api.patch(`/v1/files/${file.id}`, { protected: true })).ok(200);
  const guarded = (await api.page("folders", { path: `${folder.path}/guarded` })).data[0]!;
  const own = await api.folder("own");
  const { key } = await admin().key([
    { on: null, level: "edit" },
    { on: own.id, level: "full" },
  ]);
  return { file, guarded, own, key: as(key) };
}

const moves: readonly ContractTest[] = [
  adminTest("keeps review protection from being moved away", async (world) => {
    const { file, guarded, own, key } = await protectedBesideFull(world);
    const { api } = world;
    for (const reply of [
      await key.patch(`/v1/files/${file.id}`, { parentId: own.id }),
      await key.patch(`/v1/folders/${guarded.id}`, { parentId: own.id }),
      await key.patch(`/v1/folders/${world.folder.id}`, { parentId: own.id }),
      await key.patch(`/v1/files/${file.id}`, { protected: false }),
    ]) {
      reply.problem("forbidden");
    }
    assert.deepEqual(await api.read(file.id), { ...file, protected: true, content: "text\n" });
  }),
  adminTest("keeps a protected file from where another key has Full access", async (world) => {
    const { file, own } = await protectedBesideFull(world);
    const editor = world.as((await world.admin().key([{ on: null, level: "edit" }])).key);
    (await editor.patch(`/v1/files/${file.id}`, { parentId: own.id })).problem("forbidden");
  }),
  adminTest("moves a protected file with Can edit where nobody gains Full access", async (world) => {
    const { file, guarded, key } = await protectedBesideFull(world);
    const other = await world.api.folder("other");
    (await key.patch(`/v1/files/${file.id}`, { name: "b.md" })).ok(200);
    (await key.patch(`/v1/files/${file.id}`, { parentId: other.id })).ok(200);
    (await key.patch(`/v1/files/${file.id}`, { parentId: guarded.id })).ok(200);
    (await key.patch(`/v1/folders/${guarded.id}`, { parentId: other.id })).ok(200);
  }),
  adminTest("moves a protected file anywhere with Full access to it, and a free one with Can edit", async (world) => {
    const { file, own, key } = await protectedBesideFull(world);
    (await world.api.patch(`/v1/files/${file.id}`, { parentId: own.id })).ok(200);
    const free = await world.api.file("free.md");
    (await key.patch(`/v1/files/${free.id}`, { parentId: own.id })).ok(200);
  }),
];

export const grantTests: readonly ContractTest[] = [...levels, ...nearest, ...moves];
