import assert from "node:assert/strict";
import type { Level } from "../../../src/service/keys-table.ts";
import { adminTest, type Api, type ContractTest, expectGone, expectOk, expectProblem, type World } from "./world.ts";

/** What each grant allows. The test's folder is given to a key at that level, by the owner's key. */
async function withGrant({ as, admin, folder }: World, level: Level): Promise<Api> {
  return as((await admin().key([{ on: folder.id, level }])).key);
}

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
    expectOk(await editor.edit(file.id, file.lastChangeId, "x"), 200);
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

const hidden: readonly ContractTest[] = [
  adminTest("answers 404 to every request for what the key cannot read", async (world) => {
    const { api, folder } = world;
    const secret = await api.file("other/secret.md");
    const other = (await api.page("folders", { path: "other" })).data[0]!;
    const mine = await api.file(`${folder.path}/mine.md`);
    const key = await withGrant(world, "full");
    expectProblem(await key.get(`/v1/files/${secret.id}`), "file_not_found");
    expectProblem(await key.patch(`/v1/files/${secret.id}`, { name: "x.md" }), "file_not_found");
    expectProblem(await key.patch(`/v1/files/${secret.id}`, { protected: true }), "file_not_found");
    expectProblem(await key.edit(secret.id, secret.lastChangeId, "x"), "file_not_found");
    expectProblem(await key.delete(`/v1/files/${secret.id}`), "file_not_found");
    expectProblem(await key.get(`/v1/folders/${other.id}`), "folder_not_found");
    expectProblem(await key.get(`/v1/folders?parent_id=${other.id}`), "folder_not_found");
    expectProblem(await key.patch(`/v1/folders/${other.id}`, { name: "x" }), "folder_not_found");
    expectProblem(await key.delete(`/v1/folders/${other.id}?recursive=true`), "folder_not_found");
    expectProblem(await key.patch(`/v1/files/${mine.id}`, { parentId: other.id }), "folder_not_found");
    expectProblem(await key.post("/v1/files", { parentId: other.id, name: "x.md", content: "" }), "folder_not_found");
    assert.equal((await api.read(secret.id)).content, "text\n");
  }),
  adminTest("gives an unreadable id and a missing one the same answer", async (world) => {
    const secret = await world.api.file("other/secret.md");
    const key = await withGrant(world, "full");
    const bare = ({ requestId: _, ...problem }: Record<string, unknown>) => problem;
    const unreadable = await key.get(`/v1/files/${secret.id}`);
    const missing = await key.get("/v1/files/doc_00000000000000000000");
    assert.deepEqual(bare(unreadable.json), bare(missing.json));
  }),
  adminTest("answers 403 to a create where the key may not write", async (world) => {
    await world.api.folder("other");
    const key = await withGrant(world, "full");
    for (const path of ["root.md", "other/x.md", "other/new/x.md", "new/x.md"]) {
      expectProblem(await key.post("/v1/files", { path, content: "" }), "forbidden");
      expectProblem(await key.post("/v1/folders", { path: path.replace(".md", "") }), "forbidden");
    }
    expectProblem(await key.post("/v1/files", { parentId: null, name: "x.md", content: "" }), "forbidden");
    expectProblem(await key.post("/v1/folders", { parentId: null, name: "x" }), "forbidden");
    assert.deepEqual(await world.api.paths("files"), []);
    assert.deepEqual((await world.api.paths("folders")).sort(), [world.folder.path, "other"].sort());
  }),
  adminTest("answers 403 to a move to the root, or to a folder that may only be read", async (world) => {
    const { as, admin, api, folder } = world;
    const file = await api.file(`${folder.path}/a.md`);
    const other = await api.folder("other");
    const { key } = await admin().key([
      { on: folder.id, level: "edit" },
      { on: other.id, level: "read" },
    ]);
    expectProblem(await as(key).patch(`/v1/files/${file.id}`, { parentId: null }), "forbidden");
    expectProblem(await as(key).patch(`/v1/files/${file.id}`, { parentId: other.id }), "forbidden");
    expectProblem(await as(key).patch(`/v1/folders/${folder.id}`, { parentId: other.id }), "forbidden");
  }),
  adminTest(
    "answers path_already_exists where an unreadable file holds the name",
    async ({ as, admin, api, folder }) => {
      const secret = await api.file(`${folder.path}/secret.md`, "hidden");
      const { key } = await admin().key([
        { on: folder.id, level: "edit" },
        { on: secret.id, level: "none" },
      ]);
      expectProblem(await as(key).post("/v1/files", { path: secret.path, content: "x" }), "path_already_exists");
      assert.equal((await api.read(secret.id)).content, "hidden");
    },
  ),
];

const pages: readonly ContractTest[] = [
  adminTest("drops unreadable items after the page is read, and leads on through empty pages", async (world) => {
    const { as, admin, api, folder } = world;
    const hiddenFolder = await api.folder("hidden");
    const wanted: string[] = [];
    for (let i = 0; i < 30; i++) {
      const readable = i === 0 || i === 17 || i === 29;
      const file = await api.file(`${readable ? folder.path : "hidden"}/${i}.md`);
      if (readable) wanted.push(file.path);
    }
    const { key } = await admin().key([
      { on: null, level: "read" },
      { on: hiddenFolder.id, level: "none" },
    ]);
    const lengths: number[] = [];
    let page = await as(key).page("files", { limit: 5 });
    const seen = [...page.data];
    for (lengths.push(page.data.length); page.hasMore; lengths.push(page.data.length)) {
      page = await as(key).page("files", { limit: 5, cursor: page.nextCursor! });
      seen.push(...page.data);
    }
    assert.deepEqual(
      seen.map((file) => file.path),
      wanted,
    );
    assert.deepEqual(lengths, [1, 0, 0, 1, 0, 1]);
  }),
  adminTest("leaks nothing unreadable through any list", async (world) => {
    const { as, admin, api, folder } = world;
    const secret = await api.file("hidden/deep/secret.md");
    const [hiddenFolder, deep] = [
      (await api.page("folders", { path: "hidden" })).data[0]!,
      (await api.page("folders", { path: "hidden/deep" })).data[0]!,
    ];
    const shown = await api.file(`${folder.path}/shown.md`);
    const key = as((await admin().key([{ on: folder.id, level: "full" }])).key);
    const answers = [
      await key.get("/v1/files?limit=1"),
      await key.get("/v1/files?limit=1000"),
      await key.get(`/v1/files?path=${secret.path}`),
      await key.get("/v1/files?path_prefix=hidden"),
      await key.get(`/v1/files?parent_id=${deep.id}`),
      await key.get("/v1/folders"),
      await key.get("/v1/folders?path=hidden"),
      await key.get("/v1/folders?path_prefix=hidden"),
      await key.get(`/v1/folders?parent_id=${hiddenFolder.id}`),
    ];
    for (const { text } of answers) {
      for (const trace of [secret.id, secret.lastChangeId, hiddenFolder.id, deep.id, "secret", '"hidden']) {
        assert.ok(!text.includes(trace), text);
      }
    }
    assert.deepEqual(await key.paths("files"), [shown.path]);
    assert.deepEqual(await key.paths("folders"), [folder.path]);
  }),
  adminTest("shows a granted subfolder, but not the folders above it", async (world) => {
    const { as, admin, api, folder } = world;
    const sub = await api.folder(`${folder.path}/sub`);
    const file = await api.file(`${folder.path}/sub/deep/a.md`);
    const key = as((await admin().key([{ on: sub.id, level: "read" }])).key);
    assert.deepEqual(await key.paths("folders"), []);
    assert.deepEqual(await key.paths("folders", { path: sub.path }), [sub.path]);
    assert.deepEqual(await key.paths("folders", { path_prefix: folder.path }), [sub.path, `${sub.path}/deep`]);
    assert.deepEqual(await key.paths("files"), [file.path]);
    expectProblem(await key.get(`/v1/folders/${folder.id}`), "folder_not_found");
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
    expectOk(await as(key).edit(b.id, b.lastChangeId, "x"), 200);
    expectProblem(await as(key).get(`/v1/files/${c.id}`), "file_not_found");
  }),
  adminTest("keeps a grant with its folder through renames and moves", async ({ as, admin, api, folder }) => {
    const file = await api.file(`${folder.path}/sub/a.md`);
    const sub = (await api.page("folders", { path: `${folder.path}/sub` })).data[0]!;
    const key = as((await admin().key([{ on: sub.id, level: "read" }])).key);
    expectOk(await api.patch(`/v1/folders/${sub.id}`, { name: "renamed" }), 200);
    expectOk(await api.patch(`/v1/folders/${sub.id}`, { parentId: null }), 200);
    assert.equal((await key.read(file.id)).path, "renamed/a.md");
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

export const grantTests: readonly ContractTest[] = [...levels, ...hidden, ...pages, ...nearest];
