import { describe, expect, it } from "vitest";
import {
  copyWithoutCache,
  createMatcher,
  excludeAllBut,
  findRules,
  type FolderRules,
  ignoresPath,
  isLeftoverName,
  RulesError,
  createFolderRules as rulesOfFolder,
} from "../../src/mirror/local/ignore.ts";
import { parentOf } from "../../src/contract/path.ts";
import { findPatternFault } from "../../src/mirror/local/pattern-fault.ts";
import { LocalDisk } from "../../src/mirror/local/disk.ts";
import { rollDice } from "../simulator/dice.ts";
import { ramMirror, ROOT, walkAll } from "./benches.ts";

function rulesOf(files: Readonly<Record<string, string>>, foldsCase = false): Parameters<typeof ignoresPath>[0] {
  const rules = new Map<string, FolderRules>();
  for (const [folder, ours] of Object.entries(files)) {
    const above = folder === "" ? null : findRules(rules, parentOf(folder));
    rules.set(folder, rulesOfFolder(above, folder, { ours, git: "" }, foldsCase));
  }
  return rules;
}

describe("the fixed rules", () => {
  it.each([
    [".#note.md", true],
    ["#note.md#", true],
    ["._note.md", true],
    ["note.md~", true],
    ["~$note.md", true],
    [".note.md.swp", true],
    [".note.md.swo", true],
    [".note.md.kate-swp", true],
    ["4913", true],
    [".~lock.note.md#", true],
    [".syncthing.note.md.tmp", true],
    [".nfs000000000000a1b2", true],
    [".fuse_hidden0000a1b2", true],
    [".DS_Store", true],
    ["Thumbs.db", true],
    ["note.md", false],
    [".note.md", false],
    ["#1 note.md", false],
    ["C#.md", false],
    ["4913.md", false],
    ["~note.md", false],
    ["note.swiss", false],
    ["a.swz", false],
  ])("%s is litter: %s", (name, litter) => {
    expect(isLeftoverName(name)).toBe(litter);
  });

  it.each([
    ["a/.git/x.md", "file", true],
    [".obsidian", "folder", true],
    ["a/note (theirs).md", "file", true],
    ["a/note (theirs 2).md", "file", true],
    ["a/note (mine).md", "file", true],
    ["a/.note.md", "file", false],
    ["a/b.md", "file", false],
    ["a (theirs).md/b.md", "file", false],
  ] as const)("%s, a %s, is ignored: %s", (path, kind, ignored) => {
    expect(ignoresPath(new Map(), path, kind)).toBe(ignored);
  });
});

describe("the rules of .mdmirrorignore files", () => {
  const rules = rulesOf({
    "": "drafts/\n*.tmp.md\n!keep.tmp.md\n/top.md\nlogs/**/old.md\n# comment\n",
    "a/b": "*.md\n!good.md\n!x.tmp.md\n",
  });

  it.each([
    ["drafts", "folder", true],
    ["drafts", "file", false],
    ["x/drafts/a/b.md", "file", true],
    ["x.tmp.md", "file", true],
    ["x/y.tmp.md", "file", true],
    ["x/keep.tmp.md", "file", false],
    ["top.md", "file", true],
    ["x/top.md", "file", false],
    ["logs/a/b/old.md", "file", true],
    // A file in a deeper folder decides.
    ["a/b/any.md", "file", true],
    ["a/b/c/any.md", "file", true],
    ["a/b/good.md", "file", false],
    ["a/b/x.tmp.md", "file", false],
    ["a/b/y.tmp.md", "file", true],
    ["a/any.md", "file", false],
    // A path in an excluded folder cannot be included again.
    ["a/b/drafts/good.md", "file", true],
  ] as const)("%s, a %s, is ignored: %s", (path, kind, ignored) => {
    expect(ignoresPath(rules, path, kind)).toBe(ignored);
  });

  it("match case as the disk does", () => {
    expect(ignoresPath(rulesOf({ "": "Draft.md" }), "draft.md", "file")).toBe(false);
    expect(ignoresPath(rulesOf({ "": "Draft.md" }, true), "draft.md", "file")).toBe(true);
  });

  it("take names that look like paths of another kind", () => {
    for (const path of ["..a.md", "a\\b.md", " a.md", "a .md ", "...", "a:b.md"])
      expect(ignoresPath(rules, path, "file")).toBe(false);
  });

  it("I18 are read afresh by each walk, and given to the planner as a pure function", () => {
    const { ram, disk, at } = ramMirror();
    ram.user.makeFolder(at("x"));
    ram.user.write(at("x/a.md"), "a");
    const before = walkAll(disk);
    ram.user.write(at("x/.mdmirrorignore"), "a.md\n");
    const after = walkAll(disk);
    expect([before.files.has("x/a.md"), after.files.has("x/a.md")]).toEqual([true, false]);
    expect(after.others.get("x/a.md")).toMatchObject({ kind: "ignored", stamp: before.files.get("x/a.md")?.stamp });
    expect([before.ignores("x/a.md", "file"), after.ignores("x/a.md", "file")]).toEqual([false, true]);
    ram.user.remove(at("x/.mdmirrorignore"));
    expect(walkAll(disk).files.has("x/a.md")).toBe(true);
    expect(after.ignores("x/a.md", "file")).toBe(true);
  });
});

describe("a pattern that was made to cost much", () => {
  it.each([
    ["a/**/b/**/c", null],
    ["**/a/**/b/**/c", null],
    ["**/node_modules/**", null],
    ["*-*-*-*-*.md", null],
    ["a/**/a/**/a/**/b", 'has more than 2 "**" between its names'],
    ["/a/**/**/***/b", 'has more than 2 "**" between its names'],
    ["a\\/**\\/a\\/**\\/a\\/**\\/b", 'has more than 2 "**" between its names'],
    ["*".repeat(1_001), "has more than 1000 characters"],
  ])("%.40s is judged before it is used: %s", (line, fault) => {
    expect(findPatternFault(line)).toBe(fault);
  });

  // If each of 100 wildcards could match any part of 250 characters, there would be more
  // combinations than atoms in the universe.
  it.each(["*a", "*aa", "*[ab]a", "*?", "*\\a", "**a", "?*"])(
    "%s a hundred times ends on the longest names",
    (part) => {
      const matches = createMatcher(`${part.repeat(100)}0`);
      const names = ["a".repeat(250), "ab".repeat(125), Array.from({ length: 16 }, () => "a".repeat(250)).join("/")];
      expect(names.map((name) => matches(name))).toEqual([false, false, false]);
    },
  );

  it("is refused as a rule by its line, because without it files that it excludes would be sent", () => {
    expect(() => rulesOf({ "": "a.md\n# /**/**/**/x\na/**/a/**/a/**/b\n" })).toThrow("line 3 of .mdmirrorignore");
  });
});

describe("the folders that are synced", () => {
  const excluded = (folders: readonly string[], ours = "") => {
    const rules = new Map([
      ["", rulesOfFolder(null, "", { ours, git: "", scope: excludeAllBut(folders, false) }, false)],
    ]);
    return (path: string) => ignoresPath(rules, path, "file");
  };

  it.each([
    [["a"], ["a/x.md", "a/b/x.md"], ["x.md", "ab/x.md", "b/a/x.md"]],
    [
      ["a", "b/c"],
      ["a/x.md", "b/c/x.md"],
      ["b/x.md", "b/d/x.md"],
    ],
    [["a", "a/b/c"], ["a/x.md", "a/b/x.md", "a/b/c/x.md"], ["x.md"]],
    [
      ["a/b", "a/c"],
      ["a/b/x.md", "a/c/x.md"],
      ["a/x.md", "a/d/x.md"],
    ],
    [["[a] *"], ["[a] */x.md"], ["a b/x.md"]],
    [[], ["x.md", "a/x.md"], []],
  ])("%j: everything else is excluded", (folders, inside, outside) => {
    expect([...inside, ...outside].filter(excluded(folders))).toEqual(outside);
  });

  it("are not widened by rules of the root or of a folder above them", () => {
    expect(["x.md", "a/x.md"].filter(excluded(["a"], "!x.md\n"))).toEqual(["x.md"]);
    const root = rulesOfFolder(null, "", { ours: "", git: "", scope: excludeAllBut(["a/b"], false) }, false);
    const rules = new Map([
      ["", root],
      ["a", rulesOfFolder(root, "a", { ours: "*.md\n!x.md\n", git: "" }, false)],
    ]);
    const paths = ["a/x.md", "a/b/x.md", "a/b/y.md"];
    expect(paths.filter((path) => ignoresPath(rules, path, "file"))).toEqual(["a/x.md", "a/b/y.md"]);
  });

  it("are recognised in the spelling of a disk that treats both as one name", () => {
    const { ram, at } = ramMirror({ foldsUnicode: true });
    ram.user.makeFolder(at("u\u0308"));
    ram.user.write(at("u\u0308/a.md"), "a\n");
    const disk = new LocalDisk(ram, ROOT, { random: rollDice(7), folders: ["\u00fc"] });
    const tree = walkAll(disk);
    expect([...tree.files.keys()]).toEqual(["u\u0308/a.md"]);
    expect(disk.whyUnsyncedAt("u\u0308/a.md")).toBeNull();
  });
});

it("patterns of the first plan follow an ignore file without a newline at its end", () => {
  const { ram, at } = ramMirror();
  ram.user.write(at(".mdmirrorignore"), "a.md");
  for (const name of ["a.md", "b.md", "c.md"]) ram.user.write(at(name), "x");
  const disk = new LocalDisk(ram, ROOT, { random: rollDice(7), ignore: ["b.md"] });
  expect([...walkAll(disk).files.keys()]).toEqual(["c.md"]);
});

it("a copy of the rules without caches does not keep the rules of the folder above", () => {
  const rules = copyWithoutCache(rulesOf({ "": "a.md\n", x: "b.md\n" }));
  expect([...rules.values()].map(({ above }) => above)).toEqual([null, null]);
  expect(["a.md", "x/a.md", "x/b.md", "b.md"].filter((path) => ignoresPath(rules, path, "file"))).toEqual([
    "a.md",
    "x/a.md",
    "x/b.md",
  ]);
});

describe("an ignore file that cannot be read, for the rules of one path", () => {
  const prepare = () => {
    const { ram, at } = ramMirror();
    ram.user.makeFolder(at("x"));
    ram.user.write(at("x/a.md"), "a\n");
    return { ram, at, disk: new LocalDisk(ram, ROOT, { random: rollDice(7), gitignore: () => [] }) };
  };

  it("a folder named .gitignore is no ignore file", () => {
    const { ram, at, disk } = prepare();
    ram.user.makeFolder(at("x/.gitignore"));
    expect([...walkAll(disk).files.keys()]).toEqual(["x/a.md"]);
    expect(disk.whyUnsyncedAt("x/a.md")).toBeNull();
    expect(disk.namesIn("x")?.map(({ name }) => name)).toEqual(["a.md", ".gitignore"]);
  });

  it("a symbolic link is a fault of the rules", () => {
    const { ram, at, disk } = prepare();
    ram.user.symlink("rules", at(".mdmirrorignore"));
    const fault = new RulesError(".mdmirrorignore cannot be read: a symbolic link (ELOOP)");
    expect(() => disk.whyUnsyncedAt("x/a.md")).toThrow(fault);
    expect(() => disk.namesIn("x")).toThrow(fault);
  });
});
