import { expect, test } from "vitest";
import {
  isTemporaryName,
  isUnsafeName,
  makeHashedName,
  makeNumberedName,
  toLocalName,
  toOriginalName,
} from "../../src/mirror/model/names.ts";

test.each([
  ["a.md", "file", false],
  [".a.md", "file", false],
  ["a.txt", "file", true],
  [".md", "file", true],
  ["..", "folder", true],
  [".", "folder", true],
  ["", "folder", true],
  ["a/b", "folder", true],
  ["a\0b.md", "file", true],
  [".git", "folder", true],
  [".mdmirror", "folder", true],
  ["d", "folder", false],
] as const)("the name %j of a %s is unsafe: %s", (name, kind, unsafe) => expect(isUnsafeName(name, kind)).toBe(unsafe));

test.each([
  ["a.md", "file", "a.md"],
  ["ä.md", "file", "ä.md"],
  ["note (theirs).md", "file", "note (theirs)-f2d2b4a6.md"],
  ["note (mine).md", "file", "note (mine)-f2d2b4a6.md"],
  ["a\u0007b.md", "file", "a-b-f2d2b4a6.md"],
  ["a\\b", "folder", "a-b-f2d2b4a6"],
  ["._a.md", "file", "a-f2d2b4a6.md"],
  ["\ud800.md", "file", "\ufffd-f2d2b4a6.md"],
] as const)("%j of a %s is %j on disk", (name, kind, local) => {
  const hash = makeHashedName("x.md", "file", "doc_1", 255).slice(2, 10);
  expect(toLocalName(name, kind, "doc_1", 255)).toBe(local.replace("f2d2b4a6", hash));
});

test.each([143, 255])("a name of more than %i bytes is cut between characters", (limit) => {
  const name = `${"é".repeat(200)}.md`;
  const local = toLocalName(name, "file", "doc_1", limit);
  expect(Buffer.byteLength(local)).toBeLessThanOrEqual(limit);
  expect(local).toMatch(/^é+-[0-9a-f]{8}\.md$/);
  expect(toLocalName(name, "file", "doc_1", limit)).toBe(local);
  expect(toLocalName(name, "file", "doc_2", limit)).not.toBe(local);
  expect(toLocalName(`${"a".repeat(limit - 3)}.md`, "file", "doc_1", limit)).toBe(`${"a".repeat(limit - 3)}.md`);
});

test("numbered and temporary names", () => {
  expect(makeNumberedName("note.md", "file", 2, 255)).toBe("note-2.md");
  expect(makeNumberedName("d", "folder", 3, 255)).toBe("d-3");
  expect(Buffer.byteLength(makeNumberedName(`${"é".repeat(126)}.md`, "file", 2, 255))).toBeLessThanOrEqual(255);
  expect(isTemporaryName("a-mdmirror-0123abcd.md")).toBe(true);
  expect(isTemporaryName("a-mdmirror-0123abcd")).toBe(true);
  expect(isTemporaryName("a-mdmirror-notes.md")).toBe(false);
  expect(isTemporaryName("-mdmirror-0123abcd.md")).toBe(false);
  expect(toOriginalName("a-mdmirror-0123abcd.md")).toBe("a.md");
  expect(toOriginalName("a-mdmirror-0123abcd")).toBe("a");
  expect(toOriginalName("a-mdmirror-notes.md")).toBe("a-mdmirror-notes.md");
});
