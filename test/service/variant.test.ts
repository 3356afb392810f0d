import { describe, expect, it } from "vitest";
import type { Variant, VariantState } from "../variants/variant.ts";
import { ConnectionLost, varyService } from "../variants/vary-service.ts";
import { Api, expectGone, expectEdited, expectOk, expectProblem } from "../../src/conformance/world.ts";
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
