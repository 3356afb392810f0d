import assert from "node:assert/strict";
import { adminTest, type ContractTest, withGrant } from "./world.ts";
import { createDocument, SEARCH_KINDS, searchUntilStable } from "../../../src/conformance/search-cases.ts";
import type { Json } from "../../../src/conformance/world.ts";

/** No answer to a key shows a document that the key may not read. */

const hidden: readonly ContractTest[] = [
  adminTest("answers 404 to every request for what the key cannot read", async (world) => {
    const { api, folder } = world;
    const secret = await api.file("other/secret.md");
    const other = (await api.page("folders", { path: "other" })).data[0]!;
    const mine = await api.file(`${folder.path}/mine.md`);
    const key = await withGrant(world, "full");
    (await key.get(`/v1/files/${secret.id}`)).problem("file_not_found");
    (await key.patch(`/v1/files/${secret.id}`, { name: "x.md" })).problem("file_not_found");
    (await key.patch(`/v1/files/${secret.id}`, { protected: true })).problem("file_not_found");
    (await key.edit(secret.id, secret.lastChangeId, "x")).problem("file_not_found");
    (await key.delete(`/v1/files/${secret.id}`)).problem("file_not_found");
    (await key.get(`/v1/folders/${other.id}`)).problem("folder_not_found");
    (await key.get(`/v1/folders?parent_id=${other.id}`)).problem("folder_not_found");
    (await key.patch(`/v1/folders/${other.id}`, { name: "x" })).problem("folder_not_found");
    (await key.delete(`/v1/folders/${other.id}?recursive=true`)).problem("folder_not_found");
    (await key.patch(`/v1/files/${mine.id}`, { parentId: other.id })).problem("folder_not_found");
    (await key.post("/v1/files", { parentId: other.id, name: "x.md", content: "" })).problem("folder_not_found");
    assert.equal((await api.read(secret.id)).content, "text\n");
  }),
  adminTest("gives an unreadable id and a missing one the same answer", async (world) => {
    const secret = await world.api.file("other/secret.md");
    const key = await withGrant(world, "full");
    const bare = ({ requestId: _, ...problem }: Record<string, unknown>) => problem;
    const unreadable = await key.get(`/v1/files/${secret.id}`);
    const missing = await key.get("/v1/files/doc_00000000000000");
    assert.deepEqual(bare(unreadable.json), bare(missing.json));
  }),
  adminTest("answers 403 to a create where the key may not write", async (world) => {
    await world.api.folder("other");
    const key = await withGrant(world, "full");
    for (const path of ["root.md", "other/x.md", "other/new/x.md", "new/x.md"]) {
      (await key.post("/v1/files", { path, content: "" })).problem("forbidden");
      (await key.post("/v1/folders", { path: path.replace(".md", "") })).problem("forbidden");
    }
    (await key.post("/v1/files", { parentId: null, name: "x.md", content: "" })).problem("forbidden");
    (await key.post("/v1/folders", { parentId: null, name: "x" })).problem("forbidden");
    assert.deepEqual(await world.api.paths("files"), []);
    assert.deepEqual((await world.api.paths("folders")).sort(), [world.folder.path, "/other"].sort());
  }),
  adminTest("answers 403 to a move to the root, or to a folder that may only be read", async (world) => {
    const { as, admin, api, folder } = world;
    const file = await api.file(`${folder.path}/a.md`);
    const other = await api.folder("other");
    const { key } = await admin().key([
      { on: folder.id, level: "edit" },
      { on: other.id, level: "read" },
    ]);
    (await as(key).patch(`/v1/files/${file.id}`, { parentId: null })).problem("forbidden");
    (await as(key).patch(`/v1/files/${file.id}`, { parentId: other.id })).problem("forbidden");
    (await as(key).patch(`/v1/folders/${folder.id}`, { parentId: other.id })).problem("forbidden");
  }),
  adminTest(
    "answers path_already_exists where an unreadable file holds the name",
    async ({ as, admin, api, folder }) => {
      const secret = await api.file(`${folder.path}/secret.md`, "hidden");
      const { key } = await admin().key([
        { on: folder.id, level: "edit" },
        { on: secret.id, level: "none" },
      ]);
      (await as(key).post("/v1/files", { path: secret.path, content: "x" })).problem("path_already_exists");
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
    (await key.get(`/v1/folders/${folder.id}`)).problem("folder_not_found");
  }),
];

export const hiddenTests: readonly ContractTest[] = [...hidden, ...pages];

export const hiddenSearchTests: readonly ContractTest[] = SEARCH_KINDS.flatMap((kind) => [
  adminTest(`omits what the key cannot read, and does not count it: ${kind}`, async (world) => {
    const open = await world.api.folder(`${world.folder.path}/open`);
    const files = [];
    for (let n = 0; n < 5; n++)
      files.push(await createDocument(world, `hidden/${n}.md`, "pangolin pangolin pangolin\n"));
    await createDocument(world, "open/seen.md", "one pangolin among other words\n");
    const one = await createDocument(world, "open/denied.md", "pangolin\n");
    const { key } = await world.admin().key([
      { on: open.id, level: "read" },
      { on: files[3]!.id, level: "read" },
      { on: one.id, level: "none" },
    ]);
    const items = (await searchUntilStable({ ...world, api: world.as(key) }, kind, "pangolin", { limit: 2 })).ok(200)
      .data as Json[];
    assert.deepEqual(items.map(({ path }) => path.slice(world.folder.path.length + 1)).sort(), [
      "hidden/3.md",
      "open/seen.md",
    ]);
  }),
  adminTest(`finds nothing of another workspace: ${kind}`, async (world) => {
    const { api } = world.admin();
    const other = (await api.post("/admin/workspaces", { name: "other" })).ok(201);
    await world.as(other.key).file("theirs.md", "axolotl\n");
    await createDocument(world, "ours.md", "axolotl\n");
    const seen = (await searchUntilStable(world, kind, "axolotl")).ok(200).data as Json[];
    const seenThere = (await searchUntilStable({ ...world, api: world.as(other.key) }, kind, "axolotl")).ok(200)
      .data as Json[];
    await api.delete(`/admin/workspaces/${other.workspaceId}`);
    assert.deepEqual([seen.length, seenThere.map(({ path }) => path)], [1, ["/theirs.md"]]);
  }),
]);
