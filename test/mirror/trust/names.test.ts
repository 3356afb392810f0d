import { describe, expect, test } from "vitest";
import { freeName, isMirrorName, nameOfFolder, namesOf } from "../../../src/mirror/trust/list.ts";

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
    expect([nameOfFolder(root), isMirrorName(nameOfFolder(root))]).toEqual([name, true]);
  });

  test("is one linked folder's: what the user said comes first, then the order", () => {
    const of = (root: string, name: string | null = null) => ({ root, name });
    expect(namesOf([of("/a/notes"), of("/b/notes"), of("/c/x", "notes"), of("/d/notes-2"), of("/e", "a/b")])).toEqual([
      "notes-2",
      "notes-3",
      "notes",
      "notes-2-2",
      "e",
    ]);
  });

  test("is the same in both spellings of an accent, and stays within its length", () => {
    expect(freeName("é".normalize("NFD"), ["é".normalize("NFC")])).toBe("é-2".normalize("NFD"));
    expect([...freeName("x".repeat(64), ["x".repeat(64)])].length).toBe(64);
  });
});
