import { execFileSync } from "node:child_process";
import { afterEach, describe, expect, it } from "vitest";
import { type Digest, digestOf } from "../../src/model/digest.ts";
import type { KnownFile } from "../../src/ports/disk.ts";
import type { LocalTree } from "../../src/model/tree.ts";
import { LocalDisk } from "../../src/local/disk.ts";
import { createNodeBench, seededRandom } from "../simulator/fs-bench.ts";
import { RamError } from "../simulator/ram-paths.ts";
import { BENCHES, type MirrorBench, mirrorOn, ramMirror, reopened, ROOT } from "./benches.ts";

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
    let open: MirrorBench | null = null;
    afterEach(() => open?.close());
    const begin = (): MirrorBench => {
      open = mirrorOn(create());
      return open;
    };

    it("looks at every entry and says what each is", () => {
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
        "a (theirs).md": "sidecar",
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

    it("sees 256 folders deep, and knows nothing of what lies deeper", () => {
      const { fs, write, at, disk } = begin();
      const folder = (depth: number) => Array.from({ length: depth }, () => "d").join("/");
      for (let depth = 1; depth <= 300; depth++) fs.mkdir(at(folder(depth)), 0o777);
      for (const depth of [256, 257, 300]) write(at(`${folder(depth)}/a.md`), "deep");
      write(at("z.md"), "beside");
      const tree = disk.walk(nothing, noText);
      expect([...tree.files.keys()]).toEqual(["z.md", `${folder(256)}/a.md`]);
      expect(tree.folders.size).toBe(256);
      expect([...tree.unseen]).toEqual([[folder(257), "it lies more than 256 folders deep"]]);
    });

    it("judges texts: strict UTF-8, no NUL, at most 51,200 characters", () => {
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
        "nul.md": "holds-nul",
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
    const first = disk.walk(nothing, noText);
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

  it("I29 as young as the walk are not trusted, by the disk's own time", () => {
    for (const granularityMs of [0, 4, 2_000]) {
      const { ram, disk, at } = ramMirror({ granularityMs });
      ram.user.write(at("a.md"), "one");
      const first = disk.walk(nothing, noText);
      expect([granularityMs, first.files.get("a.md")?.stampTrusted]).toEqual([granularityMs, false]);
      // The same size within one tick of the disk's clock: the stamp may be the same.
      ram.user.write(at("a.md"), "two");
      expect(disk.walk(vouch(first), noText).files.get("a.md")?.digest).toBe(digestOf("two"));
      ram.advance(10_000);
      const later = disk.walk(nothing, noText);
      expect([granularityMs, later.files.get("a.md")?.stampTrusted]).toEqual([granularityMs, true]);
      ram.user.write(at("a.md"), "six");
      expect(disk.walk(vouch(later), noText).files.get("a.md")?.digest).toBe(digestOf("six"));
    }
  });

  it("are trusted on a real disk once they are old, and a walk leaves no probe there", () => {
    const bench = mirrorOn(createNodeBench());
    try {
      bench.write(bench.at("a.md"), "one");
      execFileSync("touch", ["-d", "2001-01-01", bench.at("a.md")]);
      // mtime is old and ctime is not: anyone can set the first.
      expect(bench.disk.walk(nothing, noText).files.get("a.md")?.stampTrusted).toBe(false);
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
    const tree = new LocalDisk(ram, ROOT, { random: seededRandom(1), probe: false }).walk(nothing, noText);
    expect(new Set(calls)).toEqual(new Set(["lstat", "readdir", "readFile", "realpath"]));
    expect(tree.files.get("a.md")?.stampTrusted).toBe(false);
  });

  it("a full or read-only disk is walked without trust", () => {
    for (const code of ["ENOSPC", "EROFS"]) {
      const { ram, at } = ramMirror();
      ram.user.write(at("a.md"), "one");
      ram.advance(10_000);
      ram.fail({ call: "writeNew", path: null, code });
      expect(reopened(ram).walk(nothing, noText).files.get("a.md")).toMatchObject({ stampTrusted: false });
    }
  });
});

describe("what a walk cannot see is unseen, never absent", () => {
  it("an unreadable file or folder, with errno", () => {
    const { ram, disk, at } = ramMirror();
    ram.user.makeFolder(at("locked"));
    ram.user.write(at("locked/in.md"), "x");
    ram.user.write(at("a.md"), "x");
    ram.user.write(at("b.md"), "x");
    ram.user.write(at("c.md"), "x");
    ram.fail({ call: "readdir", path: at("locked"), code: "EACCES" });
    ram.fail({ call: "readFile", path: at("a.md"), code: "EACCES" });
    ram.fail({ call: "lstat", path: at("b.md"), code: "EIO" });
    ram.fail({ call: "readFile", path: at("c.md"), code: "EAGAIN" });
    const tree = disk.walk(nothing, noText);
    expect([...tree.unseen]).toEqual([
      ["a.md", "permission denied (EACCES)"],
      ["b.md", "the disk failed (EIO)"],
      ["c.md", "still being written (EAGAIN)"],
      ["locked", "permission denied (EACCES)"],
    ]);
    expect([...tree.files.keys()]).toEqual([]);
    expect([...tree.folders.keys()]).toEqual(["locked"]);
  });

  it("everything, when the root is another one than was identified, until it is identified anew", () => {
    const { ram, disk, at } = ramMirror();
    ram.user.write(at("a.md"), "a");
    disk.identify();
    ram.user.rename(ROOT, "/home/away");
    ram.user.makeFolder(ROOT);
    expect([...disk.walk(nothing, noText).unseen.keys()]).toEqual([""]);
    disk.identify();
    expect([...disk.walk(nothing, noText).unseen.keys()]).toEqual([]);
  });

  it("everything, when the root is gone, or goes or is covered during the walk", () => {
    for (const moment of [0, 3, 8, 12, 16]) {
      for (const cover of [false, true]) {
        const { ram, disk, at } = ramMirror();
        for (const path of ["a.md", "b.md", "c.md", "d.md"]) ram.user.write(at(path), path);
        disk.folding();
        let calls = 0;
        ram.beforeCall = () => {
          if (calls++ !== moment) return;
          if (cover) ram.user.mount(ROOT);
          else ram.user.rename(ROOT, "/home/away");
        };
        const tree = disk.walk(nothing, noText);
        expect([moment, cover, tree.unseen.has(""), tree.files.size]).toEqual([moment, cover, true, 0]);
      }
    }
  });

  it("another disk that is mounted inside while the walk is under way", () => {
    for (let moment = 0; ; moment++) {
      const { ram, disk, at } = ramMirror();
      ram.user.makeFolder(at("x"));
      ram.user.write(at("x/a.md"), "a");
      disk.folding();
      let calls = 0;
      ram.beforeCall = () => void (calls++ === moment && ram.user.mount(at("x")));
      const tree = disk.walk(nothing, noText);
      if (calls <= moment) break;
      const unseen = tree.unseen.has("x") || tree.unseen.has("");
      expect([moment, tree.files.has("x/a.md") || unseen]).toEqual([moment, true]);
    }
  });

  it("another disk that is mounted inside", () => {
    const { ram, disk, at } = ramMirror();
    ram.user.makeFolder(at("x"));
    ram.user.mount(at("x"));
    const tree = disk.walk(nothing, noText);
    expect([...tree.unseen.keys()]).toEqual(["x"]);
    expect([...tree.folders.keys()]).toEqual([]);
  });

  it("a folder whose ignore rules cannot be read", () => {
    for (const [spoil, why] of [
      ["symlink", "its .mdmirrorignore cannot be read: a symbolic link (ELOOP)"],
      ["unreadable", "its .mdmirrorignore cannot be read: permission denied (EACCES)"],
      ["costly", 'line 2 of its .mdmirrorignore has more than 2 "**" between its names'],
    ] as const) {
      const { ram, disk, at } = ramMirror();
      ram.user.makeFolder(at("x"));
      ram.user.write(at("x/secret.md"), "x");
      ram.user.write(at("a.md"), "x");
      if (spoil === "symlink") ram.user.symlink("../rules", at("x/.mdmirrorignore"));
      else {
        ram.user.write(at("x/.mdmirrorignore"), `secret.md\n${spoil === "costly" ? "x/**/a/**/a/**/b\n" : ""}`);
        if (spoil === "unreadable") ram.fail({ call: "readFile", path: at("x/.mdmirrorignore"), code: "EACCES" });
      }
      const tree = disk.walk(nothing, noText);
      expect([...tree.unseen]).toEqual([["x", why]]);
      expect([...tree.files.keys()]).toEqual(["a.md"]);
    }
  });

  it("a name that is not valid UTF-8, on a real disk", () => {
    const bench = mirrorOn(createNodeBench());
    try {
      execFileSync("sh", [
        "-c",
        `cd "$1" && printf x > "$(printf 'caf\\351.md')" && mkdir "$(printf 'd\\377')"`,
        "sh",
        bench.root,
      ]);
      bench.write(bench.at("real \ufffd.md"), "x");
      const tree = bench.disk.walk(nothing, noText);
      expect([...tree.unseen]).toEqual([
        ["caf\ufffd.md", "its name is not valid UTF-8"],
        ["d\ufffd", "its name is not valid UTF-8"],
      ]);
      expect([...tree.files.keys()]).toEqual(["real \ufffd.md"]);
    } finally {
      bench.close();
    }
  });
});

describe("what changes during a walk", () => {
  const FILES = ["a/1.md", "a/2.md", "b/3.md", "c/4.md", "c/deep/5.md", "6.md"];

  // 2 s: FAT's times. Within a tick a folder that has changed once shows no second change by its
  // stamp.
  it.each([0, 4, 2_000])("I09 a document that moves at any moment is seen once (a tick of %i ms)", (granularityMs) => {
    for (const [from, to] of [
      ["c/4.md", "a/4.md"],
      ["a/1.md", "c/1.md"],
      ["6.md", "a/6.md"],
      ["c/deep", "a/deep"],
      ["c", "b/c"],
      ["c/deep/5.md", "c/5.md"],
    ] as const) {
      for (let moment = 0; ; moment++) {
        const { ram, disk, at } = ramMirror({ granularityMs });
        for (const folder of ["a", "b", "c/deep"]) ram.user.makeFolder(at(folder));
        for (const path of FILES) ram.user.write(at(path), path);
        disk.folding();
        let calls = 0;
        let moved = false;
        ram.beforeCall = () => {
          if (calls++ !== moment) return;
          moved = true;
          ram.user.rename(at(from), at(to));
        };
        const tree = disk.walk(nothing, noText);
        if (!moved) break;
        const seen = [...tree.files.values()].map((file) => file.digest);
        for (const path of FILES) {
          const unseen = [...tree.unseen.keys()].some(
            (at_) => at_ === "" || path.startsWith(`${at_}/`) || path === at_,
          );
          const times = seen.filter((digest) => digest === digestOf(path)).length;
          expect([from, to, moment, path, unseen ? 1 : times]).toEqual([from, to, moment, path, 1]);
        }
      }
    }
  });

  it("a tree that never rests is there as it was seen, and nothing in it is absent", () => {
    const { ram, disk, at } = ramMirror({ granularityMs: 0 });
    ram.user.makeFolder(at("busy"));
    ram.user.write(at("a.md"), "a");
    disk.folding();
    let saves = 0;
    ram.beforeCall = (call, path) => {
      if (call === "lstat" && path === at("busy")) ram.user.write(at(`busy/${saves++}.md`), "x");
    };
    const tree = disk.walk(nothing, noText);
    expect([...tree.unseen]).toEqual([["", "its folders keep changing"]]);
    expect([...tree.files.keys()]).toEqual(expect.arrayContaining(["a.md", "busy/0.md"]));
    expect(saves).toBeLessThan(20);
  });

  it("I04 a system call that fails at any moment ends no walk, and makes nothing absent", () => {
    for (const code of ["EIO", "EACCES", "ESTALE", "ENOMEM"]) {
      for (const onwards of [false, true]) {
        for (let moment = 0; ; moment++) {
          const { ram, disk, at } = ramMirror();
          for (const folder of ["a", "b", "c/deep"]) ram.user.makeFolder(at(folder));
          for (const path of FILES) ram.user.write(at(path), path);
          ram.user.write(at("a/.mdmirrorignore"), "nothing");
          disk.identify();
          let calls = 0;
          ram.beforeCall = (call, path) => {
            const now = calls++;
            if (now === moment || (onwards && now > moment)) throw new RamError(code, call, path);
          };
          const tree = disk.walk(nothing, noText);
          if (calls <= moment) break;
          for (const path of FILES) {
            const unseen = [...tree.unseen.keys()].some(
              (at_) => at_ === "" || path.startsWith(`${at_}/`) || path === at_,
            );
            expect([code, moment, path, tree.files.has(path) || unseen]).toEqual([code, moment, path, true]);
          }
        }
      }
    }
  });

  it("I32 the order of the results does not depend on the order of the disk", () => {
    const orders = [
      ["b.md", "a.md", "c.md"],
      ["c.md", "b.md", "a.md"],
    ].map((names) => {
      const { ram, disk, at } = ramMirror();
      for (const name of names) ram.user.write(at(name), name);
      return [...disk.walk(nothing, noText).files.keys()];
    });
    expect(orders[0]).toEqual(orders[1]);
  });
});
