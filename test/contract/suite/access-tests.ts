import assert from "node:assert/strict";
import { ENDPOINTS, ABSENT_DOC } from "../../../src/conformance/access-cases.ts";
import { GENERATION_HEADER, isGeneration } from "../../../src/contract/wire.ts";
import type { Api } from "../../../src/conformance/world.ts";
import { adminTest, type ContractTest, type TestWorld } from "./world.ts";

const closed = adminTest(
  "answers 503 service_unavailable to every endpoint while the workspace is closed",
  async ({ api, admin }) => {
    await admin().state("closed", 7);
    for (const [method, path] of ENDPOINTS) {
      const reply = await api.send(method, path, method === "GET" ? undefined : {});
      reply.problem("service_unavailable");
      assert.equal(reply.headers["retry-after"], "7");
    }
  },
);

const validate = (api: Api, body: object | string = {}) => api.post("/auth/validate-key", body);

const keys: readonly ContractTest[] = [
  adminTest("says whether a key is good", async ({ api, as, admin }) => {
    const good = { object: "api_key", valid: true };
    assert.deepEqual((await validate(api)).ok(200), good);
    const { key } = await admin().key([]);
    assert.deepEqual((await validate(as(key))).ok(200), good);
    for (const bad of [null, "mdm_not-a-key"]) (await validate(as(bad))).problem("unauthenticated");
    (await validate(api, { key })).invalid("/key");
    (await validate(api, "[]")).invalid();
    (await api.get("/auth/validate-key")).problem("not_found");
    await admin().state("closed");
    assert.deepEqual((await validate(api)).ok(200), good);
  }),
  adminTest("names its generation on each answer, the same on all", async ({ api, as, folder }) => {
    const file = await api.file(`${folder.path}/a.md`);
    const replies = [
      await api.get("/v1/files"),
      await api.get(`/v1/files/${file.id}`),
      await api.get(`/v1/files/${ABSENT_DOC}`),
      await as(null).get("/v1/files"),
      await api.delete(`/v1/files/${file.id}`),
    ];
    const named = new Set(replies.map(({ headers }) => headers[GENERATION_HEADER]));
    assert.equal(named.size, 1);
    assert.ok(isGeneration([...named][0]));
  }),
  adminTest("takes the key from either header", async ({ as, admin }) => {
    const { key } = await admin().key([{ on: null, level: "read" }]);
    const nobody = as(null);
    for (const headers of [
      { authorization: `Bearer ${key}` },
      { "x-api-key": key },
      { authorization: `bearer ${key}` },
    ]) {
      (await nobody.send("GET", "/v1/files", undefined, headers)).ok(200);
    }
    (await nobody.send("GET", "/v1/files", undefined, { authorization: `Bearer ${key}`, "x-api-key": key })).ok(200);
    const differ = { authorization: `Bearer ${key}`, "x-api-key": "mdm_other" };
    (await nobody.send("GET", "/v1/files", undefined, differ)).problem("unauthenticated");
    (await nobody.send("GET", "/v1/files", undefined, { authorization: key })).problem("unauthenticated");
    (await nobody.send("GET", "/v1/files", undefined, { authorization: "Basic eDp5" })).problem("unauthenticated");
  }),
  adminTest("answers 404 workspace_not_found to a key whose workspace is gone", async ({ api, admin }) => {
    (await admin().api.delete(`/admin/workspaces/${admin().workspaceId}`)).deleted();
    (await api.get("/v1/files")).problem("workspace_not_found");
  }),
  adminTest("answers 401 to a key that was removed", async ({ as, admin }) => {
    const made = await admin().key([{ on: null, level: "read" }]);
    (await as(made.key).get("/v1/files")).ok(200);
    (await admin().api.delete(`/admin/keys/${made.id}`)).deleted();
    (await as(made.key).get("/v1/files")).problem("unauthenticated");
  }),
  adminTest(
    "answers 503 with Retry-After while the workspace is restored, and serves it after",
    async ({ api, folder, admin }) => {
      await api.file(`${folder.path}/a.md`);
      await admin().state("restoring", 30);
      const reply = await api.get("/v1/files");
      reply.problem("service_unavailable");
      assert.equal(reply.headers["retry-after"], "30");
      await admin().state("open");
      assert.deepEqual(await api.paths("files"), [`${folder.path}/a.md`]);
    },
  ),
  adminTest("takes a key until it expires, and not after it", async ({ as, admin }) => {
    const made = async (expiresAt: number) => as((await admin().key([{ on: null, level: "read" }], { expiresAt })).key);
    const [expired, good] = [await made(Date.now() - 1), await made(Date.now() + 3_600_000)];
    (await good.get("/v1/files")).ok(200);
    (await good.post("/auth/validate-key", {})).ok(200);
    for (const reply of [await expired.get("/v1/files"), await expired.post("/auth/validate-key", {})])
      reply.problem("unauthenticated");
  }),
  adminTest("limits the rate when configured", async ({ as, api, admin }) => {
    const limited = as(
      (await admin().key([{ on: null, level: "read" }], { rateLimit: { requests: 3, seconds: 3_600 } })).key,
    );
    for (let i = 0; i < 3; i++) (await limited.get("/v1/files")).ok(200);
    const reply = await limited.get("/v1/files");
    reply.problem("rate_limited");
    assert.match(reply.headers["retry-after"] ?? "", /^(1199|1200)$/);
    (await api.get("/v1/files")).ok(200);
  }),
];

const isolation: readonly ContractTest[] = [
  isolationTest("shows nothing of one workspace to another's key", async ({ api, folder }, other) => {
    const file = await api.file(`${folder.path}/secret.md`);
    for (const reply of [
      await other.get(`/v1/files/${file.id}`),
      await other.patch(`/v1/files/${file.id}`, { name: "mine.md" }),
      await other.edit(file.id, file.lastChangeId, "mine"),
      await other.delete(`/v1/files/${file.id}`),
    ]) {
      reply.problem("file_not_found");
    }
    (await other.get(`/v1/folders/${folder.id}`)).problem("folder_not_found");
    (await other.get(`/v1/folders?parent_id=${folder.id}`)).problem("folder_not_found");
    (await other.post("/v1/folders", { parentId: folder.id, name: "x" })).problem("folder_not_found");
    assert.deepEqual(await other.paths("files"), []);
    assert.deepEqual(await other.paths("files", { parent_id: folder.id }), []);
    assert.deepEqual(await other.paths("files", { path: file.path }), []);
    assert.deepEqual(await other.paths("folders"), []);
    assert.equal((await api.read(file.id)).content, "text\n");
  }),
  isolationTest("takes the same path in two workspaces", async ({ api }, other) => {
    const own = await api.file("same.md", "one");
    const file = await other.file("same.md", "two");
    assert.equal((await other.read(file.id)).content, "two");
    (await other.get(`/v1/files/${own.id}`)).problem("file_not_found");
    (await api.get(`/v1/files/${file.id}`)).problem("file_not_found");
  }),
  isolationTest("refuses a cursor of another workspace", async ({ api }, other) => {
    for (const name of ["a.md", "b.md"]) await api.file(name);
    const page = await api.page("files", { limit: 1 });
    (await other.get(`/v1/files?limit=1&cursor=${page.nextCursor}`)).problem("invalid_cursor");
  }),
];

/** Defines a test with a key of another workspace, which is removed after the test. */
function isolationTest(title: string, run: (world: TestWorld, other: Api) => Promise<void>): ContractTest {
  return adminTest(title, async (world) => {
    const { api } = world.admin();
    const { key, workspaceId } = (await api.post("/admin/workspaces", { name: "other" })).ok(201);
    try {
      await run(world, world.as(key));
    } finally {
      await api.delete(`/admin/workspaces/${workspaceId}`);
    }
  });
}

export const accessTests: readonly ContractTest[] = [closed, ...keys, ...isolation];
