import { execFileSync } from "node:child_process";
import { describe, expect, it } from "vitest";
import { digestOf } from "../../src/contract/digest.ts";
import type { LocalTree } from "../../src/mirror/model/tree.ts";
import { createNodeBench } from "../simulator/fs-bench.ts";
import { RamError } from "../simulator/ram-calls.ts";
import { mirrorOn, ramMirror, ROOT, walkAll } from "./benches.ts";

const whyUnseen = ({ unseen }: LocalTree) => [...unseen].map(([path, { why }]) => [path, why]);

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
    const tree = walkAll(disk);
    expect(whyUnseen(tree)).toEqual([
      ["a.md", "permission denied (EACCES)"],
      ["b.md", "the disk failed (EIO)"],
      ["c.md", "still being written (EAGAIN)"],
      ["locked", "permission denied (EACCES)"],
    ]);
    expect([...tree.files.keys()]).toEqual([]);
    expect([...tree.folders.keys()]).toEqual(["locked"]);
  });

  it("everything, when the root is another one than was identified, until it is identified again", () => {
    const { ram, disk, at } = ramMirror();
    ram.user.write(at("a.md"), "a");
    disk.identify();
    ram.user.rename(ROOT, "/home/away");
    ram.user.makeFolder(ROOT);
    expect([...walkAll(disk).unseen.keys()]).toEqual([""]);
    disk.identify();
    expect([...walkAll(disk).unseen.keys()]).toEqual([]);
  });

  it("everything, when the root is gone, or goes or is covered during the walk", () => {
    for (const moment of [0, 3, 8, 12, 16]) {
      for (const cover of [false, true]) {
        const { ram, disk, at } = ramMirror();
        for (const path of ["a.md", "b.md", "c.md", "d.md"]) ram.user.write(at(path), path);
        disk.names();
        let calls = 0;
        ram.beforeCall = () => {
          if (calls++ !== moment) return;
          if (cover) ram.user.mount(ROOT);
          else ram.user.rename(ROOT, "/home/away");
        };
        const tree = walkAll(disk);
        expect([moment, cover, tree.unseen.has(""), tree.files.size]).toEqual([moment, cover, true, 0]);
      }
    }
  });

  it("another disk that is mounted inside while the walk is under way", () => {
    for (let moment = 0; ; moment++) {
      const { ram, disk, at } = ramMirror();
      ram.user.makeFolder(at("x"));
      ram.user.write(at("x/a.md"), "a");
      disk.names();
      let calls = 0;
      ram.beforeCall = () => void (calls++ === moment && ram.user.mount(at("x")));
      const tree = walkAll(disk);
      if (calls <= moment) break;
      const unseen = tree.unseen.has("x") || tree.unseen.has("");
      expect([moment, tree.files.has("x/a.md") || unseen]).toEqual([moment, true]);
    }
  });

  it("another disk that is mounted inside", () => {
    const { ram, disk, at } = ramMirror();
    ram.user.makeFolder(at("x"));
    ram.user.mount(at("x"));
    const tree = walkAll(disk);
    expect([...tree.unseen.keys()]).toEqual(["x"]);
    expect([...tree.folders.keys()]).toEqual([]);
  });

  it("a folder whose ignore rules cannot be read", () => {
    for (const [spoil, why] of [
      ["symlink", "the .mdmirrorignore in it cannot be read: a symbolic link (ELOOP)"],
      ["unreadable", "the .mdmirrorignore in it cannot be read: permission denied (EACCES)"],
      ["costly", 'line 2 of x/.mdmirrorignore has more than 2 "**" between its names'],
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
      const tree = walkAll(disk);
      expect(whyUnseen(tree)).toEqual([["x", why]]);
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
      const tree = walkAll(bench.disk);
      expect(whyUnseen(tree)).toEqual([
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

  // 2 s is the resolution of times on FAT. A folder that changes twice within it has the same
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
        disk.names();
        let calls = 0;
        let moved = false;
        ram.beforeCall = () => {
          if (calls++ !== moment) return;
          moved = true;
          ram.user.rename(at(from), at(to));
        };
        const tree = walkAll(disk);
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

  it("a tree that keeps changing has what the scan saw, and nothing in it is absent", () => {
    const { ram, disk, at } = ramMirror({ granularityMs: 0 });
    ram.user.makeFolder(at("busy"));
    ram.user.write(at("a.md"), "a");
    disk.names();
    let saves = 0;
    ram.beforeCall = (call, path) => {
      if (call === "lstat" && path === at("busy")) ram.user.write(at(`busy/${saves++}.md`), "x");
    };
    const tree = walkAll(disk);
    expect(whyUnseen(tree)).toEqual([["", "its folders keep changing"]]);
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
          const tree = walkAll(disk);
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
      return [...walkAll(disk).files.keys()];
    });
    expect(orders[0]).toEqual(orders[1]);
  });
});
