import assert from "node:assert/strict";
import { isChangeId } from "../contract/ids.ts";
import { type ContractCase, defineAssumedCase, defineCase, markLeavingReview } from "./world.ts";

const refusedCases: readonly ContractCase[] = [
  defineCase("refuses a PUT on a protected file for the reasons it has on any", async ({ api, folder }) => {
    const file = await api.file(`${folder.path}/a.md`);
    (await api.patch(`/v1/files/${file.id}`, { protected: true })).ok(200);
    (await api.edit(file.id, file.lastChangeId, "x".repeat(51_201))).problem("content_too_large");
    (await api.edit(file.id, "chg_00000000000000", "x")).problem("invalid_base_change");
    (await api.edit(file.id, "x", "x")).problem("invalid_id");
  }),
  defineAssumedCase("renames and moves a protected file immediately", async ({ api, folder }) => {
    const file = await api.file(`${folder.path}/sub/a.md`);
    (await api.patch(`/v1/files/${file.id}`, { protected: true })).ok(200);
    (await api.patch(`/v1/files/${file.id}`, { name: "b.md" })).ok(200);
    const movedFile = (await api.patch(`/v1/files/${file.id}`, { parentId: folder.id })).ok(200);
    assert.equal(movedFile.path, `${folder.path}/b.md`);
    (await api.patch(`/v1/files/${file.id}`, { protected: false })).ok(200);
  }),
];

const pendingCases: readonly ContractCase[] = [
  defineCase("answers 202 with the change in review", async ({ api, folder }) => {
    const file = await api.file(`${folder.path}/a.md`, "live\n");
    (await api.patch(`/v1/files/${file.id}`, { protected: true })).ok(200);
    const review = (await api.edit(file.id, file.lastChangeId, "proposed\n")).ok(202);
    assert.ok(isChangeId(review.id));
    const { id } = review;
    assert.deepEqual(review, { object: "change", id, status: "in_review", reason: "protected", fileIds: [file.id] });
    assert.deepEqual(await api.read(file.id), { ...file, protected: true, content: "live\n" });
  }),
  defineAssumedCase(
    "edits go live again once protected is cleared, while the review waits",
    async ({ api, folder }) => {
      const file = await api.file(`${folder.path}/a.md`, "live\n");
      (await api.patch(`/v1/files/${file.id}`, { protected: true })).ok(200);
      (await api.edit(file.id, file.lastChangeId, "proposed\n")).ok(202);
      (await api.patch(`/v1/files/${file.id}`, { protected: false })).ok(200);
      assert.equal((await api.edit(file.id, file.lastChangeId, "edited\n")).edited().content, "edited\n");
      (await api.delete(`/v1/files/${file.id}`)).problem("changes_in_review");
    },
  ),
  defineCase(
    "answers changes_in_review to the delete of a file in review, and removes nothing",
    async ({ api, folder }) => {
      const file = await api.file(`${folder.path}/a.md`);
      (await api.patch(`/v1/files/${file.id}`, { protected: true })).ok(200);
      (await api.edit(file.id, file.lastChangeId, "proposed\n")).ok(202);
      (await api.patch(`/v1/files/${file.id}`, { protected: false })).ok(200);
      (await api.delete(`/v1/files/${file.id}`)).problem("changes_in_review");
      assert.equal((await api.read(file.id)).content, "text\n");
    },
  ),
  defineAssumedCase("takes an edit that cannot be combined into review, and pins the file", async ({ api, folder }) => {
    const file = await api.file(`${folder.path}/sub/a.md`, "word\n");
    const publishedFile = (await api.edit(file.id, file.lastChangeId, "first\n")).edited();
    const change = (await api.edit(file.id, file.lastChangeId, "second\n")).ok(202);
    assert.match(change.id, /^chg_[a-z0-9]{14}$/);
    const { id } = change;
    const expectedChange = { object: "change", id, status: "in_review", reason: "conflict", fileIds: [file.id] };
    assert.deepEqual(change, expectedChange);
    assert.deepEqual(await api.read(file.id), publishedFile);
    (await api.delete(`/v1/files/${file.id}`)).problem("changes_in_review");
    const subfolder = (await api.page("folders", { path: `${folder.path}/sub` })).data[0]!;
    (await api.delete(`/v1/folders/${subfolder.id}?recursive=true`)).problem("changes_in_review");
    const nextEdit = (await api.edit(file.id, publishedFile.lastChangeId, "third\n")).edited();
    assert.equal(nextEdit.content, "third\n");
    (await api.patch(`/v1/files/${file.id}`, { name: "b.md" })).ok(200);
  }),
  defineCase("refuses a recursive delete above a file with changes in review", async ({ api, folder }) => {
    const topFolder = await api.folder(`${folder.path}/a`);
    const file = await api.file(`${folder.path}/a/b/c.md`);
    (await api.patch(`/v1/files/${file.id}`, { protected: true })).ok(200);
    (await api.edit(file.id, file.lastChangeId, "proposed\n")).ok(202);
    (await api.delete(`/v1/folders/${topFolder.id}?recursive=true`)).problem("changes_in_review");
    (await api.patch(`/v1/files/${file.id}`, { protected: false })).ok(200);
    (await api.delete(`/v1/folders/${topFolder.id}?recursive=true`)).problem("changes_in_review");
    assert.equal((await api.read(file.id)).content, "text\n");
  }),
];

export const reviewCases: readonly ContractCase[] = [...refusedCases, ...pendingCases.map(markLeavingReview)];
