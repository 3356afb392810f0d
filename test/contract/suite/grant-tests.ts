import assert from "node:assert/strict";
import { adminTest, type ContractTest, type TestWorld, withGrant } from "./world.ts";

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
