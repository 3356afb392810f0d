import { describe, expect, it } from "vitest";
import type { Variant, VariantState } from "../variants/variant.ts";
import { ConnectionLost, varyService } from "../variants/vary-service.ts";
import { Api, expectGone, expectEdited, expectOk, expectProblem } from "../contract/suite/world.ts";
import { openService } from "./fixture.ts";

/** The same service, seen plainly and through a variant. */
async function vary(variant: Variant) {
  const opened = await openService();
  const { service, key, api } = opened;
  const withdraw = async (changeId: string) => void (await service.admin.reviews.reject(changeId));
  const handle = varyService(service.handle, variant, { requests: 0, renames: new Map(), withdraw });
  return { plain: api, varied: new Api(handle, key) };
}

describe("a variant", () => {
  it("without switches answers as the service does", async () => {
    const { plain, varied } = await vary({});
    const file = await varied.file("a/b.md", "text");
    expect(await varied.read(file.id)).toEqual(await plain.read(file.id));
    expect(await varied.page("files")).toEqual(await plain.page("files"));
  });

  it("noLeadingSlashes: answers every path without a leading slash, and takes them", async () => {
    const { varied } = await vary({ noLeadingSlashes: true });
    const file = await varied.file("a/b.md", "x");
    expect(file).toMatchObject({ path: "a/b.md", parentPath: "a" });
    expect(await varied.folder("c")).toMatchObject({ path: "c", parentPath: "" });
    expect(await varied.paths("folders")).toEqual(["a", "c"]);
    expect(await varied.paths("files", { path: "a/b.md" })).toEqual(["a/b.md"]);
    expect(expectEdited(await varied.edit(file.id, file.lastChangeId, "y")).path).toBe("a/b.md");
  });

  it("flatEdits: answers an edit as a File with its content, a review by its file", async () => {
    const { varied } = await vary({ flatEdits: true });
    const file = await varied.file("a.md");
    const saved = expectOk(await varied.edit(file.id, file.lastChangeId, "x"), 200);
    expect(saved).toEqual(await varied.read(file.id));
    expectOk(await varied.patch(`/v1/files/${file.id}`, { protected: true }), 200);
    const review = expectOk(await varied.edit(file.id, saved.lastChangeId, "y"), 202);
    const { id } = review;
    expect(review).toEqual({ id, fileId: file.id, baseChangeId: saved.lastChangeId, status: "in_review" });
  });

  it("documentedMembersOnly: answers an edit with its content alone, a review with nothing", async () => {
    const { varied } = await vary({ documentedMembersOnly: true });
    const file = await varied.file("a.md");
    expect(Object.keys(file).sort()).toEqual(["id", "lastChangeId", "path", "protected"]);
    expect(Object.keys(await varied.folder("b")).sort()).toEqual(["id", "path"]);
    expect(expectOk(await varied.edit(file.id, file.lastChangeId, "x"), 200)).toEqual({ content: "x" });
    expectOk(await varied.patch(`/v1/files/${file.id}`, { protected: true }), 200);
    expect(expectOk(await varied.edit(file.id, file.lastChangeId, "y"), 202)).toEqual({});
  });

  it("conflictsRefused: refuses an edit that cannot be combined, and keeps nothing of it", async () => {
    const { plain, varied } = await vary({ conflictsRefused: true });
    const file = await varied.file("a.md", "one\n");
    expectEdited(await varied.edit(file.id, file.lastChangeId, "two\n"));
    expectProblem(await varied.edit(file.id, file.lastChangeId, "three\n"), "edit_conflict");
    expect((await plain.read(file.id)).content).toBe("two\n");
    expectGone(await varied.delete(`/v1/files/${file.id}`));
  });

  it("looseIds: answers longer ids, and takes them", async () => {
    const { varied } = await vary({ looseIds: true });
    const folder = await varied.folder("a");
    const file = expectOk(await varied.post("/v1/files", { parentId: folder.id, name: "b.md", content: "" }), 201);
    for (const id of [folder.id, file.id, file.lastChangeId, file.parentId]) expect(id).toMatch(/_[a-z0-9]{20}$/);
    expect((await varied.page("files", { parent_id: folder.id })).data).toEqual([file]);
    const saved = expectEdited(await varied.edit(file.id, file.lastChangeId, "x"));
    expect(saved.lastChangeId).toMatch(/^chg_[a-z0-9]{20}$/);
  });

  it("noTree: has no list of the whole tree", async () => {
    const { varied } = await vary({ noTree: true });
    await varied.file("a/b.md");
    for (const kind of ["files", "folders"])
      expectProblem(await varied.get(`/v1/${kind}?path_prefix=/`), "invalid_request", "/path_prefix");
    expect(await varied.paths("files", { path_prefix: "a" })).toEqual(["/a/b.md"]);
  });

  it("firstSearch: searches at the first paths, in the first shapes", async () => {
    const { varied } = await vary({ firstSearch: true });
    const { id } = await varied.file("a.md", "A quokka.\n");
    const [hit] = expectOk(await varied.post("/v1/search", { query: "quokka" }), 200).data;
    expect(hit).toMatchObject({ id, snippets: [{ line: 1, text: "A quokka.", ranges: [[2, 8]] }] });
    const [match] = expectOk(await varied.post("/v1/search/regex", { pattern: "q.o" }), 200).data;
    expect(match).toMatchObject({ id, matches: [{ line: 1, column: 3 }] });
    for (const found of [hit, match]) expect(found).not.toHaveProperty("content");
    expectProblem(await varied.post("/v1/search/regex", { pattern: "(" }), "invalid_request", "/pattern");
  });

  it("unknownMembers: adds members that no document names, also to items", async () => {
    const { varied } = await vary({ unknownMembers: true });
    const file = await varied.file("a.md");
    expect(file).toHaveProperty("xUnknown");
    expect((await varied.page("files")).data[0]).toHaveProperty("xUnknown");
  });

  it("noFolderPatchOrDelete: knows neither, by the status given", async () => {
    for (const status of [404, 405] as const) {
      const { varied } = await vary({ noFolderPatchOrDelete: status });
      const folder = await varied.folder("a");
      for (const reply of [
        await varied.patch(`/v1/folders/${folder.id}`, { name: "b" }),
        await varied.delete(`/v1/folders/${folder.id}?recursive=true`),
      ]) {
        expect([reply.status, reply.json.status]).toEqual([status, status]);
      }
      expectOk(await varied.get(`/v1/folders/${folder.id}`), 200);
    }
  });

  it("changeIdMovesOnRename: gives a new change id by a rename or move, and takes old and new as bases", async () => {
    const { varied } = await vary({ changeIdMovesOnRename: true });
    const file = await varied.file("a.md", "one");
    const renamed = expectOk(await varied.patch(`/v1/files/${file.id}`, { name: "b.md" }), 200);
    expect(renamed.lastChangeId).not.toBe(file.lastChangeId);
    expect((await varied.page("files")).data[0]).toEqual(renamed);
    const saved = expectEdited(await varied.edit(file.id, renamed.lastChangeId, "two"));
    expect(new Set([file.lastChangeId, renamed.lastChangeId, saved.lastChangeId]).size).toBe(3);
    expect((await varied.read(file.id)).lastChangeId).toBe(saved.lastChangeId);
    const flagged = expectOk(await varied.patch(`/v1/files/${file.id}`, { protected: true }), 200);
    expect(flagged.lastChangeId).toBe(saved.lastChangeId);
    const moved = expectOk(
      await varied.patch(`/v1/files/${file.id}`, { parentId: (await varied.folder("x")).id }),
      200,
    );
    expect(moved.lastChangeId).not.toBe(saved.lastChangeId);
    expectOk(await varied.edit(file.id, saved.lastChangeId, "three"), 202);
    expectProblem(await varied.edit(file.id, "x", "three"), "invalid_id");
  });

  it("changeIdMovesOnRename: gives no change id twice, though what a backup has of them is put back", async () => {
    const { service, key } = await openService();
    const state: VariantState = { requests: 0, renames: new Map() };
    const varied = new Api(varyService(service.handle, { changeIdMovesOnRename: true }, state), key);
    const file = await varied.file("a.md", "one");
    const rename = async (name: string) =>
      expectOk(await varied.patch(`/v1/files/${file.id}`, { name }), 200).lastChangeId;
    const before = await rename("b.md");
    const backup = new Map(state.renames);
    const after = await rename("c.md");
    state.renames.clear();
    for (const [id, number] of backup) state.renames.set(id, number);
    expect((await varied.read(file.id)).lastChangeId).toBe(before);
    expect([file.lastChangeId, before, after]).not.toContain(await rename("d.md"));
  });

  it("maxPageSize: pages shorter than asked for, some of them empty, to the same whole", async () => {
    const { plain, varied } = await vary({ maxPageSize: 3 });
    for (let i = 0; i < 20; i++) await plain.file(`${i}.md`);
    for (const limit of [1, 3, 1_000])
      expect(await varied.paths("files", { limit })).toEqual(await plain.paths("files"));
    const first = await varied.page("files", { limit: 1_000 });
    expect(first.data.length).toBe(3);
    const second = await varied.page("files", { cursor: first.nextCursor! });
    expect([second.data.length, second.hasMore]).toEqual([0, true]);
    expect((await varied.page("files", { cursor: second.nextCursor! })).data.length).toBe(3);
    expectProblem(await varied.get(`/v1/files?path_prefix=x&cursor=${first.nextCursor}`), "invalid_cursor");
    expectProblem(await varied.get("/v1/files?limit=1001"), "invalid_request", "/limit");
    expectProblem(await varied.get("/v1/files?limit=1e2"), "invalid_request", "/limit");
  });

  it("normalise: saves and answers another text than was sent", async () => {
    const { plain, varied } = await vary({ normalise: true });
    const file = await varied.file("a.md", "\ufeffone\r\ncafe\u0301");
    expect((await plain.read(file.id)).content).toBe("one\ncaf\u00e9\n");
    const saved = expectEdited(await varied.edit(file.id, file.lastChangeId, "two\r\n\r\nx"));
    expect(saved.content).toBe("two\n\nx\n");
    expect((await varied.read((await varied.file("empty.md", "")).id)).content).toBe("");
  });

  it("noMoveToRoot: answers 400 to parentId null", async () => {
    const { varied } = await vary({ noMoveToRoot: true });
    const file = await varied.file("a/b.md");
    expectProblem(await varied.patch(`/v1/files/${file.id}`, { parentId: null }), "invalid_request", "/parentId");
    expect((await varied.read(file.id)).path).toBe("/a/b.md");
  });

  it("noCreateFolders: makes no missing folder for a create by path", async () => {
    const { varied } = await vary({ noCreateFolders: true });
    expectProblem(await varied.post("/v1/files", { path: "a/b.md", content: "" }), "folder_not_found");
    await varied.folder("a");
    await varied.file("a/b.md");
    await varied.file("root.md");
    expectProblem(await varied.post("/v1/folders", { path: "x/y" }), "folder_not_found");
  });

  it("refusedCharacters: refuses names that the service takes", async () => {
    const { varied } = await vary({ refusedCharacters: "=%" });
    expectProblem(await varied.post("/v1/files", { path: "a=b.md", content: "" }), "invalid_request", "/path");
    const file = await varied.file("a.md", "content may hold = and %");
    expectProblem(await varied.patch(`/v1/files/${file.id}`, { name: "50%.md" }), "invalid_request", "/name");
  });

  it("never combines with a service whose combine is null", async () => {
    const { api } = await openService({ combine: () => null });
    const file = await api.file("a.md", "1\n\n2\n\n3\n");
    expectEdited(await api.edit(file.id, file.lastChangeId, "1!\n\n2\n\n3\n"));
    expect(expectOk(await api.edit(file.id, file.lastChangeId, "1\n\n2\n\n3!\n"), 202).reason).toBe("conflict");
  });
});

describe("a fault", () => {
  it("drops a request before it is executed, or its answer after", async () => {
    const { plain, varied } = await vary({
      fault: (_request, n) => (n === 1 ? "drop-before" : n === 2 ? "drop-after" : null),
    });
    await expect(varied.post("/v1/files", { path: "before.md", content: "" })).rejects.toThrow(ConnectionLost);
    await expect(varied.post("/v1/files", { path: "after.md", content: "" })).rejects.toThrow(ConnectionLost);
    expect(await plain.paths("files")).toEqual(["/after.md"]);
    expect(await varied.paths("files")).toEqual(["/after.md"]);
  });

  it("answers by something else, and executes nothing", async () => {
    const unavailable = { status: 503, headers: { "retry-after": "1" }, body: "<html>busy</html>" };
    const { plain, varied } = await vary({ fault: (request) => (request.method === "DELETE" ? unavailable : null) });
    const file = await varied.file("a.md");
    await expect(varied.delete(`/v1/files/${file.id}`)).rejects.toThrow("JSON");
    expect((await plain.read(file.id)).path).toBe("/a.md");
    expectGone(await plain.delete(`/v1/files/${file.id}`));
  });
});
