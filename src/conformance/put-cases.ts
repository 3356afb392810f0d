/** Cases about PUT /v1/files/{id}/content, on a file that is not protected. */

import assert from "node:assert/strict";
import { isChangeId } from "../contract/ids.ts";
import { type ContractCase, defineAssumedCase, defineCase } from "./world.ts";

const makeContent = (...changed: number[]) =>
  Array.from({ length: 40 }, (_, i) => `line ${i}${changed.includes(i) ? "!" : ""}\n`).join("");

export const putCases: readonly ContractCase[] = [
  defineCase("answers the saved content and its change id", async ({ api, folder }) => {
    const file = await api.file(`${folder.path}/a.md`, "one\n");
    const savedFile = (await api.edit(file.id, file.lastChangeId, "two\n")).edited();
    assert.ok(isChangeId(savedFile.lastChangeId));
    assert.notEqual(savedFile.lastChangeId, file.lastChangeId);
    assert.deepEqual(savedFile, { ...file, lastChangeId: savedFile.lastChangeId, content: "two\n" });
    assert.deepEqual(await api.read(file.id), savedFile);
    assert.equal((await api.page("files", { path: file.path })).data[0]?.lastChangeId, savedFile.lastChangeId);
  }),
  defineCase("takes an edit after a rename on the same base", async ({ api, folder }) => {
    const file = await api.file(`${folder.path}/a.md`, "one\n");
    (await api.patch(`/v1/files/${file.id}`, { name: "b.md" })).ok(200);
    assert.equal((await api.edit(file.id, file.lastChangeId, "two\n")).edited().path, `${folder.path}/b.md`);
  }),
  defineCase("combines an edit on a stale base with what came between", async ({ api, folder }) => {
    const base = "alpha\n\nmiddle one\n\nmiddle two\n\nmiddle three\n\nomega\n";
    const file = await api.file(`${folder.path}/a.md`, base);
    (await api.edit(file.id, file.lastChangeId, base.replace("alpha", "ALPHA"))).edited();
    const saved = (await api.edit(file.id, file.lastChangeId, base.replace("omega", "OMEGA"))).edited();
    assert.equal(saved.content, base.replace("alpha", "ALPHA").replace("omega", "OMEGA"));
    assert.deepEqual(await api.read(file.id), saved);
  }),
  defineAssumedCase("answers a repeated edit as it did before", async ({ api, folder }) => {
    const file = await api.file(`${folder.path}/a.md`, "one\n");
    const saved = (await api.edit(file.id, file.lastChangeId, "two\n")).edited();
    assert.deepEqual((await api.edit(file.id, file.lastChangeId, "two\n")).edited(), saved);
  }),
  defineAssumedCase("makes no new change for equal content", async ({ api, folder }) => {
    const file = await api.file(`${folder.path}/a.md`, "one\n");
    const saved = (await api.edit(file.id, file.lastChangeId, "one\n")).edited();
    assert.deepEqual(saved, { ...file, content: "one\n" });
  }),
  defineCase("takes any earlier change of the file as a base", async ({ api, folder }) => {
    const file = await api.file(`${folder.path}/a.md`, makeContent());
    const secondEdit = (await api.edit(file.id, file.lastChangeId, makeContent(5))).edited();
    (await api.edit(file.id, secondEdit.lastChangeId, makeContent(5, 20))).edited();
    const saved = (await api.edit(file.id, secondEdit.lastChangeId, makeContent(5, 35))).edited();
    assert.equal(saved.content, makeContent(5, 20, 35));
  }),
  defineCase("answers invalid_base_change to a change that is not the file's", async ({ api, folder }) => {
    const file = await api.file(`${folder.path}/a.md`);
    const otherFile = await api.file(`${folder.path}/b.md`);
    for (const base of [otherFile.lastChangeId, "chg_00000000000000"]) {
      (await api.edit(file.id, base, "x")).problem("invalid_base_change", "/baseChangeId");
    }
    assert.equal((await api.read(file.id)).content, "text\n");
  }),
  defineCase("answers invalid_id to a base that is no change id", async ({ api, folder }) => {
    const file = await api.file(`${folder.path}/a.md`);
    const composites = ["chg_a:chg_b", "chg_aaaaaaaaaaaaaa-cmit_aaaaaaaaaaaaaa"];
    for (const base of ["", "chg_", "abc", file.id, "chg_a b", `chg_${"x".repeat(15)}`, ...composites]) {
      (await api.edit(file.id, base, "x")).problem("invalid_id", "/baseChangeId");
    }
  }),
  defineCase("answers invalid_request to a PUT with missing, unknown or mistyped members", async ({ api, folder }) => {
    const file = await api.file(`${folder.path}/a.md`);
    const url = `/v1/files/${file.id}/content`;
    const baseChangeId = file.lastChangeId;
    (await api.put(url, {})).invalid("/baseChangeId", "/content");
    (await api.put(url, { content: "x" })).invalid("/baseChangeId");
    (await api.put(url, { baseChangeId })).invalid("/content");
    (await api.put(url, { baseChangeId: null, content: 5 })).invalid("/baseChangeId", "/content");
    (await api.put(url, { baseChangeId, content: "x", force: true })).invalid("/force");
    assert.deepEqual(await api.read(file.id), { ...file, content: "text\n" });
  }),
];
