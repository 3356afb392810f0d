import assert from "node:assert/strict";
import { expectGone, expectEdited, expectOk, expectProblem } from "../../../src/conformance/world.ts";
import { adminTest, type ContractTest, type TestWorld } from "./world.ts";

/** A file in review: live "live\n", proposed "proposed\n". */
async function inReview({ api, folder }: TestWorld, live = "live\n", proposed = "proposed\n") {
  const file = await api.file(`${folder.path}/a.md`, live);
  expectOk(await api.patch(`/v1/files/${file.id}`, { protected: true }), 200);
  const review = expectOk(await api.edit(file.id, file.lastChangeId, proposed), 202);
  return { file, reviewId: review.id as string };
}

/** Makes a workspace with a file in review. Returns what removes the workspace. */
async function reviewInAnotherWorkspace(world: TestWorld): Promise<() => Promise<void>> {
  const { api } = world.admin();
  const { key, workspaceId } = expectOk(await api.post("/admin/workspaces", { name: "another" }), 201);
  const other = world.as(key);
  await inReview({ ...world, api: other, folder: await other.folder("/another") });
  return async () => expectGone(await api.delete(`/admin/workspaces/${workspaceId}`));
}

const reviews: readonly ContractTest[] = [
  adminTest("lists and shows a change in review, and none of another workspace", async (world) => {
    const removeOther = await reviewInAnotherWorkspace(world);
    const { file, reviewId } = await inReview(world);
    const { api, workspaceId } = world.admin();
    const listed = expectOk(await api.get(`/admin/reviews?workspaceId=${workspaceId}`), 200).data;
    const review = {
      id: reviewId,
      workspaceId,
      fileId: file.id,
      path: file.path,
      baseChangeId: file.lastChangeId,
      status: "in_review",
      reason: "protected",
      at: listed[0].at,
      sender: listed[0].sender,
      decidedAt: null,
    };
    assert.equal(typeof review.sender, "string");
    assert.deepEqual(listed, [review]);
    await removeOther();
    const shown = expectOk(await api.get(`/admin/reviews/${reviewId}`), 200);
    const texts = { content: "proposed\n", baseContent: "live\n", liveContent: "live\n" };
    assert.deepEqual(shown, { ...review, ...texts, liveChangeId: file.lastChangeId });
  }),
  adminTest("makes an accepted change live under a new change id", async (world) => {
    const { file, reviewId } = await inReview(world);
    const { api, workspaceId } = world.admin();
    const accepted = expectOk(await api.post(`/admin/reviews/${reviewId}/accept`, {}), 200);
    assert.notEqual(accepted.lastChangeId, file.lastChangeId);
    assert.deepEqual(await world.api.read(file.id), { ...accepted, content: "proposed\n" });
    assert.deepEqual(expectOk(await api.get(`/admin/reviews?workspaceId=${workspaceId}`), 200).data, []);
    const done = expectOk(await api.get(`/admin/reviews?workspaceId=${workspaceId}&status=accepted`), 200).data;
    assert.deepEqual(
      done.map((each: { id: string; decidedAt: unknown }) => [each.id, typeof each.decidedAt]),
      [[reviewId, "number"]],
    );
    expectOk(await world.api.patch(`/v1/files/${file.id}`, { protected: false }), 200);
    expectGone(await world.api.delete(`/v1/files/${file.id}`));
  }),
  adminTest("combines an accepted change with what came between", async (world) => {
    const base = "alpha\n\nmiddle one\n\nmiddle two\n\nmiddle three\n\nomega\n";
    const { file, reviewId } = await inReview(world, base, base.replace("omega", "OMEGA"));
    expectOk(await world.api.patch(`/v1/files/${file.id}`, { protected: false }), 200);
    expectEdited(await world.api.edit(file.id, file.lastChangeId, base.replace("alpha", "ALPHA")));
    expectOk(await world.admin().api.post(`/admin/reviews/${reviewId}/accept`, {}), 200);
    const { content } = await world.api.read(file.id);
    assert.equal(content, base.replace("alpha", "ALPHA").replace("omega", "OMEGA"));
  }),
  adminTest("answers edit_conflict to accepting what cannot be combined, and leaves it in review", async (world) => {
    const { file, reviewId } = await inReview(world);
    expectOk(await world.api.patch(`/v1/files/${file.id}`, { protected: false }), 200);
    expectEdited(await world.api.edit(file.id, file.lastChangeId, "meanwhile\n"));
    expectProblem(await world.admin().api.post(`/admin/reviews/${reviewId}/accept`, {}), "edit_conflict");
    assert.equal((await world.api.read(file.id)).content, "meanwhile\n");
    assert.equal(expectOk(await world.admin().api.get(`/admin/reviews/${reviewId}`), 200).status, "in_review");
  }),
  adminTest("shows both edits of a conflict, and makes the accepted one live", async (world) => {
    const { api, folder } = world;
    const file = await api.file(`${folder.path}/a.md`, "word\n");
    const live = expectEdited(await api.edit(file.id, file.lastChangeId, "first\n"));
    const { id } = expectOk(await api.edit(file.id, file.lastChangeId, "second\n"), 202);
    const admin = world.admin().api;
    const shown = expectOk(await admin.get(`/admin/reviews/${id}`), 200);
    assert.deepEqual(
      [shown.reason, shown.content, shown.baseContent, shown.liveContent, shown.liveChangeId],
      ["conflict", "second\n", "word\n", "first\n", live.lastChangeId],
    );
    const accepted = expectOk(await admin.post(`/admin/reviews/${id}/accept`, {}), 200);
    assert.deepEqual(await api.read(file.id), { ...accepted, content: "second\n" });
    expectGone(await api.delete(`/v1/files/${file.id}`));
  }),
  adminTest("makes the text live that an accepted review is given", async (world) => {
    const { api, folder } = world;
    const file = await api.file(`${folder.path}/a.md`, "word\n");
    expectEdited(await api.edit(file.id, file.lastChangeId, "first\n"));
    const { id } = expectOk(await api.edit(file.id, file.lastChangeId, "second\n"), 202);
    const admin = world.admin().api;
    expectProblem(await admin.post(`/admin/reviews/${id}/accept`, { content: 7 }), "invalid_request", "/content");
    expectOk(await admin.post(`/admin/reviews/${id}/accept`, { content: "first, then second\n" }), 200);
    assert.equal((await api.read(file.id)).content, "first, then second\n");
    assert.equal(expectOk(await admin.get(`/admin/reviews/${id}`), 200).status, "accepted");
  }),
  adminTest("leaves the live text at a rejected change, which then no longer holds the file", async (world) => {
    const { file, reviewId } = await inReview(world);
    const rejected = expectOk(await world.admin().api.post(`/admin/reviews/${reviewId}/reject`, {}), 200);
    assert.equal(rejected.status, "rejected");
    assert.deepEqual(await world.api.read(file.id), { ...file, protected: true, content: "live\n" });
    expectOk(await world.api.patch(`/v1/files/${file.id}`, { protected: false }), 200);
    expectGone(await world.api.delete(`/v1/files/${file.id}`));
  }),
  adminTest("decides a review once", async (world) => {
    const { reviewId } = await inReview(world);
    const { api } = world.admin();
    expectOk(await api.post(`/admin/reviews/${reviewId}/reject`, {}), 200);
    expectProblem(await api.post(`/admin/reviews/${reviewId}/accept`, {}), "not_found");
    expectProblem(await api.post(`/admin/reviews/${reviewId}/reject`, {}), "not_found");
    expectProblem(await api.get("/admin/reviews/chg_00000000000000"), "not_found");
  }),
  adminTest("takes a change in review as a base, and a rejected one: each is one of the file's", async (world) => {
    const text = "alpha\n\nmiddle one\n\nmiddle two\n\nmiddle three\n\nomega\n";
    const { file, reviewId } = await inReview(world, text, text.replace("alpha", "ALPHA"));
    const edited = text.replace("alpha", "ALPHA").replace("omega", "OMEGA");
    expectOk(await world.api.edit(file.id, reviewId, edited), 202);
    expectOk(await world.api.patch(`/v1/files/${file.id}`, { protected: false }), 200);
    const saved = expectEdited(await world.api.edit(file.id, reviewId, edited));
    assert.equal(saved.content, text.replace("omega", "OMEGA"));
    expectOk(await world.admin().api.post(`/admin/reviews/${reviewId}/reject`, {}), 200);
    expectEdited(await world.api.edit(file.id, reviewId, edited));
    const other = await world.api.file(`${world.folder.path}/other.md`);
    expectProblem(await world.api.edit(other.id, reviewId, "x"), "invalid_base_change", "/baseChangeId");
  }),
  adminTest("holds several changes of one file in review", async (world) => {
    const { file, reviewId } = await inReview(world);
    const second = expectOk(await world.api.edit(file.id, file.lastChangeId, "again\n"), 202).id;
    assert.notEqual(second, reviewId);
    const { api, workspaceId } = world.admin();
    const listed = expectOk(await api.get(`/admin/reviews?workspaceId=${workspaceId}`), 200).data;
    assert.deepEqual(
      listed.map((each: { id: string }) => each.id),
      [reviewId, second],
    );
  }),
];

const keys: readonly ContractTest[] = [
  adminTest("takes the admin key alone for /admin, and it alone there", async ({ api, as, admin }) => {
    expectProblem(await api.get("/admin/keys"), "unauthenticated");
    expectProblem(await as(null).get("/admin/keys"), "unauthenticated");
    expectProblem(await as("mdm_wrong").post("/admin/workspaces", { name: "x" }), "unauthenticated");
    expectProblem(await admin().api.get("/v1/files"), "unauthenticated");
  }),
  adminTest("shows a key once, and never again", async ({ admin }) => {
    const made = await admin().key([{ on: null, level: "edit" }], { label: "laptop" });
    const reply = await admin().api.get("/admin/keys");
    assert.ok(!reply.text.includes(made.key));
    const { key: _, ...info } = made;
    const listed = expectOk(reply, 200).data.find((each: { id: string }) => each.id === made.id);
    assert.deepEqual(listed, info);
    assert.deepEqual([info.grants, info.lastUsedAt], [[{ on: null, level: "edit" }], null]);
  }),
  adminTest("refuses keys and grants that are malformed or name nothing", async ({ admin, folder }) => {
    const { api, workspaceId } = admin();
    const post = (body: object) => api.post("/admin/keys", { workspaceId, ...body });
    expectProblem(await post({}), "invalid_request", "/grants");
    expectProblem(await post({ grants: [5] }), "invalid_request", "/grants/0");
    expectProblem(await post({ grants: [{ on: null, level: "owner" }] }), "invalid_request", "/grants/0/level");
    expectProblem(await post({ grants: [{ on: null }] }), "invalid_request", "/grants/0/level");
    expectProblem(await post({ grants: [{ on: "dir_nothing", level: "read" }] }), "not_found");
    expectProblem(await post({ grants: [], rateLimit: { requests: 0, seconds: 1 } }), "invalid_request", "/rateLimit");
    expectProblem(await post({ grants: [], scope: "all" }), "invalid_request", "/scope");
    const twice = { on: folder.id, level: "read" };
    expectProblem(await post({ grants: [twice, twice] }), "invalid_request");
    expectProblem(await api.post("/admin/keys", { workspaceId: "wsp_no", grants: [] }), "not_found");
    expectProblem(await api.patch("/admin/keys/key_no", { grants: [] }), "not_found");
    expectProblem(await api.delete("/admin/keys/key_no"), "not_found");
  }),
  adminTest("changes the grants or the rate limit of a key, each by itself", async ({ admin, as }) => {
    const { api } = admin();
    const { id, key } = await admin().key([{ on: null, level: "read" }]);
    const patch = (body: object) => api.patch(`/admin/keys/${id}`, body);
    const limited = expectOk(await patch({ rateLimit: { requests: 1, seconds: 3_600 } }), 200);
    assert.deepEqual(
      [limited.rateLimit, limited.grants],
      [{ requests: 1, seconds: 3_600 }, [{ on: null, level: "read" }]],
    );
    expectOk(await as(key).get("/v1/files"), 200);
    expectProblem(await as(key).get("/v1/files"), "rate_limited");
    const changed = expectOk(await patch({ grants: [] }), 200);
    assert.deepEqual([changed.rateLimit, changed.grants], [{ requests: 1, seconds: 3_600 }, []]);
    assert.equal(expectOk(await patch({ rateLimit: null }), 200).rateLimit, null);
    expectOk(await as(key).get("/v1/files"), 200);
    const dated = expectOk(await patch({ label: "phone", expiresAt: 4_102_444_800_000 }), 200);
    assert.deepEqual([dated.label, dated.expiresAt, dated.grants], ["phone", 4_102_444_800_000, []]);
    assert.equal(expectOk(await patch({ expiresAt: null }), 200).expiresAt, null);
    expectProblem(await patch({ label: "x".repeat(201) }), "invalid_request", "/label");
    expectProblem(await patch({}), "invalid_request", "/grants");
    expectProblem(await patch({ rateLimit: { requests: 0, seconds: 1 } }), "invalid_request", "/rateLimit");
  }),
  adminTest("shows where the grants of a key are, and that it was used", async ({ admin, as, api, folder }) => {
    const file = await api.file(`${folder.path}/a.md`);
    const made = await admin().key([
      { on: folder.id, level: "read" },
      { on: file.id, level: "edit" },
      { on: "/not-there-yet.md", level: "none" },
    ]);
    assert.deepEqual(made.grantPaths, [folder.path, file.path, "/not-there-yet.md"]);
    const shown = async () => {
      const listed = expectOk(await admin().api.get("/admin/keys"), 200).data;
      return listed.find((each: { id: string }) => each.id === made.id).lastUsedAt;
    };
    assert.equal(await shown(), null);
    expectOk(await as(made.key).get("/v1/files"), 200);
    assert.equal(typeof (await shown()), "number");
  }),
  adminTest("lists reviews by the page", async (world) => {
    const { api, workspaceId } = world.admin();
    const first = await inReview(world);
    const second = expectOk(await world.api.edit(first.file.id, first.file.lastChangeId, "again\n"), 202).id;
    const list = (more: string) => api.get(`/admin/reviews?workspaceId=${workspaceId}&limit=1${more}`);
    const page = expectOk(await list(""), 200);
    assert.deepEqual([page.data.length, page.data[0].id, page.hasMore], [1, first.reviewId, true]);
    const next = expectOk(await list(`&cursor=${page.nextCursor}`), 200);
    assert.deepEqual([next.data[0].id, next.hasMore, next.nextCursor], [second, false, null]);
    expectProblem(await list("&cursor=chg_1"), "invalid_request", "/cursor");
  }),
  adminTest("lists keys in the order of their creation", async ({ admin }) => {
    const { api, workspaceId } = admin();
    const made = [await admin().key([]), await admin().key([]), await admin().key([])].map(({ id }) => id);
    const listed: { id: string; workspaceId: string }[] = expectOk(await api.get("/admin/keys"), 200).data;
    const own = listed.filter((key) => key.workspaceId === workspaceId).map(({ id }) => id);
    // The first one came with the workspace.
    assert.deepEqual(own.slice(1), made);
  }),
  adminTest("gives a key without grants nothing", async ({ as, admin, api, folder }) => {
    const file = await api.file(`${folder.path}/a.md`);
    const key = as((await admin().key([])).key);
    assert.deepEqual(await key.paths("files"), []);
    expectProblem(await key.get(`/v1/files/${file.id}`), "file_not_found");
    expectProblem(await key.post("/v1/files", { path: "x.md", content: "" }), "forbidden");
  }),
];

export const adminTests: readonly ContractTest[] = [...reviews, ...keys];
