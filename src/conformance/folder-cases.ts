import assert from "node:assert/strict";
import { ABSENT_DIR } from "./access-cases.ts";
import { type ContractCase, defineAssumedCase, defineCase } from "./world.ts";

const createCases: readonly ContractCase[] = [
  defineAssumedCase("shows the parents of a file and of a folder", async ({ api, folder }) => {
    const newFolder = await api.folder(`${folder.path}/a`);
    assert.match(newFolder.id, /^dir_[a-z0-9]{14}$/);
    const parent = { parentId: folder.id, parentPath: folder.path };
    assert.deepEqual(newFolder, { object: "folder", id: newFolder.id, path: `${folder.path}/a`, ...parent, name: "a" });
    const file = await api.file(`${folder.path}/a.md`);
    assert.match(file.id, /^doc_[a-z0-9]{14}$/);
    assert.match(file.lastChangeId, /^chg_[a-z0-9]{14}$/);
    const { id, lastChangeId } = file;
    const expectedFile = { object: "file", id, path: `${folder.path}/a.md`, ...parent, protected: false, lastChangeId };
    assert.deepEqual(file, expectedFile);
    const topFolder = (await api.get(`/v1/folders/${folder.id}`)).ok(200);
    assert.deepEqual([topFolder.parentId, topFolder.parentPath], [null, "/"]);
    assert.deepEqual((await api.get(`/v1/folders/${newFolder.id}`)).ok(200), newFolder);
  }),
  defineCase("creates a folder by path with its missing parents", async ({ api, folder }) => {
    await api.folder(`${folder.path}/a/b/c`);
    const paths = await api.paths("folders", { path_prefix: folder.path });
    assert.deepEqual(paths, [`${folder.path}/a`, `${folder.path}/a/b`, `${folder.path}/a/b/c`]);
  }),
  defineAssumedCase("creates a folder in the root by parentId null", async ({ api, folder }) => {
    const newFolder = (await api.post("/v1/folders", { parentId: null, name: `${folder.path.slice(1)}-2` })).ok(201);
    assert.deepEqual([newFolder.path, newFolder.parentId], [`${folder.path}-2`, null]);
    (await api.delete(`/v1/folders/${newFolder.id}`)).deleted();
  }),
  defineCase("answers path_already_exists to a taken path, and never merges", async ({ api, folder }) => {
    const newFolder = await api.folder(`${folder.path}/a`);
    (await api.post("/v1/folders", { path: newFolder.path })).problem("path_already_exists");
    (await api.post("/v1/folders", { parentId: folder.id, name: "a" })).problem("path_already_exists");
    (await api.post("/v1/folders", { path: folder.path })).problem("path_already_exists");
    assert.equal((await api.page("folders", { path: newFolder.path })).data[0]?.id, newFolder.id);
  }),
  defineAssumedCase("names each bad field of a folder", async ({ api, folder }) => {
    const badBodies: readonly (readonly [object, ...string[]])[] = [
      [{}, "/parentId", "/name"],
      [{ name: "a" }, "/parentId"],
      [{ parentId: folder.id }, "/name"],
      [{ path: 5 }, "/path"],
      [{ path: "a", name: "a" }, "/path"],
      [{ path: "a", parentId: folder.id }, "/path"],
      [{ path: "a", content: "" }, "/content"],
      [{ parentId: folder.id, name: null }, "/name"],
      [{ parentId: 1, name: "a" }, "/parentId"],
    ];
    for (const [body, ...pointers] of badBodies) {
      (await api.post("/v1/folders", body)).invalid(...pointers);
    }
  }),
];

const placementCases: readonly ContractCase[] = [
  defineAssumedCase("answers folder_not_found to an id that names nothing", async ({ api }) => {
    (await api.get(`/v1/folders/${ABSENT_DIR}`)).problem("folder_not_found");
    (await api.patch(`/v1/folders/${ABSENT_DIR}`, { name: "a" })).problem("folder_not_found");
    (await api.patch(`/v1/folders/${ABSENT_DIR}`, { parentId: null })).problem("folder_not_found");
    (await api.delete(`/v1/folders/${ABSENT_DIR}`)).problem("folder_not_found");
    (await api.delete(`/v1/folders/${ABSENT_DIR}?recursive=true`)).problem("folder_not_found");
  }),
  defineAssumedCase("renames a folder, and with it the paths below, but no id", async ({ api, folder }) => {
    const file = await api.file(`${folder.path}/a/b/c.md`);
    const filesBeside = [await api.file(`${folder.path}/a-b/d.md`), await api.file(`${folder.path}/ab/b/d.md`)];
    const [a, b] = (await api.page("folders", { path_prefix: folder.path })).data;
    const renamedFolder = (await api.patch(`/v1/folders/${a!.id}`, { name: "z😀" })).ok(200);
    assert.deepEqual(renamedFolder, { ...a, path: `${folder.path}/z😀`, name: "z😀" });
    const parentPath = `${folder.path}/z😀/b`;
    assert.deepEqual(await api.read(file.id), { ...file, path: `${parentPath}/c.md`, parentPath, content: "text\n" });
    assert.equal((await api.get(`/v1/folders/${b!.id}`)).ok(200).path, `${folder.path}/z😀/b`);
    for (const { id, path } of filesBeside) assert.equal((await api.read(id)).path, path);
    assert.deepEqual(await api.paths("files", { path_prefix: `${folder.path}/a` }), []);
    const folderRenamedBack = (await api.patch(`/v1/folders/${a!.id}`, { name: "a" })).ok(200);
    assert.equal(folderRenamedBack.path, `${folder.path}/a`);
    assert.equal((await api.read(file.id)).path, file.path);
  }),
  defineAssumedCase("moves a folder with all below", async ({ api, folder }) => {
    const file = await api.file(`${folder.path}/a/b/c.md`);
    const folderB = (await api.page("folders", { path: `${folder.path}/a/b` })).data[0]!;
    const target = await api.folder(`${folder.path}/x/y`);
    const movedFolder = (await api.patch(`/v1/folders/${folderB.id}`, { parentId: target.id })).ok(200);
    assert.deepEqual(movedFolder, {
      ...folderB,
      path: `${target.path}/b`,
      parentId: target.id,
      parentPath: target.path,
    });
    assert.equal((await api.read(file.id)).path, `${folder.path}/x/y/b/c.md`);
    assert.deepEqual(await api.paths("folders", { parent_id: target.id }), [movedFolder.path]);
  }),
  defineAssumedCase("moves a folder to the root", async ({ api, folder }) => {
    const newFolder = await api.folder(`${folder.path}${folder.path}-moved`);
    const movedFolder = (await api.patch(`/v1/folders/${newFolder.id}`, { parentId: null })).ok(200);
    assert.deepEqual([movedFolder.path, movedFolder.parentId], [`${folder.path}-moved`, null]);
    (await api.delete(`/v1/folders/${newFolder.id}`)).deleted();
  }),
  defineAssumedCase("refuses to move a folder below itself", async ({ api, folder }) => {
    const folderA = await api.folder(`${folder.path}/a`);
    const folderB = await api.folder(`${folder.path}/a/b`);
    const similarFolder = await api.folder(`${folder.path}/ab`);
    (await api.patch(`/v1/folders/${folderA.id}`, { parentId: folderA.id })).invalid("/parentId");
    (await api.patch(`/v1/folders/${folderA.id}`, { parentId: folderB.id })).invalid("/parentId");
    assert.equal(
      (await api.patch(`/v1/folders/${folderA.id}`, { parentId: similarFolder.id })).ok(200).path,
      `${folder.path}/ab/a`,
    );
  }),
  defineAssumedCase("answers path_already_exists to a rename or move onto another folder", async ({ api, folder }) => {
    const folderA = await api.folder(`${folder.path}/a`);
    const folderB = await api.folder(`${folder.path}/b`);
    await api.folder(`${folder.path}/b/a`);
    (await api.patch(`/v1/folders/${folderA.id}`, { name: "b" })).problem("path_already_exists");
    (await api.patch(`/v1/folders/${folderA.id}`, { parentId: folderB.id })).problem("path_already_exists");
    assert.equal((await api.patch(`/v1/folders/${folderA.id}`, { name: "a" })).ok(200).path, `${folder.path}/a`);
  }),
  defineAssumedCase(
    "answers folder_not_found to a move of a folder to one that does not exist",
    async ({ api, folder }) => {
      const folderA = await api.folder(`${folder.path}/a`);
      (await api.patch(`/v1/folders/${folderA.id}`, { parentId: ABSENT_DIR })).problem("folder_not_found");
    },
  ),
  defineAssumedCase(
    "answers invalid_request to a folder PATCH of none, two or unknown members",
    async ({ api, folder }) => {
      const folderA = await api.folder(`${folder.path}/a`);
      (await api.patch(`/v1/folders/${folderA.id}`, {})).invalid();
      (await api.patch(`/v1/folders/${folderA.id}`, { name: "b", parentId: null })).invalid("/name", "/parentId");
      (await api.patch(`/v1/folders/${folderA.id}`, { protected: true })).invalid("/protected");
      (await api.patch(`/v1/folders/${folderA.id}`, { name: 5 })).invalid("/name");
      (await api.patch(`/v1/folders/${folderA.id}`, { parentId: "x" })).problem("invalid_id", "/parentId");
    },
  ),
];

const removeCases: readonly ContractCase[] = [
  defineCase("deletes an empty folder", async ({ api, folder }) => {
    const newFolder = await api.folder(`${folder.path}/a`);
    (await api.delete(`/v1/folders/${newFolder.id}`)).deleted();
    (await api.get(`/v1/folders/${newFolder.id}`)).problem("folder_not_found");
    assert.notEqual((await api.folder(newFolder.path)).id, newFolder.id);
  }),
  defineCase(
    "answers folder_not_empty to the delete of a folder with a file or a folder in it",
    async ({ api, folder }) => {
      const folderA = await api.folder(`${folder.path}/a`);
      await api.folder(`${folder.path}/a/b`);
      const folderC = await api.folder(`${folder.path}/c`);
      const file = await api.file(`${folder.path}/c/d.md`);
      (await api.delete(`/v1/folders/${folderA.id}`)).problem("folder_not_empty");
      (await api.delete(`/v1/folders/${folderC.id}`)).problem("folder_not_empty");
      (await api.delete(`/v1/folders/${folderC.id}?recursive=false`)).problem("folder_not_empty");
      assert.equal((await api.read(file.id)).content, "text\n");
    },
  ),
  defineCase("deletes everything below with recursive=true, and nothing beside", async ({ api, folder }) => {
    const folderA = await api.folder(`${folder.path}/a`);
    const removedFiles = [await api.file(`${folder.path}/a/x.md`), await api.file(`${folder.path}/a/b/c/y.md`)];
    const keptFiles = [
      await api.file(`${folder.path}/a-b/x.md`),
      await api.file(`${folder.path}/a.b/x.md`),
      await api.file(`${folder.path}/ab/x.md`),
      await api.file(`${folder.path}/a.md`),
    ];
    (await api.delete(`/v1/folders/${folderA.id}?recursive=true`)).deleted();
    for (const file of removedFiles) (await api.get(`/v1/files/${file.id}`)).problem("file_not_found");
    for (const file of keptFiles) assert.equal((await api.read(file.id)).path, file.path);
    assert.deepEqual(await api.paths("folders", { path_prefix: `${folder.path}/a` }), []);
    assert.deepEqual((await api.paths("folders", { parent_id: folder.id })).sort(), [
      `${folder.path}/a-b`,
      `${folder.path}/a.b`,
      `${folder.path}/ab`,
    ]);
  }),
  defineAssumedCase("refuses a recursive that is neither true nor false", async ({ api, folder }) => {
    const newFolder = await api.folder(`${folder.path}/a`);
    for (const value of ["", "1", "TRUE", "yes", "true%20"]) {
      (await api.delete(`/v1/folders/${newFolder.id}?recursive=${value}`)).invalid("/recursive");
    }
    (await api.delete(`/v1/folders/${newFolder.id}?recursive=true&recursive=true`)).invalid("/recursive");
    (await api.delete(`/v1/folders/${newFolder.id}?force=true`)).invalid("/force");
  }),
  defineAssumedCase("refuses a recursive delete above a protected file", async ({ api, folder }) => {
    const topFolder = await api.folder(`${folder.path}/a`);
    const file = await api.file(`${folder.path}/a/b/c.md`);
    (await api.patch(`/v1/files/${file.id}`, { protected: true })).ok(200);
    (await api.delete(`/v1/folders/${topFolder.id}?recursive=true`)).problem("file_protected");
    (await api.patch(`/v1/files/${file.id}`, { protected: false })).ok(200);
    (await api.delete(`/v1/folders/${topFolder.id}?recursive=true`)).deleted();
  }),
];

export const folderCases: readonly ContractCase[] = [...createCases, ...placementCases, ...removeCases];
