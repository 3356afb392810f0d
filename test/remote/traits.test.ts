import { describe, expect, it } from "vitest";
import type { ChangeId, DirId, DocId } from "../../src/contract/ids.ts";
import { SHELL_METACHARACTERS } from "../../src/contract/names.ts";
import { answer, bench, FILE, FIRST_TRAITS, FOLDER, LOST, page, problem } from "./scripted-wire.ts";

const DOC = "doc_1" as DocId;
const DIR = "dir_1" as DirId;

describe("a move to the root", () => {
  it.each([
    ["200", "yes", answer(200, { ...FILE, path: "note.md" })],
    ["200, but it stayed where it was", "no", answer(200, FILE)],
    ["400", "no", problem(400, "invalid_request", ["/parentId"])],
    ["403", "unknown", problem(403, "forbidden")],
    ["409", "unknown", problem(409, "path_already_exists")],
    ["a lost answer", "unknown", LOST],
  ])("answered %s teaches %s", async (_name, moveToRoot, result) => {
    const { remote } = bench([result]);
    await remote.moveFile(DOC, { kind: "root" });
    expect(remote.traits().moveToRoot).toBe(moveToRoot);
  });

  it("is learned of folders too, and a move elsewhere teaches nothing", async () => {
    const toRoot = bench([problem(400, "invalid_request")]);
    await toRoot.remote.moveFolder(DIR, { kind: "root" });
    expect(toRoot.remote.traits().moveToRoot).toBe("no");
    const elsewhere = bench([problem(400, "invalid_request")]);
    await elsewhere.remote.moveFile(DOC, { kind: "folder", id: DIR });
    expect(elsewhere.remote.traits().moveToRoot).toBe("unknown");
  });
});

describe("leading slashes", () => {
  it("are taken off, remembered, and sent in creates and selectors", async () => {
    const { remote, wire } = bench((request) => {
      if (request.method === "GET") return page([{ ...FILE, path: "/a/note.md" }]);
      return answer(201, request.path === "/v1/files" ? { ...FILE, path: "/x/y.md" } : { ...FOLDER, path: "/x" });
    });
    expect((await remote.listFiles({ kind: "none" })).items[0]!.path).toBe("a/note.md");
    expect(remote.traits().leadingSlash).toBe(true);
    expect(await remote.createFile("x/y.md", "")).toMatchObject({ value: { path: "x/y.md" } });
    expect(await remote.createFolder("x")).toMatchObject({ value: { path: "x" } });
    await remote.listFiles({ kind: "path", path: "a/note.md" });
    await remote.listFiles({ kind: "path-prefix", pathPrefix: "a" });
    await remote.findFolder("a");
    const [, post, folder, ...lists] = wire.sent;
    expect([JSON.parse(post!.body!).path, JSON.parse(folder!.body!).path]).toEqual(["/x/y.md", "/x"]);
    const selectors = lists.map((request) => new URLSearchParams(request.path.split("?")[1]));
    expect(selectors.map((each) => each.get("path") ?? each.get("path_prefix"))).toEqual(["/a/note.md", "/a", "/a"]);
  });

  it("are tried when the first path of an empty workspace is refused, once", async () => {
    const { remote, wire } = bench((request) =>
      JSON.parse(request.body!).path.startsWith("/")
        ? answer(201, { ...FILE, path: JSON.parse(request.body!).path })
        : problem(400, "invalid_request", ["/path"]),
    );
    expect(await remote.createFile("a=b.md", "")).toMatchObject({ ok: true, value: { path: "a=b.md" } });
    expect(remote.traits()).toMatchObject({ leadingSlash: true, refusedCharacters: SHELL_METACHARACTERS });
    await remote.createFile("c.md", "");
    expect(wire.sent.map((request) => JSON.parse(request.body!).path)).toEqual(["a=b.md", "/a=b.md", "/c.md"]);
  });
});

const fresh = (results: Parameters<typeof bench>[0]) => bench(results, { traits: null });

describe("a deployment that nothing is known of", () => {
  const ID = "a0b1c2d3e4f5g6";
  const item = { id: `doc_${ID}`, lastChangeId: `chg_${ID}`, path: "/note.md", protected: false };

  it("is sent paths with a leading slash, and without one once that was refused", async () => {
    const { remote, wire } = fresh([
      problem(400, "invalid_request", ["/path"]),
      answer(201, { ...item, path: "a.md" }),
      answer(201, item),
    ]);
    expect(await remote.createFile("a.md", "")).toMatchObject({ ok: true });
    expect(remote.traits().leadingSlash).toBe(false);
    await remote.createFile("b.md", "");
    expect(wire.sent.map(({ body }) => JSON.parse(body!).path)).toEqual(["/a.md", "a.md", "b.md"]);
  });

  it.each(["doc_1", `doc_${"A-9".repeat(40)}`])("accepts an id with any safe suffix: %s", async (id) => {
    const { remote } = fresh([answer(201, { ...item, id }), page([{ ...item, id }])]);
    expect(await remote.createFile("note.md", "")).toMatchObject({ ok: true, value: { id } });
    expect(await remote.listFiles({ kind: "none" })).toMatchObject({ complete: true, items: [{ id }] });
  });

  it.each([`doc_${ID}-cmit_${ID}`, `doc_${ID}_doc_${ID}`, `doc_${ID}:doc_${ID}`])(
    "refuses two ids in one: %s",
    async (id) => {
      const { remote } = fresh([page([{ ...item, id }])]);
      expect(await remote.listFiles({ kind: "none" })).toMatchObject({ complete: false, items: [] });
    },
  );

  it("has defaults for traits that an older version did not store", () => {
    const { folderTree: _, ...older } = FIRST_TRAITS;
    const { remote } = bench([LOST], { traits: older as typeof FIRST_TRAITS });
    expect(remote.traits()).toMatchObject({ folderTree: "unknown", leadingSlash: false });
  });

  it("returns the content of an edit, its version, and why it waits", async () => {
    const changeId = "chg_99999999999999";
    const file = { object: "file", ...item, lastChangeId: changeId };
    const edit = { object: "edit", file, content: "saved" };
    const change = { object: "change", id: changeId, status: "in_review", reason: "conflict", fileIds: [item.id] };
    const { remote, wire } = fresh([answer(200, edit), answer(202, change), answer(202, { id: "chg/1", reason: "?" })]);
    const put = () => remote.putContent(item.id as DocId, item.lastChangeId as ChangeId, "sent");
    expect(await put()).toMatchObject({ ok: true, value: { kind: "live", changeId, content: "saved" } });
    expect(await put()).toMatchObject({ ok: true, value: { kind: "in-review", changeId, reason: "conflict" } });
    expect(await put()).toMatchObject({ ok: true, value: { kind: "in-review", changeId: null, reason: null } });
    expect(wire.sent.length).toBe(3);
  });
});

describe("an edit that meets another", () => {
  it.each([
    ["202 for a conflict", "reviewed", answer(202, { object: "change", id: "chg_1", reason: "conflict" })],
    ["202 for protection", "unknown", answer(202, { object: "change", id: "chg_1", reason: "protected" })],
    ["409", "refused", problem(409, "edit_conflict")],
    ["200", "unknown", answer(200, { object: "edit", file: FILE, content: "x" })],
  ])("answered %s teaches %s", async (_name, conflicts, result) => {
    const { remote } = bench([result]);
    await remote.putContent(DOC, "chg_1" as ChangeId, "x");
    expect(remote.traits().conflicts).toBe(conflicts);
  });
});

describe("refused characters", () => {
  const refusal = problem(400, "invalid_request", ["/path"]);

  it("are learned from a legal path that was refused, and from a name", async () => {
    const { remote } = bench([page([FILE]), refusal, problem(400, "invalid_request", ["/name"])]);
    await remote.listFiles({ kind: "none" });
    await remote.createFile("notes/a=b+c.md", "");
    expect(remote.traits().refusedCharacters).toBe(`${SHELL_METACHARACTERS}=+`);
    await remote.renameFile(DOC, "a@b.md");
    expect(remote.traits().refusedCharacters).toBe(`${SHELL_METACHARACTERS}=+@`);
    await remote.renameFolder(DIR, "a@=b");
    expect(remote.traits().refusedCharacters).toBe(`${SHELL_METACHARACTERS}=+@`);
  });

  it.each([
    ["a path without doubtful characters", "a/b.md", refusal],
    ["a path that our rules refuse", "a b=c.md", refusal],
    ["another pointer", "a=b.md", problem(400, "invalid_request", ["/content"])],
    ["another code", "a=b.md", problem(409, "path_already_exists", ["/path"])],
    ["no pointer", "a=b.md", problem(400, "invalid_request")],
    ["a character that stands in a path of the service's", "seen=/x.md", refusal],
  ])("are not learned from %s", async (_name, path, result) => {
    const { remote } = bench([page([{ ...FILE, path: "seen=/note.md" }]), result]);
    await remote.listFiles({ kind: "none" });
    await remote.createFile(path, "");
    expect(remote.traits().refusedCharacters).toBe(SHELL_METACHARACTERS);
  });

  it("are forgotten if the service's own names have them", async () => {
    const { remote } = bench([page([{ ...FILE, path: "10:30.md" }])]);
    expect(remote.traits().refusedCharacters).toContain(":");
    await remote.listFiles({ kind: "none" });
    expect(remote.traits().refusedCharacters).toBe(SHELL_METACHARACTERS.replace(":", ""));
  });

  it("an accepted metacharacter changes nothing", async () => {
    const { remote } = bench([answer(201, { ...FILE, path: "a(b).md" })]);
    await remote.createFile("a(b).md", "");
    expect(remote.traits()).toEqual(FIRST_TRAITS);
  });
});
