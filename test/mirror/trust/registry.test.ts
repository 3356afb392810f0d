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
import { chooseFreeName, deriveMirrorName, isMirrorName } from "../../../src/mirror/trust/list.ts";
import { judgeOwners, type OwnedPath } from "../../../src/mirror/trust/owner.ts";

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

describe("a name", () => {
  test.each([
    "work",
    "field notes",
    "Übung",
    "日本語",
    ".notes",
    "a..b",
    "7",
    "w@home",
    "x".repeat(64),
    "🗒".repeat(64),
  ])("may be %j", (name) => {
    expect(isMirrorName(name)).toBe(true);
  });

  test.each([
    "",
    " ",
    " a",
    "a ",
    ".",
    "..",
    "-",
    "--all",
    "a/b",
    "a\\b",
    "a\nb",
    "a\u202eb",
    "a\u2028b",
    "x".repeat(65),
  ])("may not be %j", (name) => {
    expect(isMirrorName(name)).toBe(false);
  });

  test.each([
    ["/home/ann/notes", "notes"],
    ["/home/ann/my notes", "my notes"],
    ["/home/ann/--all", "all"],
    ["/home/ann/a\nb", "a b"],
    ["/home/ann/- ", "mirror"],
    ["/", "mirror"],
    [`/${"y".repeat(200)}`, "y".repeat(64)],
  ])("of the folder %j is %j", (root, name) => {
    expect([deriveMirrorName(root), isMirrorName(deriveMirrorName(root))]).toEqual([name, true]);
  });

  test("is the name with the next free number if it is taken", () => {
    expect(["notes", "x"].map((name) => chooseFreeName(name, ["notes", "notes-2"]))).toEqual(["notes-3", "x"]);
  });

  test("is the same in both spellings of an accent, and stays within its length", () => {
    expect(chooseFreeName("é".normalize("NFD"), ["é".normalize("NFC")])).toBe("é-2".normalize("NFD"));
    expect([...chooseFreeName("x".repeat(64), ["x".repeat(64)])].length).toBe(64);
  });
});

const ANN = 1_000;
const BEN = 1_001;
const ROOT = 0;

/** Returns the owners of a linked folder and of its `.mdmirror/`. */
const owned = (folder: number, mirror: number): OwnedPath[] => [
  { path: "/w", uid: folder, mayBelongToRoot: true },
  { path: "/w/.mdmirror", uid: mirror, mayBelongToRoot: false },
];
const sudo = { uid: ANN, gid: 100 };

describe("a mirrored folder", () => {
  test.each([
    ["of this user", owned(ANN, ANN), "own"],
    ["on a mount point of root's", owned(ROOT, ANN), "own"],
    ["of another user", owned(BEN, BEN), "foreign"],
    ["of another user, with a .mdmirror of this one", owned(BEN, ANN), "foreign"],
    ["of this user, with another's .mdmirror", owned(ANN, BEN), "foreign"],
    ["of this user, with a .mdmirror that root made", owned(ANN, ROOT), "foreign"],
    ["that is not there yet", [], "own"],
  ])("%s is %3$s", (_what, owners, kind) => {
    expect(judgeOwners(owners, ANN, null).kind).toBe(kind);
    // A user may set SUDO_UID to anything, so without root's rights it proves nothing.
    expect(judgeOwners(owners, ANN, { uid: BEN, gid: 1 }).kind).toBe(kind);
  });

  test.each([
    ["of the user who called it", owned(ANN, ANN), { kind: "by-sudo", caller: sudo }],
    ["of that user, on a mount point of root's", owned(ROOT, ANN), { kind: "by-sudo", caller: sudo }],
    ["of root's own", owned(ROOT, ROOT), { kind: "own" }],
    ["of a third user", owned(BEN, BEN), { kind: "foreign", path: "/w", uid: BEN }],
    ["of that user, with a third one's .mdmirror", owned(ANN, BEN), { kind: "foreign", path: "/w", uid: ANN }],
  ])("by sudo, a folder %s", (_what, owners, judged) => {
    expect(judgeOwners(owners, ROOT, sudo)).toEqual(judged);
  });

  test("of another user is refused to root too, unless sudo was used", () => {
    expect(judgeOwners(owned(ANN, ANN), ROOT, null).kind).toBe("foreign");
  });

  test("is not judged on a system without user ids", () => {
    expect(judgeOwners(owned(BEN, BEN), null, null)).toEqual({ kind: "own" });
  });
});
