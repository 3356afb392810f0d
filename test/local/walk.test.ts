import { execFileSync } from "node:child_process";
import { describe, expect, it } from "vitest";
import { type Digest, digestOf } from "../../src/contract/digest.ts";
import type { KnownFile } from "../../src/mirror/ports/disk.ts";
import type { LocalTree } from "../../src/mirror/model/tree.ts";
import { LocalDisk } from "../../src/mirror/local/disk.ts";
import { createNodeBench } from "../simulator/fs-bench.ts";
import { rollDice } from "../simulator/dice.ts";
import { BENCHES, type MirrorBench, mirrorOn, ramMirror, reopened, ROOT, walkAll } from "./benches.ts";

const nothing = () => null;
const noText = () => undefined;

function vouch(tree: LocalTree): (path: string) => KnownFile | null {
  return (path) => {
    const file = tree.files.get(path);
    return file?.stampTrusted === true ? file : null;
  };
}

for (const [name, create] of Object.entries(BENCHES)) {
  describe(`a walk on ${name}`, () => {
    const begin = (): MirrorBench => mirrorOn(create());

    it("scans every entry and says what it is", () => {
      const bench = begin();
      const { at, write, fs } = bench;
      for (const folder of ["docs", "docs/deep", "empty", ".git", "node_modules"]) fs.mkdir(at(folder), 0o777);
      write(at(".mdmirrorignore"), "node_modules/\n*.draft.md\n");
      const files = [
        "a.md",
        "docs/b.md",
        "docs/deep/c.md",
        ".dot.md",
        "My notes.md",
        "docs/x.draft.md",
        "image.png",
        "Upper.MD",
        "a.md~",
        ".#a.md",
        "._a.md",
        ".a.md.swp",
        "a (theirs).md",
        ".git/config.md",
        "node_modules/r.md",
      ];
      for (const file of files) write(at(file), `text of ${file}`);
      bench.symlink("a.md", at("link.md"));
      bench.symlink("docs", at("way"));
      bench.special(at("pipe.md"));
      const texts: string[] = [];
      const tree = bench.disk.walk(nothing, (_, text) => texts.push(text));

      expect([...tree.files.keys()]).toEqual([".dot.md", "My notes.md", "a.md", "docs/b.md", "docs/deep/c.md"]);
      expect([...tree.folders.keys()]).toEqual(["docs", "docs/deep", "empty"]);
      expect(Object.fromEntries([...tree.others].map(([path, other]) => [path, other.kind]))).toEqual({
        ".#a.md": "litter",
        "._a.md": "litter",
        ".a.md.swp": "litter",
        ".git": "dot-folder",
        ".mdmirrorignore": "other-file",
        "Upper.MD": "other-file",
        "a (theirs).md": "conflict-copy",
        "a.md~": "litter",
        "docs/x.draft.md": "ignored",
        "image.png": "other-file",
        "link.md": "symlink",
        node_modules: "ignored-folder",
        "pipe.md": "special",
        way: "symlink",
      });
      expect([...tree.unseen]).toEqual([]);
      expect(texts.sort()).toEqual(
        [".dot.md", "My notes.md", "a.md", "docs/b.md", "docs/deep/c.md"].map((path) => `text of ${path}`).sort(),
      );
      expect(tree.files.get("a.md")).toMatchObject({ digest: digestOf("text of a.md"), textFault: null, empty: false });
      expect(tree.others.get("a.md~")?.stamp?.ino).toBe(fs.lstat(at("a.md~")).ino);
      expect(tree.others.get("node_modules")?.stamp?.ino).toBe(fs.lstat(at("node_modules")).ino);
      expect(tree.folders.get("docs")?.ino).toBe(fs.lstat(at("docs")).ino);
    });

    it("scans 256 folders deep, and reports deeper entries as unseen", () => {
      const { fs, write, at, disk } = begin();
      const folder = (depth: number) => Array.from({ length: depth }, () => "d").join("/");
      for (let depth = 1; depth <= 300; depth++) fs.mkdir(at(folder(depth)), 0o777);
      for (const depth of [256, 257, 300]) write(at(`${folder(depth)}/a.md`), "deep");
      write(at("z.md"), "beside");
      const tree = walkAll(disk);
      expect([...tree.files.keys()]).toEqual(["z.md", `${folder(256)}/a.md`]);
      expect(tree.folders.size).toBe(256);
      const why = "it is more than 256 folders deep";
      expect([...tree.unseen]).toEqual([[folder(257), { kind: "local-unreadable", why }]]);
    });

    it("checks contents: strict UTF-8, no NUL, at most 51,200 characters", () => {
      const { write, at, disk } = begin();
      write(at("latin.md"), Buffer.from([0x63, 0xe9]));
      write(at("surrogate.md"), Buffer.from([0xed, 0xa0, 0x80]));
      write(at("overlong.md"), Buffer.from([0xc0, 0xaf]));
      write(at("nul.md"), "a\0b");
      write(at("limit.md"), "\u{1f600}".repeat(51_200));
      write(at("over.md"), "x".repeat(51_201));
      write(at("bom.md"), "\ufeffx");
      write(at("empty.md"), "");
      const texts = new Map<Digest, string>();
      const tree = disk.walk(nothing, (digest, text) => texts.set(digest, text));
      const faults = Object.fromEntries([...tree.files].map(([path, file]) => [path, file.textFault]));
      expect(faults).toEqual({
        "latin.md": "not-utf-8",
        "surrogate.md": "not-utf-8",
        "overlong.md": "not-utf-8",
        "nul.md": "contains-nul",
        "limit.md": null,
        "over.md": "too-large",
        "bom.md": null,
        "empty.md": null,
      });
      expect(texts.get(digestOf("\ufeffx"))).toBe("\ufeffx");
      expect(texts.size).toBe(5);
      expect(tree.files.get("empty.md")?.empty).toBe(true);
    });
  });
}

describe("stamps", () => {
  it("save the reading of what is known, and only that", () => {
    const { ram, disk, at } = ramMirror();
    for (const path of ["a.md", "b.md", "c.md"]) ram.user.write(at(path), path);
    ram.advance(10_000);
    const first = walkAll(disk);
    expect([...first.files.values()].every((file) => file.stampTrusted)).toBe(true);
    ram.user.write(at("b.md"), "B.md");
    const read: string[] = [];
    ram.beforeCall = (call, path) => void (call === "readFile" && read.push(path));
    const texts: string[] = [];
    const second = disk.walk(vouch(first), (_, text) => texts.push(text));
    expect(read).toEqual([at("b.md")]);
    expect(texts).toEqual(["B.md"]);
    expect(second.files.get("a.md")).toEqual(first.files.get("a.md"));
    expect(second.files.get("b.md")?.digest).toBe(digestOf("B.md"));
  });

  it("that nobody trusts are read again; content that the caller has is not passed on", () => {
    const { ram, disk, at } = ramMirror();
    for (const path of ["a.md", "b.md"]) ram.user.write(at(path), path);
    ram.advance(10_000);
    const known = (path: string): KnownFile => ({ stamp: null, digest: digestOf(path), path });
    ram.user.write(at("b.md"), "B.md");
    ram.advance(10_000);
    const texts: string[] = [];
    const tree = disk.walk(known, (_, text) => texts.push(text));
    expect(texts).toEqual(["B.md"]);
    expect(tree.files).toEqual(walkAll(disk).files);
  });

  it("I29 as young as the walk are not trusted, by the disk's own time", () => {
    for (const granularityMs of [0, 4, 2_000]) {
      const { ram, disk, at } = ramMirror({ granularityMs });
      ram.user.write(at("a.md"), "one");
      const first = walkAll(disk);
      expect([granularityMs, first.files.get("a.md")?.stampTrusted]).toEqual([granularityMs, false]);
      // The same size, within one tick of the disk's clock, so the stamp may be the same.
      ram.user.write(at("a.md"), "two");
      expect(disk.walk(vouch(first), noText).files.get("a.md")?.digest).toBe(digestOf("two"));
      ram.advance(10_000);
      const later = walkAll(disk);
      expect([granularityMs, later.files.get("a.md")?.stampTrusted]).toEqual([granularityMs, true]);
      ram.user.write(at("a.md"), "six");
      expect(disk.walk(vouch(later), noText).files.get("a.md")?.digest).toBe(digestOf("six"));
    }
  });

  it("are trusted on a real disk once they are old, and a walk leaves no probe on it", () => {
    const bench = mirrorOn(createNodeBench());
    try {
      bench.write(bench.at("a.md"), "one");
      execFileSync("touch", ["-d", "2001-01-01", bench.at("a.md")]);
      // mtime is old and ctime is recent: programs can set mtime to any value.
      expect(walkAll(bench.disk).files.get("a.md")?.stampTrusted).toBe(false);
      expect(bench.fs.readdir(bench.at(".mdmirror/tmp"))).toEqual([]);
    } finally {
      bench.close();
    }
  });

  it("I23 a walk without probe writes nothing and trusts nothing new", () => {
    const { ram, at } = ramMirror();
    ram.user.write(at("a.md"), "one");
    ram.advance(10_000);
    const calls: string[] = [];
    ram.beforeCall = (call) => void calls.push(call);
    const tree = walkAll(new LocalDisk(ram, ROOT, { random: rollDice(1), probes: false }));
    expect(new Set(calls)).toEqual(new Set(["lstat", "readdir", "readFile", "realpath"]));
    expect(tree.files.get("a.md")?.stampTrusted).toBe(false);
  });

  it("a full or read-only disk is walked without trust", () => {
    for (const code of ["ENOSPC", "EROFS"]) {
      const { ram, at } = ramMirror();
      ram.user.write(at("a.md"), "one");
      ram.advance(10_000);
      ram.fail({ call: "writeNew", path: null, code });
      expect(walkAll(reopened(ram)).files.get("a.md")).toMatchObject({ stampTrusted: false });
    }
  });
});

const FOLDERS = 8;
const EACH = 100;

/** Creates folders `f0` … `f7` of a hundred files each, so that the scan pauses several times. */
function wideMirror() {
  const mirror = ramMirror();
  for (let folder = 0; folder < FOLDERS; folder++) {
    mirror.ram.user.makeFolder(mirror.at(`f${folder}`));
    for (let n = 0; n < EACH; n++) mirror.ram.user.write(mirror.at(`f${folder}/${n}.md`), `text ${n} of ${folder}`);
  }
  return mirror;
}

/** @param inPause called in each pause with its number, from 1 */
function walkPausing(disk: ReturnType<typeof ramMirror>["disk"], inPause: (pause: number) => void) {
  const walk = disk.walkInParts(nothing, noText);
  for (let pause = 1; ; pause++) {
    const part = walk.next();
    if (part.done === true) return { tree: part.value, pauses: pause - 1 };
    inPause(pause);
  }
}

const shown = ({ files, folders, others, unseen }: LocalTree) => [[...files], [...folders], [...others], [...unseen]];

describe("a walk in parts", () => {
  it("pauses, and sees what a walk without a pause sees", () => {
    const { disk } = wideMirror();
    const { tree, pauses } = walkPausing(disk, () => undefined);
    expect(pauses).toBeGreaterThan(2);
    expect(tree.files.size).toBe(FOLDERS * EACH);
    expect(shown(tree)).toEqual(shown(walkAll(disk)));
  });

  it("I04 finds a file that moves in any pause, in either direction, exactly once", () => {
    const { pauses } = walkPausing(wideMirror().disk, () => undefined);
    for (let moment = 1; moment <= pauses; moment++) {
      for (const [from, to] of [
        ["f0/50.md", "f7/moved.md"],
        ["f7/50.md", "f0/moved.md"],
      ] as const) {
        const { ram, at, disk } = wideMirror();
        const { tree } = walkPausing(disk, (pause) => {
          if (pause === moment) ram.user.rename(at(from), at(to));
        });
        // A move after both folders were scanned is not seen: the file then has its old path.
        const found = Number(tree.files.has(from)) + Number(tree.files.has(to));
        expect([moment, from, found, tree.unseen.size]).toEqual([moment, from, 1, 0]);
        if (moment === 1) expect(tree.files.has(to)).toBe(true);
      }
    }
  });

  it("I04 proves no absence when the root goes away in a pause", () => {
    const { ram, disk } = wideMirror();
    const { tree } = walkPausing(disk, (pause) => {
      if (pause === 1) ram.user.rename(ROOT, "/home/away");
    });
    expect(tree.unseen.has("")).toBe(true);
  });
});
