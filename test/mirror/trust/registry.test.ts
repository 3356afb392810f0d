import {
  chmodSync,
  chownSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { userInfo } from "node:os";
import { join } from "node:path";
import { beforeEach, describe, expect, test } from "vitest";
import {
  findByMarker,
  findByRoot,
  type KnownMirror,
  listMirrors,
  locateRegistry,
  writeMirror,
} from "../../../src/mirror/trust/registry.ts";
import { temporaryFolder } from "../../temporary-folder.ts";

let dir: string;
let folder: string;
beforeEach(() => {
  dir = temporaryFolder();
  folder = locateRegistry({ XDG_STATE_HOME: dir });
});

const NOTES: KnownMirror = {
  marker: "m1",
  name: "notes",
  addresses: ["https://files.example.org"],
  allowHttp: ["nas.local"],
  roots: ["/home/ann/notes"],
};
const isRoot = process.getuid?.() === 0;
const NOBODY = 65_534;

describe("the place of the list of linked folders", () => {
  test("is XDG_STATE_HOME, else .local/state in HOME, else in the home of the user database", () => {
    expect(locateRegistry({ XDG_STATE_HOME: "/s", HOME: dir })).toBe("/s/mdmirror/mirrors");
    expect(locateRegistry({ XDG_STATE_HOME: "relative", HOME: dir })).toBe(`${dir}/.local/state/mdmirror/mirrors`);
    const own = `${userInfo().homedir}/.local/state/mdmirror/mirrors`;
    expect(locateRegistry({})).toEqual(own);
    expect(locateRegistry({ HOME: "" })).toEqual(own);
    expect(locateRegistry({ HOME: "/nonexistent" })).toEqual(own);
  });

  test.skipIf(!isRoot)("is not in a HOME that belongs to another user (needs root)", () => {
    chownSync(dir, NOBODY, NOBODY);
    expect(locateRegistry({ HOME: dir })).toBe(`${userInfo().homedir}/.local/state/mdmirror/mirrors`);
  });
});

describe("an entry", () => {
  test("is found by its marker, and by a root, as it was written; nothing else is", () => {
    expect(findByMarker(folder, "m1")).toEqual({ kind: "unknown" });
    expect(listMirrors(folder)).toEqual({ mirrors: [], unfit: [] });
    expect(writeMirror(folder, NOTES)).toBeNull();
    expect(findByMarker(folder, "m1")).toEqual({ kind: "known", mirror: NOTES });
    expect(findByRoot(folder, "/home/ann/notes")).toEqual({ kind: "known", mirror: NOTES });
    expect(findByMarker(folder, "m2")).toEqual({ kind: "unknown" });
    expect(findByRoot(folder, "/home/ann")).toEqual({ kind: "unknown" });
  });

  test("is this user's alone to read, under any umask, and leaves nothing beside it", () => {
    const before = process.umask(0);
    try {
      writeMirror(folder, NOTES);
      writeMirror(folder, { ...NOTES, name: "other" });
    } finally {
      process.umask(before);
    }
    expect(readdirSync(folder)).toEqual(["m1.json"]);
    const modes = [join(dir, "mdmirror"), folder, join(folder, "m1.json")].map((path) => statSync(path).mode & 0o777);
    expect(modes).toEqual([0o700, 0o700, 0o600]);
  });

  test("of one linked folder is never touched by a write of another's", () => {
    writeMirror(folder, NOTES);
    const before = lstatSync(join(folder, "m1.json"), { bigint: true });
    writeMirror(folder, { ...NOTES, marker: "m2" });
    const after = lstatSync(join(folder, "m1.json"), { bigint: true });
    expect([after.ino, after.ctimeNs]).toEqual([before.ino, before.ctimeNs]);
  });

  test("with the identity of the folder, as earlier versions wrote it, is still known", () => {
    writeMirror(folder, NOTES);
    const earlier = JSON.stringify({ version: 1, ...NOTES, folder: "7:1700000000000" });
    writeFileSync(join(folder, "m1.json"), earlier, { mode: 0o600 });
    expect(findByMarker(folder, "m1")).toEqual({ kind: "known", mirror: NOTES });
  });

  test.each([
    ["cut off", '{"version":1,"marker":"m1"'],
    ["of another marker", JSON.stringify({ version: 1, ...NOTES, marker: "m2" })],
    ["of a newer version", JSON.stringify({ version: 2, ...NOTES }), "was written by a newer mdmirror"],
    ["of a version that never was", JSON.stringify({ version: 0, ...NOTES })],
    ["with a member of another form", JSON.stringify({ version: 1, ...NOTES, addresses: "https://evil.example" })],
    ["with a root that is none", JSON.stringify({ version: 1, ...NOTES, roots: [1] })],
    ["that is no object", "null"],
    ["longer than any", " ".repeat(70_000) + JSON.stringify({ version: 1, ...NOTES }), "is larger than 64 KiB"],
  ])("%s is not trusted, is reported, and is set aside by the next write", (_what, text, fault = "is damaged") => {
    const file = join(folder, "m1.json");
    mkdirSync(folder, { recursive: true, mode: 0o700 });
    chmodSync(join(dir, "mdmirror"), 0o700);
    writeFileSync(file, text, { mode: 0o600 });
    expect(findByMarker(folder, "m1")).toEqual({ kind: "unfit", why: `${file} ${fault}` });
    expect(listMirrors(folder)).toEqual({ mirrors: [], unfit: [`${file} ${fault}`] });
    expect(writeMirror(folder, NOTES)).toBe(`${file} ${fault}; it was set aside as ${file}.damaged`);
    expect(readFileSync(`${file}.damaged`, "utf8")).toBe(text);
    expect(findByMarker(folder, "m1").kind).toBe("known");
  });
});

describe("what another user could have put at its path", () => {
  const file = () => join(folder, "m1.json");

  test("a symbolic link in the place of an entry is not followed, to read or to write", () => {
    writeMirror(folder, NOTES);
    const elsewhere = join(dir, "elsewhere.json");
    writeFileSync(elsewhere, readFileSync(file()), { mode: 0o600 });
    rmSync(file());
    symlinkSync(elsewhere, file());
    expect(findByMarker(folder, "m1")).toMatchObject({ kind: "unfit", why: expect.stringContaining("ELOOP") });
    writeMirror(folder, { ...NOTES, name: "new" });
    expect(readFileSync(elsewhere, "utf8")).toContain('"notes"');
    expect(findByMarker(folder, "m1")).toMatchObject({ kind: "known", mirror: { name: "new" } });
  });

  test("a symbolic link in the place of the folder is not followed, to read or to write", () => {
    mkdirSync(join(dir, "theirs"));
    symlinkSync(join(dir, "theirs"), join(dir, "mdmirror"));
    expect(() => writeMirror(folder, NOTES)).toThrow(/is not a folder/);
    expect(findByMarker(folder, "m1")).toMatchObject({ kind: "unfit", why: `${dir}/mdmirror is not a folder` });
    expect(listMirrors(folder).unfit).toEqual([`${dir}/mdmirror is not a folder`]);
  });

  test("a folder or an entry that others may write is not believed", () => {
    writeMirror(folder, NOTES);
    chmodSync(file(), 0o622);
    expect(findByMarker(folder, "m1")).toEqual({ kind: "unfit", why: `${file()} can be written by other users` });
    chmodSync(file(), 0o600);
    chmodSync(folder, 0o770);
    expect(findByMarker(folder, "m1")).toEqual({ kind: "unfit", why: `${folder} can be written by other users` });
    expect(() => writeMirror(folder, NOTES)).toThrow(/can be written by other users/);
  });

  test.skipIf(!isRoot)("another user's entry or folder is ignored (needs root)", () => {
    writeMirror(folder, NOTES);
    chownSync(file(), NOBODY, NOBODY);
    expect(findByMarker(folder, "m1")).toEqual({ kind: "unfit", why: `${file()} belongs to another user` });
    chownSync(join(dir, "mdmirror"), NOBODY, NOBODY);
    expect(findByMarker(folder, "m1")).toMatchObject({ why: `${dir}/mdmirror belongs to another user` });
    expect(() => writeMirror(folder, NOTES)).toThrow(/belongs to another user/);
  });
});
