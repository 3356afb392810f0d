import assert from "node:assert/strict";
import { isChangeId } from "../../../src/contract/ids.ts";
import { type ContractTest, contractTest, expectOk, expectProblem } from "./world.ts";

/** PUT /v1/files/{id}/content on a file that is not protected. */

export const putTests: readonly ContractTest[] = [
  contractTest("answers the saved content and its change id", async ({ api, folder }) => {
    const file = await api.file(`${folder.path}/a.md`, "one\n");
    const saved = expectOk(await api.edit(file.id, file.lastChangeId, "two\n"), 200);
    assert.ok(isChangeId(saved.lastChangeId));
    assert.notEqual(saved.lastChangeId, file.lastChangeId);
    assert.deepEqual(saved, { ...file, lastChangeId: saved.lastChangeId, content: "two\n" });
    assert.deepEqual(await api.read(file.id), saved);
    assert.equal((await api.page("files", { path: file.path })).data[0]?.lastChangeId, saved.lastChangeId);
  }),
  contractTest("takes an edit after a rename on the same base", async ({ api, folder }) => {
    const file = await api.file(`${folder.path}/a.md`, "one\n");
    expectOk(await api.patch(`/v1/files/${file.id}`, { name: "b.md" }), 200);
    assert.equal(expectOk(await api.edit(file.id, file.lastChangeId, "two\n"), 200).path, `${folder.path}/b.md`);
  }),
  contractTest("combines an edit on a stale base with what came between", async ({ api, folder }) => {
    const base = "alpha\n\nmiddle one\n\nmiddle two\n\nmiddle three\n\nomega\n";
    const file = await api.file(`${folder.path}/a.md`, base);
    expectOk(await api.edit(file.id, file.lastChangeId, base.replace("alpha", "ALPHA")), 200);
    const saved = expectOk(await api.edit(file.id, file.lastChangeId, base.replace("omega", "OMEGA")), 200);
    assert.equal(saved.content, base.replace("alpha", "ALPHA").replace("omega", "OMEGA"));
    assert.deepEqual(await api.read(file.id), saved);
  }),
  contractTest("answers 409 edit_conflict when two versions cannot be combined", async ({ api, folder }) => {
    const file = await api.file(`${folder.path}/a.md`, "word\n");
    const live = expectOk(await api.edit(file.id, file.lastChangeId, "first\n"), 200);
    expectProblem(await api.edit(file.id, file.lastChangeId, "second\n"), "edit_conflict");
    assert.deepEqual(await api.read(file.id), live);
  }),
  contractTest("answers a repeated edit as it did before", async ({ api, folder }) => {
    const file = await api.file(`${folder.path}/a.md`, "one\n");
    const saved = expectOk(await api.edit(file.id, file.lastChangeId, "two\n"), 200);
    assert.deepEqual(expectOk(await api.edit(file.id, file.lastChangeId, "two\n"), 200), saved);
  }),
  contractTest("makes no new change for equal content", async ({ api, folder }) => {
    const file = await api.file(`${folder.path}/a.md`, "one\n");
    const saved = expectOk(await api.edit(file.id, file.lastChangeId, "one\n"), 200);
    assert.deepEqual(saved, { ...file, content: "one\n" });
  }),
  contractTest("takes any earlier change of the file as a base", async ({ api, folder }) => {
    const lines = (...changed: number[]) =>
      Array.from({ length: 40 }, (_, i) => `line ${i}${changed.includes(i) ? "!" : ""}\n`).join("");
    const file = await api.file(`${folder.path}/a.md`, lines());
    const second = expectOk(await api.edit(file.id, file.lastChangeId, lines(5)), 200);
    expectOk(await api.edit(file.id, second.lastChangeId, lines(5, 20)), 200);
    const saved = expectOk(await api.edit(file.id, second.lastChangeId, lines(5, 35)), 200);
    assert.equal(saved.content, lines(5, 20, 35));
  }),
  contractTest("answers invalid_base_change to a change that is not the file's", async ({ api, folder }) => {
    const file = await api.file(`${folder.path}/a.md`);
    const other = await api.file(`${folder.path}/b.md`);
    for (const base of [other.lastChangeId, "chg_00000000000000000000"]) {
      expectProblem(await api.edit(file.id, base, "x"), "invalid_base_change", "/baseChangeId");
    }
    assert.equal((await api.read(file.id)).content, "text\n");
  }),
  contractTest("answers invalid_id to a base that is no change id", async ({ api, folder }) => {
    const file = await api.file(`${folder.path}/a.md`);
    for (const base of ["", "chg_", "abc", file.id, "chg_a:chg_b", "chg_a b", `chg_${"x".repeat(129)}`]) {
      expectProblem(await api.edit(file.id, base, "x"), "invalid_id", "/baseChangeId");
    }
  }),
  contractTest(
    "answers invalid_request to a PUT with missing, unknown or mistyped members",
    async ({ api, folder }) => {
      const file = await api.file(`${folder.path}/a.md`);
      const url = `/v1/files/${file.id}/content`;
      const baseChangeId = file.lastChangeId;
      expectProblem(await api.put(url, {}), "invalid_request", "/baseChangeId", "/content");
      expectProblem(await api.put(url, { content: "x" }), "invalid_request", "/baseChangeId");
      expectProblem(await api.put(url, { baseChangeId }), "invalid_request", "/content");
      expectProblem(
        await api.put(url, { baseChangeId: null, content: 5 }),
        "invalid_request",
        "/baseChangeId",
        "/content",
      );
      expectProblem(await api.put(url, { baseChangeId, content: "x", force: true }), "invalid_request", "/force");
      assert.deepEqual(await api.read(file.id), { ...file, content: "text\n" });
    },
  ),
];
