import assert from "node:assert/strict";
import { adminTest, type ContractTest, type TestWorld } from "./world.ts";

/**
 * Creates a protected document with the live content "live\n", and a change to "proposed\n" in
 * review.
 */
async function inReview({ api, folder }: TestWorld, live = "live\n", proposed = "proposed\n") {
  const file = await api.file(`${folder.path}/a.md`, live);
  (await api.patch(`/v1/files/${file.id}`, { protected: true })).ok(200);
  const review = (await api.edit(file.id, file.lastChangeId, proposed)).ok(202);
  return { file, reviewId: review.id as string };
}

/**
 * Creates another workspace with a document in review. Returns a function that removes the
 * workspace.
 */
async function reviewInAnotherWorkspace(world: TestWorld): Promise<() => Promise<void>> {
  const { api } = world.admin();
  const { key, workspaceId } = (await api.post("/admin/workspaces", { name: "another" })).ok(201);
  const other = world.as(key);
  await inReview({ ...world, api: other, folder: await other.folder("/another") });
  return async () => (await api.delete(`/admin/workspaces/${workspaceId}`)).deleted();
}

const reviews: readonly ContractTest[] = [
  adminTest("lists and shows a change in review, and none of another workspace", async (world) => {
    const removeOther = await reviewInAnotherWorkspace(world);
    const { file, reviewId } = await inReview(world);
    const { api, workspaceId } = world.admin();
    const listed = (await api.get(`/admin/reviews?workspaceId=${workspaceId}`)).ok(200).data;
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
    const shown = (await api.get(`/admin/reviews/${reviewId}`)).ok(200);
    const texts = { content: "proposed\n", baseContent: "live\n", liveContent: "live\n" };
    assert.deepEqual(shown, { ...review, ...texts, liveChangeId: file.lastChangeId });
  }),
  adminTest("makes an accepted change live under a new change id", async (world) => {
    const { file, reviewId } = await inReview(world);
    const { api, workspaceId } = world.admin();
    const accepted = (await api.post(`/admin/reviews/${reviewId}/accept`, {})).ok(200);
    assert.notEqual(accepted.lastChangeId, file.lastChangeId);
    assert.deepEqual(await world.api.read(file.id), { ...accepted, content: "proposed\n" });
    assert.deepEqual((await api.get(`/admin/reviews?workspaceId=${workspaceId}`)).ok(200).data, []);
    const done = (await api.get(`/admin/reviews?workspaceId=${workspaceId}&status=accepted`)).ok(200).data;
    assert.deepEqual(
      done.map((each: { id: string; decidedAt: unknown }) => [each.id, typeof each.decidedAt]),
      [[reviewId, "number"]],
    );
    (await world.api.patch(`/v1/files/${file.id}`, { protected: false })).ok(200);
    (await world.api.delete(`/v1/files/${file.id}`)).deleted();
  }),
  adminTest("combines an accepted change with what came between", async (world) => {
    const base = "alpha\n\nmiddle one\n\nmiddle two\n\nmiddle three\n\nomega\n";
    const { file, reviewId } = await inReview(world, base, base.replace("omega", "OMEGA"));
    (await world.api.patch(`/v1/files/${file.id}`, { protected: false })).ok(200);
    (await world.api.edit(file.id, file.lastChangeId, base.replace("alpha", "ALPHA"))).edited();
    (await world.admin().api.post(`/admin/reviews/${reviewId}/accept`, {})).ok(200);
    const { content } = await world.api.read(file.id);
    assert.equal(content, base.replace("alpha", "ALPHA").replace("omega", "OMEGA"));
  }),
  adminTest("answers edit_conflict to accepting what cannot be combined, and leaves it in review", async (world) => {
    const { file, reviewId } = await inReview(world);
    (await world.api.patch(`/v1/files/${file.id}`, { protected: false })).ok(200);
    (await world.api.edit(file.id, file.lastChangeId, "meanwhile\n")).edited();
    (await world.admin().api.post(`/admin/reviews/${reviewId}/accept`, {})).problem("edit_conflict");
    assert.equal((await world.api.read(file.id)).content, "meanwhile\n");
    assert.equal((await world.admin().api.get(`/admin/reviews/${reviewId}`)).ok(200).status, "in_review");
  }),
  adminTest("shows both edits of a conflict, and makes the accepted one live", async (world) => {
    const { api, folder } = world;
    const file = await api.file(`${folder.path}/a.md`, "word\n");
    const live = (await api.edit(file.id, file.lastChangeId, "first\n")).edited();
    const { id } = (await api.edit(file.id, file.lastChangeId, "second\n")).ok(202);
    const admin = world.admin().api;
    const shown = (await admin.get(`/admin/reviews/${id}`)).ok(200);
    assert.deepEqual(
      [shown.reason, shown.content, shown.baseContent, shown.liveContent, shown.liveChangeId],
      ["conflict", "second\n", "word\n", "first\n", live.lastChangeId],
    );
    const accepted = (await admin.post(`/admin/reviews/${id}/accept`, {})).ok(200);
    assert.deepEqual(await api.read(file.id), { ...accepted, content: "second\n" });
    (await api.delete(`/v1/files/${file.id}`)).deleted();
  }),
  adminTest("makes the text live that an accepted review is given", async (world) => {
    const { api, folder } = world;
    const file = await api.file(`${folder.path}/a.md`, "word\n");
    (await api.edit(file.id, file.lastChangeId, "first\n")).edited();
    const { id } = (await api.edit(file.id, file.lastChangeId, "second\n")).ok(202);
    const admin = world.admin().api;
    (await admin.post(`/admin/reviews/${id}/accept`, { content: 7 })).invalid("/content");
    (await admin.post(`/admin/reviews/${id}/accept`, { content: "first, then second\n" })).ok(200);
    assert.equal((await api.read(file.id)).content, "first, then second\n");
    assert.equal((await admin.get(`/admin/reviews/${id}`)).ok(200).status, "accepted");
  }),
  adminTest("leaves the live text at a rejected change, which then no longer holds the file", async (world) => {
    const { file, reviewId } = await inReview(world);
    const rejected = (await world.admin().api.post(`/admin/reviews/${reviewId}/reject`, {})).ok(200);
    assert.equal(rejected.status, "rejected");
    assert.deepEqual(await world.api.read(file.id), { ...file, protected: true, content: "live\n" });
    (await world.api.patch(`/v1/files/${file.id}`, { protected: false })).ok(200);
    (await world.api.delete(`/v1/files/${file.id}`)).deleted();
  }),
  adminTest("decides a review once", async (world) => {
    const { reviewId } = await inReview(world);
    const { api } = world.admin();
    (await api.post(`/admin/reviews/${reviewId}/reject`, {})).ok(200);
    (await api.post(`/admin/reviews/${reviewId}/accept`, {})).problem("not_found");
    (await api.post(`/admin/reviews/${reviewId}/reject`, {})).problem("not_found");
    (await api.get("/admin/reviews/chg_00000000000000")).problem("not_found");
  }),
  adminTest("takes a change in review as a base, and a rejected one: each is one of the file's", async (world) => {
    const text = "alpha\n\nmiddle one\n\nmiddle two\n\nmiddle three\n\nomega\n";
    const { file, reviewId } = await inReview(world, text, text.replace("alpha", "ALPHA"));
    const edited = text.replace("alpha", "ALPHA").replace("omega", "OMEGA");
    (await world.api.edit(file.id, reviewId, edited)).ok(202);
    (await world.api.patch(`/v1/files/${file.id}`, { protected: false })).ok(200);
    const saved = (await world.api.edit(file.id, reviewId, edited)).edited();
    assert.equal(saved.content, text.replace("omega", "OMEGA"));
    (await world.admin().api.post(`/admin/reviews/${reviewId}/reject`, {})).ok(200);
    (await world.api.edit(file.id, reviewId, edited)).edited();
    const other = await world.api.file(`${world.folder.path}/other.md`);
    (await world.api.edit(other.id, reviewId, "x")).problem("invalid_base_change", "/baseChangeId");
  }),
  adminTest("holds several changes of one file in review", async (world) => {
    const { file, reviewId } = await inReview(world);
    const second = (await world.api.edit(file.id, file.lastChangeId, "again\n")).ok(202).id;
    assert.notEqual(second, reviewId);
    const { api, workspaceId } = world.admin();
    const listed = (await api.get(`/admin/reviews?workspaceId=${workspaceId}`)).ok(200).data;
    assert.deepEqual(
      listed.map((each: { id: string }) => each.id),
      [reviewId, second],
    );
  }),
];

const keys: readonly ContractTest[] = [
  adminTest("takes the admin key alone for /admin, and it alone there", async ({ api, as, admin }) => {
    (await api.get("/admin/keys")).problem("unauthenticated");
    (await as(null).get("/admin/keys")).problem("unauthenticated");
    (await as("mdm_wrong").post("/admin/workspaces", { name: "x" })).problem("unauthenticated");
    (await admin().api.get("/v1/files")).problem("unauthenticated");
  }),
  adminTest("shows a key once, and never again", async ({ admin }) => {
    const made = await admin().key([{ on: null, level: "edit" }], { label: "laptop" });
    const reply = await admin().api.get("/admin/keys");
    assert.ok(!reply.text.includes(made.key));
    const { key: _, ...info } = made;
    const listed = reply.ok(200).data.find((each: { id: string }) => each.id === made.id);
    assert.deepEqual(listed, info);
    assert.deepEqual([info.grants, info.lastUsedAt], [[{ on: null, level: "edit" }], null]);
  }),
  adminTest("refuses keys and grants that are malformed or name nothing", async ({ admin, folder }) => {
    const { api, workspaceId } = admin();
    const post = (body: object) => api.post("/admin/keys", { workspaceId, ...body });
    (await post({})).invalid("/grants");
    (await post({ grants: [5] })).invalid("/grants/0");
    (await post({ grants: [{ on: null, level: "owner" }] })).invalid("/grants/0/level");
    (await post({ grants: [{ on: null }] })).invalid("/grants/0/level");
    (await post({ grants: [{ on: "dir_nothing", level: "read" }] })).problem("not_found");
    (await post({ grants: [], rateLimit: { requests: 0, seconds: 1 } })).invalid("/rateLimit");
    (await post({ grants: [], rateLimit: { requests: 3_000_000_000, seconds: 1 } })).invalid("/rateLimit/requests");
    (await post({ grants: [], scope: "all" })).invalid("/scope");
    const twice = { on: folder.id, level: "read" };
    (await post({ grants: [twice, twice] })).invalid();
    (await api.post("/admin/keys", { workspaceId: "wsp_no", grants: [] })).problem("not_found");
    (await api.patch("/admin/keys/key_no", { grants: [] })).problem("not_found");
    (await api.delete("/admin/keys/key_no")).problem("not_found");
  }),
  adminTest("changes the grants or the rate limit of a key, each by itself", async ({ admin, as }) => {
    const { api } = admin();
    const { id, key } = await admin().key([{ on: null, level: "read" }]);
    const patch = (body: object) => api.patch(`/admin/keys/${id}`, body);
    const limited = (await patch({ rateLimit: { requests: 1, seconds: 3_600 } })).ok(200);
    assert.deepEqual(
      [limited.rateLimit, limited.grants],
      [{ requests: 1, seconds: 3_600 }, [{ on: null, level: "read" }]],
    );
    (await as(key).get("/v1/files")).ok(200);
    (await as(key).get("/v1/files")).problem("rate_limited");
    const changed = (await patch({ grants: [] })).ok(200);
    assert.deepEqual([changed.rateLimit, changed.grants], [{ requests: 1, seconds: 3_600 }, []]);
    assert.equal((await patch({ rateLimit: null })).ok(200).rateLimit, null);
    (await as(key).get("/v1/files")).ok(200);
    const dated = (await patch({ label: "phone", expiresAt: 4_102_444_800_000 })).ok(200);
    assert.deepEqual([dated.label, dated.expiresAt, dated.grants], ["phone", 4_102_444_800_000, []]);
    assert.equal((await patch({ expiresAt: null })).ok(200).expiresAt, null);
    (await patch({ label: "x".repeat(201) })).invalid("/label");
    (await patch({ expiresAt: 8_640_000_000_000_001 })).invalid("/expiresAt");
    (await patch({})).invalid("/grants");
    (await patch({ rateLimit: { requests: 0, seconds: 1 } })).invalid("/rateLimit");
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
      const listed = (await admin().api.get("/admin/keys")).ok(200).data;
      return listed.find((each: { id: string }) => each.id === made.id).lastUsedAt;
    };
    assert.equal(await shown(), null);
    (await as(made.key).get("/v1/files")).ok(200);
    assert.equal(typeof (await shown()), "number");
  }),
  adminTest("lists reviews by the page", async (world) => {
    const { api, workspaceId } = world.admin();
    const first = await inReview(world);
    const second = (await world.api.edit(first.file.id, first.file.lastChangeId, "again\n")).ok(202).id;
    const list = (more: string) => api.get(`/admin/reviews?workspaceId=${workspaceId}&limit=1${more}`);
    const page = (await list("")).ok(200);
    assert.deepEqual([page.data.length, page.data[0].id, page.hasMore], [1, first.reviewId, true]);
    const next = (await list(`&cursor=${page.nextCursor}`)).ok(200);
    assert.deepEqual([next.data[0].id, next.hasMore, next.nextCursor], [second, false, null]);
    (await list("&cursor=chg_1")).invalid("/cursor");
  }),
  adminTest("lists keys in the order of their creation", async ({ admin }) => {
    const { api, workspaceId } = admin();
    const made = [await admin().key([]), await admin().key([]), await admin().key([])].map(({ id }) => id);
    const listed: { id: string; workspaceId: string }[] = (await api.get("/admin/keys")).ok(200).data;
    const own = listed.filter((key) => key.workspaceId === workspaceId).map(({ id }) => id);
    // The first key was made with the workspace.
    assert.deepEqual(own.slice(1), made);
  }),
  adminTest("gives a key without grants nothing", async ({ as, admin, api, folder }) => {
    const file = await api.file(`${folder.path}/a.md`);
    const key = as((await admin().key([])).key);
    assert.deepEqual(await key.paths("files"), []);
    (await key.get(`/v1/files/${file.id}`)).problem("file_not_found");
    (await key.post("/v1/files", { path: "x.md", content: "" })).problem("forbidden");
  }),
];

export const adminTests: readonly ContractTest[] = [...reviews, ...keys];

export const adminSettingsTests: readonly ContractTest[] = [
  adminTest("shows settings, and changes those that are sent", async ({ admin }) => {
    const { api } = admin();
    const before = (await api.get("/admin/settings")).ok(200);
    assert.deepEqual(Object.keys(before).sort(), ["keepVersions", "keepVersionsDays", "rateLimit"]);
    const changed = (await api.patch("/admin/settings", { keepVersionsDays: 30 })).ok(200);
    assert.deepEqual(changed, { ...before, keepVersionsDays: 30 });
    const rateLimit = { requests: 1_000_000, seconds: 1 };
    assert.deepEqual((await api.patch("/admin/settings", { rateLimit })).ok(200), { ...changed, rateLimit });
    assert.deepEqual((await api.patch("/admin/settings", before)).ok(200), before);
    (await api.patch("/admin/settings", { keepVersionsDays: -1 })).invalid("/keepVersionsDays");
    (await api.patch("/admin/settings", { rateLimit: { requests: 0, seconds: 1 } })).invalid("/rateLimit");
    (await api.patch("/admin/settings", { rateLimits: null })).invalid("/rateLimits");
    assert.deepEqual((await api.get("/admin/settings")).ok(200), before);
  }),
  adminTest("lists workspaces and refuses unknown ones", async ({ admin }) => {
    const { api, workspaceId } = admin();
    const listed = (await api.get("/admin/workspaces")).ok(200).data;
    assert.equal(listed.find((each: { id: string }) => each.id === workspaceId).state, "open");
    (await api.patch("/admin/workspaces/wsp_no", { state: "open" })).problem("not_found");
    (await api.patch(`/admin/workspaces/${workspaceId}`, { state: "gone" })).invalid("/state");
    (await api.patch(`/admin/workspaces/${workspaceId}`, { state: "open", retryAfter: -1 })).invalid("/retryAfter");
    (await api.delete("/admin/workspaces/wsp_no")).problem("not_found");
    (await api.get("/admin/reviews?workspaceId=wsp_no")).problem("not_found");
    (await api.get("/admin/reviews?status=maybe")).invalid("/status");
    (await api.get("/admin/nothing")).problem("not_found");
  }),
];
