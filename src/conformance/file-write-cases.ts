import assert from "node:assert/strict";
import { ABSENT_DIR } from "./access-cases.ts";
import { type ContractCase, defineAssumedCase, defineCase } from "./world.ts";

const patchCases: readonly ContractCase[] = [
  defineCase("renames a file in place, and keeps its id and change id", async ({ api, folder }) => {
    const file = await api.file(`${folder.path}/sub/a.md`);
    const renamedFile = (await api.patch(`/v1/files/${file.id}`, { name: "b.md" })).ok(200);
    assert.deepEqual(renamedFile, { ...file, path: `${folder.path}/sub/b.md` });
    assert.deepEqual(await api.paths("files", { path: file.path }), []);
    assert.equal((await api.file(file.path)).path, file.path);
  }),
  defineAssumedCase("renames a file to another case of its name, and to its own name", async ({ api, folder }) => {
    const file = await api.file(`${folder.path}/readme.md`);
    for (const name of ["README.md", "README.md"]) {
      const renamedFile = (await api.patch(`/v1/files/${file.id}`, { name })).ok(200);
      assert.equal(renamedFile.path, `${folder.path}/README.md`);
    }
  }),
  defineCase("moves a file to another folder", async ({ api, folder }) => {
    const file = await api.file(`${folder.path}/a.md`);
    const target = await api.folder(`${folder.path}/target`);
    const movedFile = (await api.patch(`/v1/files/${file.id}`, { parentId: target.id })).ok(200);
    const parent = { parentId: target.id, parentPath: target.path };
    assert.deepEqual(movedFile, { ...file, path: `${folder.path}/target/a.md`, ...parent });
    assert.deepEqual(await api.paths("files", { parent_id: target.id }), [movedFile.path]);
    (await api.patch(`/v1/files/${file.id}`, { parentId: target.id })).ok(200);
  }),
  defineAssumedCase("moves a file to the root", async ({ api, folder }) => {
    const file = await api.file(`${folder.path}${folder.path}.md`);
    const movedFile = (await api.patch(`/v1/files/${file.id}`, { parentId: null })).ok(200);
    assert.deepEqual([movedFile.path, movedFile.parentId, movedFile.parentPath], [`${folder.path}.md`, null, "/"]);
    (await api.patch(`/v1/files/${file.id}`, { parentId: folder.id })).ok(200);
  }),
  defineCase("answers path_already_exists to a rename or move onto another file", async ({ api, folder }) => {
    const a = await api.file(`${folder.path}/a.md`, "a");
    const b = await api.file(`${folder.path}/b.md`, "b");
    const fileInSubfolder = await api.file(`${folder.path}/sub/a.md`, "sub");
    const subfolder = (await api.page("folders", { path: `${folder.path}/sub` })).data[0]!;
    (await api.patch(`/v1/files/${a.id}`, { name: "b.md" })).problem("path_already_exists");
    (await api.patch(`/v1/files/${a.id}`, { parentId: subfolder.id })).problem("path_already_exists");
    const contents = [];
    for (const file of [a, b, fileInSubfolder]) {
      const { path, content } = await api.read(file.id);
      assert.equal(path, file.path);
      contents.push(content);
    }
    assert.deepEqual(contents, ["a", "b", "sub"]);
  }),
  defineCase("answers folder_not_found to a move to a folder that does not exist", async ({ api, folder }) => {
    const file = await api.file(`${folder.path}/a.md`);
    (await api.patch(`/v1/files/${file.id}`, { parentId: ABSENT_DIR })).problem("folder_not_found");
    assert.equal((await api.read(file.id)).path, file.path);
  }),
  defineCase("answers invalid_id to a move to what is no folder id", async ({ api, folder }) => {
    const file = await api.file(`${folder.path}/a.md`);
    for (const parentId of [file.id, "", "dir_", "root", `${folder.id}/${folder.id}`]) {
      (await api.patch(`/v1/files/${file.id}`, { parentId })).problem("invalid_id", "/parentId");
    }
  }),
  defineCase("answers invalid_request to a PATCH of none or two of its members", async ({ api, folder }) => {
    const file = await api.file(`${folder.path}/a.md`);
    const url = `/v1/files/${file.id}`;
    (await api.patch(url, {})).invalid();
    (await api.patch(url, { name: "b.md", protected: true })).invalid("/name", "/protected");
    (await api.patch(url, { name: "b.md", parentId: folder.id })).invalid("/name", "/parentId");
    (await api.patch(url, { name: "b.md", parentId: null, protected: false })).invalid();
    assert.deepEqual(await api.read(file.id), { ...file, content: "text\n" });
  }),
  defineCase("answers invalid_request to a PATCH with unknown members or wrong types", async ({ api, folder }) => {
    const file = await api.file(`${folder.path}/a.md`);
    const url = `/v1/files/${file.id}`;
    (await api.patch(url, { path: "b.md" })).invalid("/path");
    (await api.patch(url, { name: "b.md", content: "x" })).invalid("/content");
    (await api.patch(url, { name: null })).invalid("/name");
    (await api.patch(url, { protected: "true" })).invalid("/protected");
    (await api.patch(url, { protected: null })).invalid("/protected");
    (await api.patch(url, { parentId: 5 })).invalid("/parentId");
  }),
  defineCase("sets and clears protected with Full access", async ({ api, folder }) => {
    const file = await api.file(`${folder.path}/a.md`);
    for (const value of [true, true, false, false]) {
      const changedFile = (await api.patch(`/v1/files/${file.id}`, { protected: value })).ok(200);
      assert.deepEqual(changedFile, { ...file, protected: value });
      assert.equal((await api.read(file.id)).protected, value);
    }
  }),
];

const removeCases: readonly ContractCase[] = [
  defineCase("deletes a file and its history for good", async ({ api, folder }) => {
    const file = await api.file(`${folder.path}/a.md`);
    (await api.delete(`/v1/files/${file.id}`)).deleted();
    (await api.get(`/v1/files/${file.id}`)).problem("file_not_found");
    (await api.delete(`/v1/files/${file.id}`)).problem("file_not_found");
    assert.deepEqual(await api.paths("files", { path: file.path }), []);
    const newFile = await api.file(file.path, "new");
    assert.notEqual(newFile.id, file.id);
    (await api.edit(newFile.id, file.lastChangeId, "x")).problem("invalid_base_change");
  }),
  defineAssumedCase("keeps the folder of the last file deleted", async ({ api, folder }) => {
    const file = await api.file(`${folder.path}/sub/a.md`);
    (await api.delete(`/v1/files/${file.id}`)).deleted();
    assert.deepEqual(await api.paths("folders", { parent_id: folder.id }), [`${folder.path}/sub`]);
  }),
  defineCase(
    "answers file_protected to the delete of a protected file, and removes nothing",
    async ({ api, folder }) => {
      const file = await api.file(`${folder.path}/a.md`);
      (await api.patch(`/v1/files/${file.id}`, { protected: true })).ok(200);
      (await api.delete(`/v1/files/${file.id}`)).problem("file_protected");
      assert.equal((await api.read(file.id)).content, "text\n");
      (await api.patch(`/v1/files/${file.id}`, { protected: false })).ok(200);
      (await api.delete(`/v1/files/${file.id}`)).deleted();
    },
  ),
];

export const fileWriteCases: readonly ContractCase[] = [...patchCases, ...removeCases];
