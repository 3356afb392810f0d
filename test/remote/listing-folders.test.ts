import { describe, expect, it } from "vitest";
import { answer, bench, FIRST_TRAITS, FOLDER, LOST, page, problem } from "./scripted-wire.ts";

const query = (path: string) => Object.fromEntries(new URLSearchParams(path.split("?")[1]));
const malformed = (detail: string) => ({ kind: "later", cause: "malformed", detail: expect.stringContaining(detail) });

const folder = (id: string, path: string) => ({ id: `dir_${id}`, path });

describe("a listing of folders", () => {
  it("lists the roots, then below each, side by side", async () => {
    const { remote, wire } = bench((request) => {
      const { path_prefix: prefix, cursor } = query(request.path) as { path_prefix?: string; cursor?: string };
      if (prefix === undefined) return cursor ? page([folder("b", "b")]) : page([folder("a", "a")], "c1");
      if (prefix === "a") return page([folder("ax", "a/x"), folder("axy", "a/x/y")]);
      return page([]);
    });
    const listing = await remote.listFolders(null);
    expect(listing).toMatchObject({ complete: true, fault: null });
    expect(listing.items.map((item) => item.path).sort()).toEqual(["a", "a/x", "a/x/y", "b"]);
    expect(wire.sent.length).toBe(4);
  });

  const unknown = { traits: { ...FIRST_TRAITS, folderTree: "unknown" as const } };

  it("asks for the whole tree in one request, and remembers that it may", async () => {
    const { remote, wire } = bench([page([folder("a", "a")], "c1"), page([folder("ax", "a/x")]), page([])], unknown);
    const listing = await remote.listFolders(null);
    expect(listing.items.map((item) => item.path)).toEqual(["a", "a/x"]);
    expect(remote.traits().folderTree).toBe("yes");
    expect(await remote.listFolders(null)).toMatchObject({ complete: true, items: [] });
    expect(wire.sent.map((request) => query(request.path)["path_prefix"])).toEqual(["/", "/", "/"]);
  });

  it.each([
    ["refused", problem(400, "invalid_request", ["/path_prefix"])],
    ["taken for the name of no folder", page([])],
  ])("walks over the roots where that is %s, and goes on so", async (_what, tree) => {
    const { remote, wire } = bench((request) => {
      const { path_prefix: prefix } = query(request.path);
      if (prefix === "/") return tree;
      return prefix === undefined ? page([folder("a", "a")]) : page([folder("ax", "a/x")]);
    }, unknown);
    for (const sent of [3, 5]) {
      const listing = await remote.listFolders(null);
      expect(listing).toMatchObject({ complete: true, fault: null });
      expect(listing.items.map((item) => item.path)).toEqual(["a", "a/x"]);
      expect(wire.sent.length).toBe(sent);
    }
    expect(remote.traits().folderTree).toBe("no");
  });

  it("learns nothing of the whole tree from a fault, nor where there are no folders", async () => {
    const lost = bench([LOST], unknown);
    expect(await lost.remote.listFolders(null)).toMatchObject({ complete: false });
    const empty = bench([page([])], unknown);
    expect(await empty.remote.listFolders(null)).toMatchObject({ complete: true, items: [] });
    for (const { remote } of [lost, empty]) expect(remote.traits().folderTree).toBe("unknown");
  });

  it("lists below a prefix alone, when one is given", async () => {
    const { remote, wire } = bench([page([folder("s", "sub"), folder("x", "sub/x"), folder("y", "subway/y")])]);
    const listing = await remote.listFolders("sub");
    expect(listing.items.map((item) => item.path)).toEqual(["sub/x"]);
    expect(wire.sent.map((request) => query(request.path)["path_prefix"])).toEqual(["sub"]);
  });

  it("is incomplete when one of its parts is, and keeps the others", async () => {
    const { remote } = bench((request) => {
      const prefix = query(request.path)["path_prefix"];
      if (prefix === undefined) return page([folder("a", "a"), folder("b", "b")]);
      return prefix === "a" ? answer(200, "<html>") : page([folder("bx", "b/x")]);
    });
    const listing = await remote.listFolders(null);
    expect(listing).toMatchObject({ complete: false, fault: malformed("not JSON") });
    expect(listing.items.map((item) => item.path)).toEqual(["a", "b", "b/x"]);
  });

  it("returns the fault if folders cannot be listed", async () => {
    const { remote } = bench([problem(404, "not_found")]);
    expect(await remote.listFolders(null)).toMatchObject({ complete: false, items: [], fault: { code: "not_found" } });
  });

  it("survives folders without a path, and is incomplete then", async () => {
    const { remote } = bench((request) =>
      request.path.includes("path_prefix")
        ? page([])
        : page([
            { id: "dir_1", name: "a" },
            { ...FOLDER, id: "dir_2" },
          ]),
    );
    const listing = await remote.listFolders(null);
    expect(listing).toMatchObject({ complete: false, items: [{ id: "dir_2", path: "a" }], fault: malformed("path") });
  });

  it("finds one by its exact path, none, or neither", async () => {
    expect(await bench([page([FOLDER])]).remote.findFolder("a")).toMatchObject({ ok: true, value: FOLDER });
    expect(await bench([page([])]).remote.findFolder("a")).toMatchObject({ ok: true, value: null });
    expect(await bench([page([{ id: "dir_1" }])]).remote.findFolder("a")).toMatchObject({ ok: false });
    expect(await bench([LOST]).remote.findFolder("a")).toMatchObject({ ok: false, fault: { kind: "later" } });
  });
});
