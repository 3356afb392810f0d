import { describe, expect, it } from "vitest";
import type { ChangeId, DirId, DocId } from "../../src/contract/ids.ts";
import type { WireResult } from "../../src/common/wire.ts";
import { NO_TRAITS } from "../../src/mirror/remote/traits.ts";
import { answer, bench, FILE, FOLDER, LOST, problem } from "./scripted-wire.ts";

const DOC = "doc_1" as DocId;
const DIR = "dir_1" as DirId;
const BASE = "chg_1" as ChangeId;
const WHOLE = { ...FILE, lastChangeId: "chg_9", content: "saved" };
const uncertain = { ok: false, fault: { kind: "uncertain" } };

describe("createFile", () => {
  it.each([
    ["all members", answer(201, FILE), FILE, 1],
    ["200 in place of 201", answer(200, FILE), FILE, 1],
    ["the id alone: a GET completes it", answer(201, { id: "doc_1" }), WHOLE, 2],
    ["a change id of the wrong type", answer(201, { ...FILE, lastChangeId: 4 }), WHOLE, 2],
  ])("takes %s", async (_name, made, value, requests) => {
    const { remote, wire } = bench([made, answer(200, WHOLE)]);
    expect(await remote.createFile(FILE.path, "text")).toEqual({ ok: true, value, requestId: null });
    expect(wire.sent.length).toBe(requests);
  });

  it.each([
    ["no id", answer(201, { lastChangeId: "chg_1" })],
    ["an id that is none", answer(201, { ...FILE, id: "../x" })],
    ["no body", answer(201)],
    ["an array", answer(201, [FILE])],
    ["202", answer(202, {})],
    ["another file", answer(201, { ...FILE, path: "a/other.md" })],
  ])("is uncertain after %s", async (_name, made) => {
    expect(await bench([made]).remote.createFile(FILE.path, "text")).toMatchObject(uncertain);
  });

  it("is uncertain when the GET that completes it fails", async () => {
    expect(await bench([answer(201, { id: "doc_1" }), LOST]).remote.createFile(FILE.path, "")).toMatchObject(uncertain);
  });
});

describe("putContent", () => {
  it.each([
    ["all members", answer(200, WHOLE), "chg_9", "saved"],
    ["the content alone", answer(200, { content: "saved" }), null, "saved"],
    ["the change id alone", answer(200, { lastChangeId: "chg_9" }), "chg_9", null],
    ["content and what nobody documents", answer(200, { content: "", status: "live", n: [1] }), null, ""],
    ["an empty object", answer(200, {}), null, null],
    ["members of the wrong type", answer(200, { content: { a: 1 }, lastChangeId: "doc_1" }), null, null],
    ["content that is not Unicode", answer(200, '{"content":"\\ud800"}'), null, null],
  ])("takes %s, and reports members that were not shown as null", async (_name, saved, changeId, content) => {
    const value = { kind: "live", changeId, content };
    expect(await bench([saved]).remote.putContent(DOC, BASE, "x")).toEqual({ ok: true, value, requestId: null });
  });

  it.each([
    ["no body", answer(200)],
    ["204", answer(204)],
    ["another file", answer(200, { ...WHOLE, id: "doc_2" })],
    ["HTML with 202", answer(202, "<html>")],
  ])("is uncertain after %s", async (_name, saved) => {
    expect(await bench([saved]).remote.putContent(DOC, BASE, "x")).toMatchObject(uncertain);
  });

  it.each([
    ["an object", answer(202, { id: "chg_5" })],
    ["nothing", answer(202)],
  ])("is in review after 202 and %s", async (_name, result) => {
    expect(await bench([result]).remote.putContent(DOC, BASE, "x")).toMatchObject({
      ok: true,
      value: { kind: "in-review" },
    });
  });
});

describe("a PATCH of a file", () => {
  it("takes a File", async () => {
    const { remote } = bench([answer(200, FILE)]);
    expect(await remote.renameFile(DOC, "note.md")).toEqual({ ok: true, value: FILE, requestId: null });
  });

  it.each([
    ["another file", answer(200, { ...FILE, id: "doc_2" })],
    ["a part of one", answer(200, { id: "doc_1" })],
    ["no path", answer(200, { ...FILE, path: undefined })],
    ["204", answer(204)],
  ])("is uncertain after %s", async (_name, result) => {
    expect(await bench([result]).remote.setProtected(DOC, true)).toMatchObject(uncertain);
  });

  it("sends exactly one member", async () => {
    const { remote, wire } = bench([answer(200, FILE)]);
    await remote.renameFile(DOC, "b.md");
    await remote.moveFile(DOC, { kind: "folder", id: DIR });
    await remote.moveFile(DOC, { kind: "root" });
    await remote.setProtected(DOC, false);
    const bodies = wire.sent.map((request) => JSON.parse(request.body!));
    expect(bodies).toEqual([{ name: "b.md" }, { parentId: "dir_1" }, { parentId: null }, { protected: false }]);
  });
});

describe("folders", () => {
  it.each([
    ["a Folder", answer(201, { ...FOLDER, name: "a" }), FOLDER],
    ["an id alone", answer(201, { id: "dir_1" }), FOLDER],
  ])("createFolder takes %s", async (_name, result, value) => {
    expect(await bench([result]).remote.createFolder("a")).toMatchObject({ ok: true, value });
  });

  it.each([
    ["no id", { path: "a" }],
    ["another folder", { ...FOLDER, path: "b" }],
  ])("createFolder is uncertain after %s", async (_name, made) => {
    expect(await bench([answer(201, made)]).remote.createFolder("a")).toMatchObject(uncertain);
  });

  it("renameFolder is uncertain when the new path is not shown", async () => {
    expect(await bench([answer(200, { id: "dir_1" })]).remote.renameFolder(DIR, "b")).toMatchObject(uncertain);
  });

  it("deleteFolder is never recursive", async () => {
    const { remote, wire } = bench([answer(204)]);
    expect(await remote.deleteFolder(DIR)).toMatchObject({ ok: true });
    expect(wire.sent).toMatchObject([{ method: "DELETE", path: "/v1/folders/dir_1", body: null }]);
  });

  type Trait = "unknown" | "yes" | "no";
  const rows: readonly (readonly [string, Trait, Trait, string, WireResult])[] = [
    ["404 not_found", "unknown", "no", "problem", problem(404, "not_found")],
    ["404 not_found", "yes", "yes", "problem", problem(404, "not_found")],
    ["404 folder_not_found", "unknown", "unknown", "problem", problem(404, "folder_not_found")],
    ["404 workspace_not_found", "unknown", "unknown", "locked-out", problem(404, "workspace_not_found")],
    ["404 as JSON", "unknown", "no", "problem", answer(404, { message: "Route not found" })],
    ["404 as HTML", "unknown", "no", "problem", answer(404, "Cannot PATCH")],
    ["404 as HTML", "yes", "yes", "uncertain", answer(404, "<html>")],
    ["405", "unknown", "no", "problem", problem(405, "method_not_allowed")],
    ["405 as HTML", "yes", "no", "problem", answer(405, "<html>")],
    ["501", "unknown", "no", "problem", answer(501)],
    ["403", "unknown", "unknown", "problem", problem(403, "forbidden")],
    ["409 folder_not_empty", "unknown", "unknown", "problem", problem(409, "folder_not_empty")],
    ["500", "unknown", "unknown", "uncertain", problem(500, "internal_error")],
    ["lost", "unknown", "unknown", "uncertain", LOST],
  ];
  it.each(rows)("PATCH, DELETE after %s turn %s into %s, and are %s", async (_name, known, learned, kind, result) => {
    const traits = { ...NO_TRAITS, folderPatch: known, folderDelete: known };
    const { remote } = bench([result], { traits });
    expect(await remote.renameFolder(DIR, "b")).toMatchObject({ ok: false, fault: { kind } });
    expect(remote.traits()).toMatchObject({ folderPatch: learned, folderDelete: known });
    expect(await remote.deleteFolder(DIR)).toMatchObject({ ok: false, fault: { kind } });
    expect(remote.traits()).toMatchObject({ folderPatch: learned, folderDelete: learned });
  });

  it("learns from success, also against what was known", async () => {
    const traits = { ...NO_TRAITS, folderPatch: "no", folderDelete: "no" } as const;
    const { remote } = bench([answer(200, FOLDER), answer(204)], { traits });
    await remote.renameFolder(DIR, "a");
    await remote.deleteFolder(DIR);
    expect(remote.traits()).toMatchObject({ folderPatch: "yes", folderDelete: "yes" });
  });
});
