import assert from "node:assert/strict";
import { isChangeId, isDocId } from "../contract/ids.ts";
import { ABSENT_DIR, ABSENT_DOC } from "./access-cases.ts";
import { type ContractCase, defineAssumedCase, defineCase } from "./world.ts";

/**
 * Returns strings that are not ids: in another form, of another kind, joined, too long, or not
 * decodable.
 */
function malformedIds(kind: "doc" | "dir"): string[] {
  const otherKinds = ["abc", "chg_1", "%00", `${kind}-1`, `%20${kind}_1`, kind === "doc" ? "dir_1" : "doc_1"];
  const forms = ["", "a.b", "a%20b", "%F0%9F%98%80", "%zz", "%ff", "'--", "aaaaaaaaaaaaaa-cmit_aaaaaaaaaaaaaa"];
  const composites = ["%2F", ":", ","].map((sign) => `a${sign}${kind}_b`);
  const lengths = [13, 15, 20].map((length) => "a".repeat(length));
  const bodies = [...forms, ...composites, ...lengths, "A".repeat(14)];
  return [...otherKinds, `${kind.toUpperCase()}_1`, ...bodies.map((body) => `${kind}_${body}`)];
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
