import { describe, expect, test } from "vitest";
import { chooseFreeName, isMirrorName, deriveMirrorName } from "../../../src/mirror/trust/list.ts";
import { judgeOwners, type OwnedPath } from "../../../src/mirror/trust/owner.ts";

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
