import assert from "node:assert/strict";
import { withGrant } from "./grants-ground.ts";
import { expectGone, expectEdited, expectOk, expectProblem } from "../../../src/conformance/world.ts";
import { adminTest, type ContractTest, type TestWorld } from "./world.ts";

/** What each grant allows, and which of several decides. */

const levels: readonly ContractTest[] = [
  adminTest("reads with Can read", async (world) => {
    const { api, folder } = world;
    const file = await api.file(`${folder.path}/a.md`);
    const reader = await withGrant(world, "read");
    assert.equal((await reader.read(file.id)).content, "text\n");
    assert.deepEqual(await reader.paths("files"), [file.path]);
    assert.equal(expectOk(await reader.get(`/v1/folders/${folder.id}`), 200).path, folder.path);
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
      expectProblem(reply, "forbidden");
    }
    assert.deepEqual(await api.read(file.id), { ...file, content: "text\n" });
    assert.deepEqual(await api.paths("folders", { parent_id: folder.id }), [sub.path]);
  }),
  adminTest("writes with Can edit, but for protected", async (world) => {
    const { folder } = world;
    const editor = await withGrant(world, "edit");
    const file = await editor.file(`${folder.path}/new/a.md`);
    expectEdited(await editor.edit(file.id, file.lastChangeId, "x"));
    expectOk(await editor.patch(`/v1/files/${file.id}`, { name: "b.md" }), 200);
    expectOk(await editor.patch(`/v1/files/${file.id}`, { parentId: folder.id }), 200);
    expectProblem(await editor.patch(`/v1/files/${file.id}`, { protected: true }), "forbidden");
    expectProblem(await editor.patch(`/v1/files/${file.id}`, { protected: false }), "forbidden");
    expectGone(await editor.delete(`/v1/files/${file.id}`));
    const made = await editor.folder(`${folder.path}/sub`);
    expectOk(await editor.patch(`/v1/folders/${made.id}`, { name: "sub2" }), 200);
    expectGone(await editor.delete(`/v1/folders/${made.id}`));
  }),
  adminTest("sends an edit of a protected file to review with Can edit", async (world) => {
    const file = await world.api.file(`${world.folder.path}/a.md`);
    expectOk(await world.api.patch(`/v1/files/${file.id}`, { protected: true }), 200);
    const editor = await withGrant(world, "edit");
    expectOk(await editor.edit(file.id, file.lastChangeId, "proposed"), 202);
    expectProblem(await (await withGrant(world, "read")).edit(file.id, file.lastChangeId, "proposed"), "forbidden");
  }),
  adminTest("changes protected with Full access to the subtree", async (world) => {
    const file = await world.api.file(`${world.folder.path}/a.md`);
    const full = await withGrant(world, "full");
    assert.equal(expectOk(await full.patch(`/v1/files/${file.id}`, { protected: true }), 200).protected, true);
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
    expectProblem(await as(key).edit(a.id, a.lastChangeId, "x"), "forbidden");
    expectEdited(await as(key).edit(b.id, b.lastChangeId, "x"));
    expectProblem(await as(key).get(`/v1/files/${c.id}`), "file_not_found");
  }),
  adminTest("keeps a grant with its folder through renames and moves", async ({ as, admin, api, folder }) => {
    const file = await api.file(`${folder.path}/sub/a.md`);
    const sub = (await api.page("folders", { path: `${folder.path}/sub` })).data[0]!;
    const key = as((await admin().key([{ on: sub.id, level: "read" }])).key);
    expectOk(await api.patch(`/v1/folders/${sub.id}`, { name: "renamed" }), 200);
    expectOk(await api.patch(`/v1/folders/${sub.id}`, { parentId: null }), 200);
    assert.equal((await key.read(file.id)).path, "/renamed/a.md");
  }),
  adminTest("gives a moved file the grants of its new place", async (world) => {
    const { api, folder } = world;
    const file = await api.file("outside/a.md");
    const key = await withGrant(world, "read");
    expectProblem(await key.get(`/v1/files/${file.id}`), "file_not_found");
    expectOk(await api.patch(`/v1/files/${file.id}`, { parentId: folder.id }), 200);
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
      expectProblem(await as(key).delete(`/v1/folders/${folder.id}?recursive=true`), "forbidden");
    }
    assert.equal((await api.read(file.id)).content, "text\n");
  }),
  adminTest("applies changed grants to the next request", async ({ as, admin, api, folder }) => {
    const file = await api.file(`${folder.path}/a.md`);
    const made = await admin().key([{ on: null, level: "read" }]);
    assert.equal((await as(made.key).read(file.id)).path, file.path);
    const grants = [{ on: folder.id, level: "none" }];
    assert.deepEqual(expectOk(await admin().api.patch(`/admin/keys/${made.id}`, { grants }), 200).grants, grants);
    expectProblem(await as(made.key).get(`/v1/files/${file.id}`), "file_not_found");
    assert.deepEqual(await as(made.key).paths("files"), []);
  }),
];

/**
 * A protected file that the key may edit where it stands, and a folder to which it has Full access.
 */
async function protectedBesideFull({ api, admin, as, folder }: TestWorld) {
  const file = await api.file(`${folder.path}/guarded/a.md`);
  expectOk(await api.patch(`/v1/files/${file.id}`, { protected: true }), 200);
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
      expectProblem(reply, "forbidden");
    }
    assert.deepEqual(await api.read(file.id), { ...file, protected: true, content: "text\n" });
  }),
  adminTest("keeps a protected file from where another key has Full access", async (world) => {
    const { file, own } = await protectedBesideFull(world);
    const editor = world.as((await world.admin().key([{ on: null, level: "edit" }])).key);
    expectProblem(await editor.patch(`/v1/files/${file.id}`, { parentId: own.id }), "forbidden");
  }),
  adminTest("moves a protected file with Can edit where nobody gains Full access", async (world) => {
    const { file, guarded, key } = await protectedBesideFull(world);
    const other = await world.api.folder("other");
    expectOk(await key.patch(`/v1/files/${file.id}`, { name: "b.md" }), 200);
    expectOk(await key.patch(`/v1/files/${file.id}`, { parentId: other.id }), 200);
    expectOk(await key.patch(`/v1/files/${file.id}`, { parentId: guarded.id }), 200);
    expectOk(await key.patch(`/v1/folders/${guarded.id}`, { parentId: other.id }), 200);
  }),
  adminTest("moves a protected file anywhere with Full access to it, and a free one with Can edit", async (world) => {
    const { file, own, key } = await protectedBesideFull(world);
    expectOk(await world.api.patch(`/v1/files/${file.id}`, { parentId: own.id }), 200);
    const free = await world.api.file("free.md");
    expectOk(await key.patch(`/v1/files/${free.id}`, { parentId: own.id }), 200);
  }),
];

export const grantTests: readonly ContractTest[] = [...levels, ...nearest, ...moves];
