import assert from "node:assert/strict";
import { Heard, lineOf } from "./event-stream.ts";
import { expectGone, expectOk, expectProblem, type Json } from "../../../src/conformance/world.ts";
import { adminTest, type ContractTest, type TestWorld } from "./world.ts";

/**
 * `GET /v1/events`, which is beside the published contract. Events of one listener are in order, so
 * that one which is heard proves that those before it were not told.
 */

async function listen({ stream }: TestWorld, key: string, lastId: string | null = null): Promise<Heard> {
  const headers = { authorization: `Bearer ${key}`, ...(lastId === null ? {} : { "last-event-id": lastId }) };
  const opened = await stream({ method: "GET", path: "/v1/events", headers, body: null });
  if (!("read" in opened)) throw new Error(`it answered ${opened.status} ${opened.body}`);
  assert.match(opened.headers["content-type"] ?? "", /^text\/event-stream/);
  const heard = new Heard(opened);
  // Something comes at once, also behind a proxy that waits for the first byte.
  assert.match((await heard.block()) ?? "the end", /^:/);
  return heard;
}

/** Listens as one who knows nothing yet. */
async function listenAnew(world: TestWorld, key: string): Promise<Heard> {
  const heard = await listen(world, key);
  assert.equal(await heard.line(), "reset");
  return heard;
}

async function keyOf({ admin }: TestWorld, grants: readonly { on: string | null; level: string }[]): Promise<Json> {
  return admin().key(grants as Parameters<ReturnType<TestWorld["admin"]>["key"]>[0]);
}

async function refused({ stream }: TestWorld, path: string, headers: Readonly<Record<string, string>>) {
  const answer = await stream({ method: "GET", path, headers, body: null });
  if ("read" in answer) throw new Error("a stream began");
  return { ...answer, text: answer.body, json: JSON.parse(answer.body) };
}

export const eventTests: readonly ContractTest[] = [
  adminTest("tells who listens what the key may read, and nothing else", async (world) => {
    const { api, folder } = world;
    const [open, hidden] = [await api.folder(`${folder.path}/open`), await api.folder(`${folder.path}/hidden`)];
    const all = await keyOf(world, [{ on: null, level: "read" }]);
    const part = await keyOf(world, [{ on: open.id, level: "read" }]);
    const [everything, some] = [await listenAnew(world, all.key), await listenAnew(world, part.key)];
    const secret = await api.file(`${hidden.path}/secret.md`);
    await api.edit(secret.id, secret.lastChangeId, "more\n");
    expectGone(await api.delete(`/v1/files/${secret.id}`));
    const seen = await api.file(`${open.path}/seen.md`);
    assert.deepEqual(await some.change(), {
      type: "file",
      data: { id: seen.id, change: "created", path: `${open.path}/seen.md`, lastChangeId: seen.lastChangeId },
    });
    const told: string[] = [];
    while (!told.at(-1)?.includes("seen.md")) told.push(lineOf(await everything.change()));
    assert.ok(told.length > 1 && told.slice(0, -1).every((line) => line.startsWith("file ")), told.join("; "));
    // It leaves what the key may read, without a word of where it went.
    expectOk(await api.patch(`/v1/files/${seen.id}`, { parentId: hidden.id }), 200);
    assert.deepEqual(await some.change(), { type: "file", data: { id: seen.id, change: "gone" } });
    for (const heard of [everything, some]) heard.close();
  }),
  adminTest("goes on after the last event that who comes back has heard", async (world) => {
    const { api, folder } = world;
    const { key } = await keyOf(world, [{ on: null, level: "read" }]);
    const first = await listenAnew(world, key);
    await api.file(`${folder.path}/a.md`);
    assert.equal(lineOf(await first.change()), `file created ${folder.path}/a.md`);
    const { lastId } = first;
    first.close();
    await api.file(`${folder.path}/b.md`);
    const back = await listen(world, key, lastId);
    assert.equal(await back.line(), `file created ${folder.path}/b.md`);
    back.close();
    // What nobody has issued, and what was issued for another workspace, is not gone on from.
    const other = expectOk(await world.admin().api.post("/admin/workspaces", { name: `${folder.path}-other` }), 201);
    try {
      for (const [asKey, id] of [
        [key, "evt_nobody"],
        [other.key, lastId],
      ]) {
        const lost = await listen(world, asKey, id);
        assert.equal(await lost.line(), "reset");
        lost.close();
      }
    } finally {
      await world.admin().api.delete(`/admin/workspaces/${other.workspaceId}`);
    }
  }),
  adminTest("tells a reset to a key whose grants change, and ends the stream of one that is revoked", async (world) => {
    const { api, folder, admin } = world;
    const [one, two] = [await api.folder(`${folder.path}/one`), await api.folder(`${folder.path}/two`)];
    const { key, id } = await keyOf(world, [{ on: one.id, level: "read" }]);
    const heard = await listenAnew(world, key);
    await api.file(`${one.path}/first.md`);
    assert.equal(lineOf(await heard.change()), `file created ${one.path}/first.md`);
    expectOk(await admin().api.patch(`/admin/keys/${id}`, { grants: [{ on: two.id, level: "read" }] }), 200);
    assert.equal(await heard.line(), "reset");
    await api.file(`${one.path}/a.md`);
    await api.file(`${two.path}/b.md`);
    assert.equal(await heard.line(), `file created ${two.path}/b.md`);
    expectGone(await admin().api.delete(`/admin/keys/${id}`));
    assert.equal(await heard.line(), "the end");
  }),
  adminTest("refuses a stream as it refuses any request", async (world) => {
    const { key } = await keyOf(world, [{ on: null, level: "read" }]);
    expectProblem(await refused(world, "/v1/events", {}), "unauthenticated");
    expectProblem(await refused(world, "/v1/events", { "x-api-key": "mdm_not-a-key" }), "unauthenticated");
    expectProblem(await refused(world, "/v1/events?since=1", { "x-api-key": key }), "invalid_request", "/since");
    await world.admin().state("closed", 7);
    const closed = await refused(world, "/v1/events", { "x-api-key": key });
    expectProblem(closed, "service_unavailable");
    assert.equal(closed.headers["retry-after"], "7");
  }),
];
