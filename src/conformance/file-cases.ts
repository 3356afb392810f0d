import assert from "node:assert/strict";
import { isChangeId, isDocId } from "../contract/ids.ts";
import { ABSENT_DIR, ABSENT_DOC } from "./access-cases.ts";
import { type ContractCase, defineAssumedCase, defineCase } from "./world.ts";

/**
 * Returns strings that are not ids: strings in another form, of another kind, joined, too long, or
 * not decodable.
 */
function malformedIds(kind: "doc" | "dir"): string[] {
  const otherIds = ["abc", "chg_1", "%00", `${kind}-1`, `%20${kind}_1`, kind === "doc" ? "dir_1" : "doc_1"];
  const oddBodies = ["", "a.b", "a%20b", "%F0%9F%98%80", "%zz", "%ff", "'--", "aaaaaaaaaaaaaa-cmit_aaaaaaaaaaaaaa"];
  const compositeBodies = ["%2F", ":", ","].map((sign) => `a${sign}${kind}_b`);
  const otherLengths = [13, 15, 20].map((length) => "a".repeat(length));
  const bodies = [...oddBodies, ...compositeBodies, ...otherLengths, "A".repeat(14)];
  return [...otherIds, `${kind.toUpperCase()}_1`, ...bodies.map((body) => `${kind}_${body}`)];
}

const idCases: readonly ContractCase[] = [
  defineCase("refuses ids that are not of the form", async ({ api }) => {
    for (const id of malformedIds("doc")) {
      (await api.get(`/v1/files/${id}`)).problem("invalid_id");
      (await api.patch(`/v1/files/${id}`, { name: "a.md" })).problem("invalid_id");
      (await api.edit(id, "chg_00000000000000", "")).problem("invalid_id");
      (await api.delete(`/v1/files/${id}`)).problem("invalid_id");
    }
  }),
  defineCase("refuses folder ids that are not of the form", async ({ api }) => {
    for (const id of malformedIds("dir")) {
      (await api.get(`/v1/folders/${id}`)).problem("invalid_id");
      (await api.patch(`/v1/folders/${id}`, { name: "a" })).problem("invalid_id");
      (await api.delete(`/v1/folders/${id}`)).problem("invalid_id");
    }
  }),
  defineCase("answers file_not_found to an id that names nothing", async ({ api }) => {
    (await api.get(`/v1/files/${ABSENT_DOC}`)).problem("file_not_found");
    (await api.patch(`/v1/files/${ABSENT_DOC}`, { name: "a.md" })).problem("file_not_found");
    (await api.patch(`/v1/files/${ABSENT_DOC}`, { parentId: null })).problem("file_not_found");
    (await api.patch(`/v1/files/${ABSENT_DOC}`, { protected: true })).problem("file_not_found");
    (await api.edit(ABSENT_DOC, "chg_00000000000000", "")).problem("file_not_found");
    (await api.delete(`/v1/files/${ABSENT_DOC}`)).problem("file_not_found");
  }),
  defineCase("refuses a query where none is taken", async ({ api, folder }) => {
    const file = await api.file(`${folder.path}/a.md`);
    (await api.get(`/v1/files/${file.id}?content=false`)).invalid("/content");
    (await api.delete(`/v1/files/${file.id}?recursive=true`)).invalid("/recursive");
    (await api.post("/v1/files?x=1", { path: "a.md", content: "" })).invalid("/x");
    assert.equal((await api.read(file.id)).content, "text\n");
  }),
];

const createCases: readonly ContractCase[] = [
  defineAssumedCase("creates a file by path with its missing folders", async ({ api, folder }) => {
    const file = await api.file(`${folder.path}/new/er/a.md`, "hello\n");
    assert.ok(isDocId(file.id));
    assert.ok(isChangeId(file.lastChangeId));
    assert.equal(file.path, `${folder.path}/new/er/a.md`);
    assert.equal(file.protected, false);
    assert.deepEqual(await api.paths("folders", { path_prefix: folder.path }), [
      `${folder.path}/new`,
      `${folder.path}/new/er`,
    ]);
    assert.deepEqual(await api.read(file.id), { ...file, content: "hello\n" });
  }),
  defineCase("creates a file in a folder", async ({ api, folder }) => {
    const body = { parentId: folder.id, name: "a.md", content: "hello" };
    const file = (await api.post("/v1/files", body)).ok(201);
    assert.equal(file.path, `${folder.path}/a.md`);
    assert.equal((await api.read(file.id)).content, "hello");
  }),
  defineAssumedCase("creates a file in the root by parentId null", async ({ api, folder }) => {
    const path = `${folder.path}.md`;
    const body = { parentId: null, name: path.slice(1), content: "" };
    const file = (await api.post("/v1/files", body)).ok(201);
    assert.deepEqual([file.path, file.parentId, file.parentPath], [path, null, "/"]);
    (await api.delete(`/v1/files/${file.id}`)).deleted();
  }),
  defineAssumedCase("creates an empty file", async ({ api, folder }) => {
    const file = await api.file(`${folder.path}/empty.md`, "");
    assert.equal((await api.read(file.id)).content, "");
  }),
  defineCase("answers path_already_exists to a taken path, and overwrites nothing", async ({ api, folder }) => {
    const file = await api.file(`${folder.path}/a.md`, "first");
    (await api.post("/v1/files", { path: file.path, content: "second" })).problem("path_already_exists");
    (await api.post("/v1/files", { path: file.path, content: "first" })).problem("path_already_exists");
    const inFolder = { parentId: folder.id, name: "a.md", content: "second" };
    (await api.post("/v1/files", inFolder)).problem("path_already_exists");
    assert.equal((await api.read(file.id)).content, "first");
  }),
  defineAssumedCase("leaves no folder behind when a create is refused", async ({ api, folder }) => {
    const content = "x".repeat(51_201);
    (await api.post("/v1/files", { path: `${folder.path}/new/a.md`, content })).problem("content_too_large");
    (await api.post("/v1/files", { path: `${folder.path}/new/a b.md`, content: "" })).invalid();
    assert.deepEqual(await api.paths("folders", { parent_id: folder.id }), []);
  }),
  defineCase("answers folder_not_found to a create in a folder that does not exist", async ({ api }) => {
    (await api.post("/v1/files", { parentId: ABSENT_DIR, name: "a.md", content: "" })).problem("folder_not_found");
    (await api.post("/v1/folders", { parentId: ABSENT_DIR, name: "a" })).problem("folder_not_found");
  }),
  defineCase("answers invalid_id to a create in what is no folder id", async ({ api, folder }) => {
    const { id } = await api.file(`${folder.path}/a.md`);
    for (const parentId of [id, "dir_", "", "x", `${folder.id}:${folder.id}`]) {
      (await api.post("/v1/files", { parentId, name: "b.md", content: "" })).problem("invalid_id", "/parentId");
      (await api.post("/v1/folders", { parentId, name: "b" })).problem("invalid_id", "/parentId");
    }
  }),
  defineAssumedCase("names each bad field", async ({ api, folder }) => {
    const badBodies: readonly (readonly [object, ...string[]])[] = [
      [{}, "/parentId", "/name", "/content"],
      [{ path: "a.md" }, "/content"],
      [{ content: "" }, "/parentId", "/name"],
      [{ name: "a.md", content: "" }, "/parentId"],
      [{ parentId: folder.id, content: "" }, "/name"],
      [{ path: 5, content: "" }, "/path"],
      [{ path: "a.md", content: null }, "/content"],
      [{ path: "a.md", content: ["x"] }, "/content"],
      [{ path: null, content: {} }, "/path", "/content"],
      [{ path: "a.md", content: "", protected: true }, "/protected"],
      [{ path: "a.md", content: "", "x/y~z": 1 }, "/x~1y~0z"],
      [{ path: "a.md", content: "", name: "a.md" }, "/path"],
      [{ path: "a.md", content: "", parentId: folder.id }, "/path"],
      [{ parentId: 7, name: true, content: "" }, "/parentId", "/name"],
    ];
    for (const [body, ...pointers] of badBodies) {
      (await api.post("/v1/files", body)).invalid(...pointers);
    }
  }),
  defineCase("gives each created file ids of its own", async ({ api, folder }) => {
    const files = [await api.file(`${folder.path}/a.md`), await api.file(`${folder.path}/b.md`)];
    (await api.delete(`/v1/files/${files[0]!.id}`)).deleted();
    files.push(await api.file(`${folder.path}/a.md`));
    assert.equal(new Set(files.flatMap((file) => [file.id, file.lastChangeId])).size, 6);
  }),
];

const bodyCases: readonly ContractCase[] = [
  defineCase("answers 400 to a body that is not a JSON object", async ({ api, folder }) => {
    const file = await api.file(`${folder.path}/a.md`);
    const targets = [
      ["POST", "/v1/files"],
      ["PATCH", `/v1/files/${file.id}`],
      ["PUT", `/v1/files/${file.id}/content`],
      ["POST", "/v1/folders"],
      ["PATCH", `/v1/folders/${folder.id}`],
    ] as const;
    const otherJsonValues = ["null", "[]", '"text"', "5"];
    const invalidJson = ["", "{", "{'a':1}", '{"a":1}{', "\ufeff{}", "undefined", "[".repeat(50_000)];
    for (const [method, path] of targets) {
      for (const body of [...otherJsonValues, ...invalidJson]) {
        (await api.send(method, path, body)).invalid();
      }
      (await api.send(method, path)).invalid();
    }
  }),
  defineAssumedCase("bounds the body", async ({ api, folder }) => {
    const file = await api.file(`${folder.path}/a.md`);
    const padding = " ".repeat(4 * 1024 * 1024);
    const body = `${padding}{"path":"${folder.path}/b.md","content":""}`;
    (await api.post("/v1/files", body)).invalid();
    (await api.put(`/v1/files/${file.id}/content`, body)).invalid();
    assert.deepEqual(await api.paths("files", { path: `${folder.path}/b.md` }), []);
  }),
  defineCase("takes a member name that JavaScript knows as an unknown one", async ({ api }) => {
    for (const name of ["__proto__", "constructor", "toString", "hasOwnProperty"]) {
      (await api.post("/v1/files", `{"path":"a.md","content":"","${name}":{}}`)).invalid(`/${name}`);
    }
  }),
];

export const fileCases: readonly ContractCase[] = [...idCases, ...createCases, ...bodyCases];

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
    const fileA = await api.file(`${folder.path}/a.md`, "a");
    const fileB = await api.file(`${folder.path}/b.md`, "b");
    const fileInSubfolder = await api.file(`${folder.path}/sub/a.md`, "sub");
    const subfolder = (await api.page("folders", { path: `${folder.path}/sub` })).data[0]!;
    (await api.patch(`/v1/files/${fileA.id}`, { name: "b.md" })).problem("path_already_exists");
    (await api.patch(`/v1/files/${fileA.id}`, { parentId: subfolder.id })).problem("path_already_exists");
    const contents = [];
    for (const file of [fileA, fileB, fileInSubfolder]) {
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

const makeContent = (...changed: number[]) =>
  Array.from({ length: 40 }, (_, i) => `line ${i}${changed.includes(i) ? "!" : ""}\n`).join("");

/** Cases about PUT /v1/files/{id}/content, on a file that is not protected. */
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
    const baseContent = "alpha\n\nmiddle one\n\nmiddle two\n\nmiddle three\n\nomega\n";
    const file = await api.file(`${folder.path}/a.md`, baseContent);
    (await api.edit(file.id, file.lastChangeId, baseContent.replace("alpha", "ALPHA"))).edited();
    const savedFile = (await api.edit(file.id, file.lastChangeId, baseContent.replace("omega", "OMEGA"))).edited();
    assert.equal(savedFile.content, baseContent.replace("alpha", "ALPHA").replace("omega", "OMEGA"));
    assert.deepEqual(await api.read(file.id), savedFile);
  }),
  defineAssumedCase("answers a repeated edit as it did before", async ({ api, folder }) => {
    const file = await api.file(`${folder.path}/a.md`, "one\n");
    const savedFile = (await api.edit(file.id, file.lastChangeId, "two\n")).edited();
    assert.deepEqual((await api.edit(file.id, file.lastChangeId, "two\n")).edited(), savedFile);
  }),
  defineAssumedCase("makes no new change for equal content", async ({ api, folder }) => {
    const file = await api.file(`${folder.path}/a.md`, "one\n");
    const savedFile = (await api.edit(file.id, file.lastChangeId, "one\n")).edited();
    assert.deepEqual(savedFile, { ...file, content: "one\n" });
  }),
  defineCase("takes any earlier change of the file as a base", async ({ api, folder }) => {
    const file = await api.file(`${folder.path}/a.md`, makeContent());
    const secondEdit = (await api.edit(file.id, file.lastChangeId, makeContent(5))).edited();
    (await api.edit(file.id, secondEdit.lastChangeId, makeContent(5, 20))).edited();
    const savedFile = (await api.edit(file.id, secondEdit.lastChangeId, makeContent(5, 35))).edited();
    assert.equal(savedFile.content, makeContent(5, 20, 35));
  }),
  defineCase("answers invalid_base_change to a change that is not the file's", async ({ api, folder }) => {
    const file = await api.file(`${folder.path}/a.md`);
    const otherFile = await api.file(`${folder.path}/b.md`);
    for (const baseChangeId of [otherFile.lastChangeId, "chg_00000000000000"]) {
      (await api.edit(file.id, baseChangeId, "x")).problem("invalid_base_change", "/baseChangeId");
    }
    assert.equal((await api.read(file.id)).content, "text\n");
  }),
  defineCase("answers invalid_id to a base that is no change id", async ({ api, folder }) => {
    const file = await api.file(`${folder.path}/a.md`);
    const compositeIds = ["chg_a:chg_b", "chg_aaaaaaaaaaaaaa-cmit_aaaaaaaaaaaaaa"];
    for (const baseChangeId of ["", "chg_", "abc", file.id, "chg_a b", `chg_${"x".repeat(15)}`, ...compositeIds]) {
      (await api.edit(file.id, baseChangeId, "x")).problem("invalid_id", "/baseChangeId");
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

/** Cases about links that a service must store unchanged, even if the service checks links. */
export const linkCases: readonly ContractCase[] = [
  defineAssumedCase("keeps links by id and by absolute path as they are", async ({ api, folder }) => {
    const target = await api.file(`${folder.path}/target.md`);
    const links = `[id](${target.id}) [folder](${folder.id}) [path](${target.path})\n`;
    const file = await api.file(`${folder.path}/links.md`, links);
    assert.equal((await api.read(file.id)).content, links);
    const changedLinks = `${links}\n[again](${target.path})\n`;
    assert.equal((await api.edit(file.id, file.lastChangeId, changedLinks)).edited().content, changedLinks);
  }),
  defineAssumedCase("leaves links with a scheme, anchors and what is in code alone", async ({ api, folder }) => {
    const text = [
      "[web](https://example.org/a.md) [mail](mailto:a@example.org) [inert](ref://later.md) [here](#anchor)",
      "`[code](customers.md)`",
      "```md\n[fenced](../tables/index.md)\n```",
      "",
    ].join("\n\n");
    const file = await api.file(`${folder.path}/plain.md`, text);
    assert.equal((await api.read(file.id)).content, text);
  }),
];
