import { describe, expect, it } from "vitest";
import type { DirId } from "../../src/contract/ids.ts";
import { LIST_LIMITS } from "../../src/mirror/remote/listing.ts";
import { answer, bench, FILE, LOST, page, problem, FIRST_TRAITS, FOLDER } from "./scripted-wire.ts";

const file = (n: number, path = `f${n}.md`) => ({ ...FILE, id: `doc_${n}`, path });
const query = (path: string) => Object.fromEntries(new URLSearchParams(path.split("?")[1]));
const list = (members: object) => answer(200, { object: "list", data: [], hasMore: false, ...members });
const malformed = (detail: string) => ({ kind: "later", cause: "malformed", detail: expect.stringContaining(detail) });

describe("a listing of files", () => {
  it("asks for 1000 and follows the cursor through short and empty pages until hasMore is false", async () => {
    const pages = [page([file(1)], "c 1&x=1"), page([], "c2"), page([], "c3"), page([file(2), file(3)])];
    const { remote, wire } = bench(pages);
    const seen: number[] = [];
    const listing = await remote.listFiles({ kind: "none" }, (count) => seen.push(count));
    expect(listing).toMatchObject({ complete: true, fault: null });
    expect(listing.items.map((item) => item.id)).toEqual(["doc_1", "doc_2", "doc_3"]);
    expect(seen).toEqual([1, 1, 1, 3]);
    expect(wire.sent.map((request) => query(request.path))).toEqual([
      { limit: "1000" },
      { limit: "1000", cursor: "c 1&x=1" },
      { limit: "1000", cursor: "c2" },
      { limit: "1000", cursor: "c3" },
    ]);
  });

  it.each([
    [
      { kind: "path", path: "a b/c.md" },
      { limit: "1000", path: "a b/c.md" },
    ],
    [
      { kind: "path-prefix", pathPrefix: "a&b" },
      { limit: "1000", path_prefix: "a&b" },
    ],
    [
      { kind: "parent-id", parentId: "dir_1" as DirId },
      { limit: "1000", parent_id: "dir_1" },
    ],
  ] as const)("sends the selector %j with every page", async (selector, expected) => {
    const { remote, wire } = bench([page([], "c1"), page([])]);
    await remote.listFiles(selector);
    expect(wire.sent.map((request) => query(request.path))).toEqual([expected, { ...expected, cursor: "c1" }]);
  });

  it("keys by id, last seen wins", async () => {
    const moved = { ...file(1, "new.md"), lastChangeId: "chg_2", protected: true };
    const { remote } = bench([page([file(1, "old.md"), file(2)], "c1"), page([moved])]);
    const { items } = await remote.listFiles({ kind: "none" });
    expect(items).toEqual([moved, file(2)]);
  });

  it("asks for the next page before it takes this one", async () => {
    const { remote, wire } = bench([page([file(1)], "c1"), page([file(2)], "c2"), page([file(3)])]);
    const sent: number[] = [];
    await remote.listFiles({ kind: "none" }, () => sent.push(wire.sent.length));
    expect(sent).toEqual([2, 3, 3]);
  });

  it("takes more items than it asked for, and ignores members it does not know", async () => {
    const many = Array.from({ length: 2_500 }, (_, n) => ({ ...file(n), size: 3, nested: { a: [1] } }));
    const { remote } = bench([list({ data: many, extra: 1 })]);
    const listing = await remote.listFiles({ kind: "none" });
    expect([listing.complete, listing.items.length]).toEqual([true, 2_500]);
    expect(listing.items[0]).toEqual(file(0));
  });

  it("takes a missing `protected` for false", async () => {
    const { remote } = bench([page([{ id: "doc_1", lastChangeId: "chg_1", path: "a.md" }])]);
    expect(await remote.listFiles({ kind: "none" })).toMatchObject({ complete: true, items: [{ protected: false }] });
  });

  it.each([
    ["a string", "x", "not a JSON object"],
    ["null", null, "not a JSON object"],
    ["an id of another kind", { ...file(1), id: "dir_1" }, "its id"],
    ["a composite id", { ...file(1), id: "doc_1:2" }, "its id"],
    ["no id", { lastChangeId: "chg_1", path: "a.md" }, "its id"],
    ["no change id", { id: "doc_1", path: "a.md" }, "lastChangeId"],
    ["a change id of the wrong type", { ...file(1), lastChangeId: 7 }, "lastChangeId"],
    ["no path", { id: "doc_1", lastChangeId: "chg_1" }, "path is not a string"],
    ["a path that climbs", file(1, "a/../../etc/x.md"), "relative name"],
    ["a path with a dot", file(1, "./x.md"), "relative name"],
    ["a path with two slashes in front", file(1, "//x.md"), "empty"],
    ["a path with an empty name", file(1, "a//x.md"), "empty"],
    ["a path with NUL", file(1, "a\u0000.md"), "character"],
    ["a path with a backslash", file(1, "..\\..\\x.md"), "character"],
    ["a path with half a character", file(1, "\ud83d.md"), "character"],
    ["a path with a line end", file(1, "a\n.md"), "character"],
    ["a path that is no file's", file(1, "a/x.txt"), ".md"],
    ["an endless path", file(1, `${"x".repeat(20_000)}.md`), "too long"],
    ["a wrong `protected`", { ...file(1), protected: "no" }, "protected"],
  ])("with %s in it is incomplete, and keeps the rest (I20)", async (_name, odd, why) => {
    const { remote } = bench([page([odd, file(5)], "c1"), page([file(6)])]);
    const listing = await remote.listFiles({ kind: "none" });
    expect(listing.items.map((item) => item.id)).toEqual(["doc_5", "doc_6"]);
    expect(listing).toMatchObject({ complete: false, fault: malformed(why) });
  });

  it.each([
    ["is no object", answer(200, []), "not a JSON object"],
    ["has no data", answer(200, { object: "list", hasMore: false }), "data"],
    ["has data of the wrong type", list({ data: { 0: 1 } }), "data"],
    ["does not say whether there are more", answer(200, { object: "list", data: [] }), "whether"],
    ["says so in the wrong type", list({ hasMore: "false" }), "whether"],
    ["has more and no cursor", list({ hasMore: true }), "without a cursor"],
    ["has more and a null cursor", list({ hasMore: true, nextCursor: null }), "without a cursor"],
    ["has more and an empty cursor", list({ hasMore: true, nextCursor: "" }), "without a cursor"],
    ["has a cursor of the wrong type", list({ hasMore: true, nextCursor: 5 }), "without a cursor"],
    ["has an endless cursor", list({ hasMore: true, nextCursor: "c".repeat(9_999) }), "cursor of the page cannot"],
    ["does not say that it is a list", answer(200, { data: [], hasMore: false }), "not marked as a list"],
    ["is another object", list({ object: "error" }), "not marked as a list"],
    ["repeats a cursor", page([file(1)], "c0"), "repeats"],
    ["is HTML", answer(200, "<html>"), "not JSON"],
    ["has items without end", list({ data: Array(100_001).fill(0) }), "too many items"],
  ])("whose second page %s is incomplete, and keeps the first (I20)", async (_name, second, why) => {
    const { remote } = bench([page([file(1)], "c0"), second]);
    const listing = await remote.listFiles({ kind: "none" });
    expect(listing).toMatchObject({ complete: false, fault: malformed(why), items: [{ id: "doc_1" }] });
  });

  it.each([
    ["HTML", answer(200, "<!doctype html>", { "content-type": "text/html" }), "answers 200, text/html: a web page"],
    ["nothing", answer(200), "an empty answer"],
    ["no list", answer(200, { data: [], hasMore: false }), 'JSON without "object"'],
    ["a list of something else", list({ data: [{ id: "x" }] }), "something else"],
    ["a route that is not there", problem(404, "not_found"), "answers 404"],
    ["a redirect", answer(302, "", { location: "https://a.example/?q=1" }), "a redirect to https://a.example"],
  ])("whose first page is %s shows that another program answers", async (_name, first, looks) => {
    const cause = "not-the-service";
    const fault = { kind: "later", cause, detail: expect.stringContaining(looks) };
    const { remote } = bench([first]);
    expect(await remote.listFiles({ kind: "none" })).toMatchObject({ complete: false, items: [], fault });
    const below = await remote.listFiles({ kind: "path-prefix", pathPrefix: "work" });
    expect(below).toMatchObject({ complete: false, fault });
    // An answer to a request for one path is no proof that another program answers.
    expect(await remote.listFiles({ kind: "path", path: "a.md" })).not.toMatchObject({ fault: { cause } });
  });

  it.each([
    ["a proxy", answer(502, "<html>", { "content-type": "text/html" }), "unavailable"],
    ["a proxy that limits", answer(429, "<html>", { "content-type": "text/html" }), "rate-limited"],
  ])("that %s before the service does not answer is not taken for another service", async (_name, first, cause) => {
    const { remote } = bench([first]);
    expect(await remote.listFiles({ kind: "none" })).toMatchObject({ complete: false, fault: { cause } });
  });

  it("ignores a cursor after the last page", async () => {
    const { remote, wire } = bench([answer(200, { object: "list", data: [], hasMore: false, nextCursor: "c1" })]);
    expect((await remote.listFiles({ kind: "none" })).complete).toBe(true);
    expect(wire.sent.length).toBe(1);
  });

  it("finds a cursor that repeats after a detour", async () => {
    const { remote, wire } = bench((_request, n) => page([file(n)], `c${n % 3}`));
    expect(await remote.listFiles({ kind: "none" })).toMatchObject({ complete: false, fault: malformed("repeats") });
    expect(wire.sent.length).toBe(4);
  });

  it("starts again after invalid_cursor, and forgets what the fresh traversal no longer shows", async () => {
    const refused = problem(400, "invalid_cursor");
    const { remote, wire } = bench([page([file(1), file(2)], "c1"), refused, page([file(2)], "c2"), page([file(3)])]);
    const listing = await remote.listFiles({ kind: "none" });
    expect(listing.complete).toBe(true);
    expect(listing.items.map((item) => item.id)).toEqual(["doc_2", "doc_3"]);
    expect(query(wire.sent[2]!.path)).toEqual({ limit: "1000" });
  });

  it("gives up after three starts, and returns all that it saw", async () => {
    const { remote, wire } = bench((request, n) =>
      request.path.includes("cursor=") ? problem(400, "invalid_cursor") : page([file(n)], "c1"),
    );
    const listing = await remote.listFiles({ kind: "none" });
    expect(listing).toMatchObject({ complete: false, fault: { kind: "problem", code: "invalid_cursor" } });
    expect(listing.items.length).toBe(3);
    expect(wire.sent.length).toBe(6);
  });

  it("does not start again when no cursor was sent", async () => {
    const { remote, wire } = bench([problem(400, "invalid_cursor")]);
    expect((await remote.listFiles({ kind: "none" })).complete).toBe(false);
    expect(wire.sent.length).toBe(1);
  });

  it.each([
    ["a lost page", LOST, { kind: "later", cause: "unreachable" }],
    ["a refused key", problem(401, "unauthenticated"), { kind: "locked-out" }],
    ["a 400", problem(400, "invalid_request"), { kind: "problem" }],
  ])("is incomplete after %s (I20)", async (_name, second, fault) => {
    const { remote } = bench([page([file(1)], "c1"), second]);
    expect(await remote.listFiles({ kind: "none" })).toMatchObject({
      complete: false,
      fault,
      items: [{ id: "doc_1" }],
    });
  });

  it.each<readonly [string, (n: number) => readonly unknown[], number]>([
    ["endless empty pages", () => [], LIST_LIMITS.pagesWithoutNew],
    ["the same items again and again", (n) => [file(n % 7)], LIST_LIMITS.pagesWithoutNew + 7],
    ["always a new item", (n) => [file(n)], LIST_LIMITS.pages],
  ])("that never ends is given up: %s", async (_name, items, pages) => {
    const { remote, wire } = bench((_request, n) => page(items(n), `c${n}`));
    const listing = await remote.listFiles({ kind: "none" });
    expect(listing).toMatchObject({ complete: false, fault: malformed("does not end") });
    expect(wire.sent.length).toBe(pages);
  });
});

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
  ])("walks over the roots where that is %s, and continues so", async (_what, tree) => {
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
