import assert from "node:assert/strict";
import { isChangeId } from "../contract/ids.ts";
import {
  defineAssumedCase,
  type ContractCase,
  defineCase,
  expectEdited,
  expectOk,
  expectProblem,
  leavingReview,
} from "./world.ts";

const refused: readonly ContractCase[] = [
  defineCase("refuses a PUT on a protected file for the reasons it has on any", async ({ api, folder }) => {
    const file = await api.file(`${folder.path}/a.md`);
    expectOk(await api.patch(`/v1/files/${file.id}`, { protected: true }), 200);
    expectProblem(await api.edit(file.id, file.lastChangeId, "x".repeat(51_201)), "content_too_large");
    expectProblem(await api.edit(file.id, "chg_00000000000000", "x"), "invalid_base_change");
    expectProblem(await api.edit(file.id, "x", "x"), "invalid_id");
  }),
  defineAssumedCase("renames and moves a protected file immediately", async ({ api, folder }) => {
    const file = await api.file(`${folder.path}/sub/a.md`);
    expectOk(await api.patch(`/v1/files/${file.id}`, { protected: true }), 200);
    expectOk(await api.patch(`/v1/files/${file.id}`, { name: "b.md" }), 200);
    assert.equal(
      expectOk(await api.patch(`/v1/files/${file.id}`, { parentId: folder.id }), 200).path,
      `${folder.path}/b.md`,
    );
    expectOk(await api.patch(`/v1/files/${file.id}`, { protected: false }), 200);
  }),
];

const pending: readonly ContractCase[] = [
  defineCase("answers 202 with the change in review", async ({ api, folder }) => {
    const file = await api.file(`${folder.path}/a.md`, "live\n");
    expectOk(await api.patch(`/v1/files/${file.id}`, { protected: true }), 200);
    const review = expectOk(await api.edit(file.id, file.lastChangeId, "proposed\n"), 202);
    assert.ok(isChangeId(review.id));
    assert.deepEqual(review, {
      object: "change",
      id: review.id,
      status: "in_review",
      reason: "protected",
      fileIds: [file.id],
    });
    assert.deepEqual(await api.read(file.id), { ...file, protected: true, content: "live\n" });
  }),
  defineAssumedCase(
    "edits go live again once protected is cleared, while the review waits",
    async ({ api, folder }) => {
      const file = await api.file(`${folder.path}/a.md`, "live\n");
      expectOk(await api.patch(`/v1/files/${file.id}`, { protected: true }), 200);
      expectOk(await api.edit(file.id, file.lastChangeId, "proposed\n"), 202);
      expectOk(await api.patch(`/v1/files/${file.id}`, { protected: false }), 200);
      assert.equal(expectEdited(await api.edit(file.id, file.lastChangeId, "edited\n")).content, "edited\n");
      expectProblem(await api.delete(`/v1/files/${file.id}`), "changes_in_review");
    },
  ),
  defineCase(
    "answers changes_in_review to the delete of a file in review, and removes nothing",
    async ({ api, folder }) => {
      const file = await api.file(`${folder.path}/a.md`);
      expectOk(await api.patch(`/v1/files/${file.id}`, { protected: true }), 200);
      expectOk(await api.edit(file.id, file.lastChangeId, "proposed\n"), 202);
      expectOk(await api.patch(`/v1/files/${file.id}`, { protected: false }), 200);
      expectProblem(await api.delete(`/v1/files/${file.id}`), "changes_in_review");
      assert.equal((await api.read(file.id)).content, "text\n");
    },
  ),
  defineAssumedCase("takes an edit that cannot be combined into review, and pins the file", async ({ api, folder }) => {
    const file = await api.file(`${folder.path}/sub/a.md`, "word\n");
    const live = expectEdited(await api.edit(file.id, file.lastChangeId, "first\n"));
    const change = expectOk(await api.edit(file.id, file.lastChangeId, "second\n"), 202);
    assert.match(change.id, /^chg_[a-z0-9]{14}$/);
    const { id } = change;
    const wanted = { object: "change", id, status: "in_review", reason: "conflict", fileIds: [file.id] };
    assert.deepEqual(change, wanted);
    assert.deepEqual(await api.read(file.id), live);
    expectProblem(await api.delete(`/v1/files/${file.id}`), "changes_in_review");
    const sub = (await api.page("folders", { path: `${folder.path}/sub` })).data[0]!;
    expectProblem(await api.delete(`/v1/folders/${sub.id}?recursive=true`), "changes_in_review");
    const next = expectEdited(await api.edit(file.id, live.lastChangeId, "third\n"));
    assert.equal(next.content, "third\n");
    expectOk(await api.patch(`/v1/files/${file.id}`, { name: "b.md" }), 200);
  }),
  defineCase("refuses a recursive delete above a file with changes in review", async ({ api, folder }) => {
    const top = await api.folder(`${folder.path}/a`);
    const file = await api.file(`${folder.path}/a/b/c.md`);
    expectOk(await api.patch(`/v1/files/${file.id}`, { protected: true }), 200);
    expectOk(await api.edit(file.id, file.lastChangeId, "proposed\n"), 202);
    expectProblem(await api.delete(`/v1/folders/${top.id}?recursive=true`), "changes_in_review");
    expectOk(await api.patch(`/v1/files/${file.id}`, { protected: false }), 200);
    expectProblem(await api.delete(`/v1/folders/${top.id}?recursive=true`), "changes_in_review");
    assert.equal((await api.read(file.id)).content, "text\n");
  }),
];

export const reviewCases: readonly ContractCase[] = [...refused, ...pending.map(leavingReview)];
