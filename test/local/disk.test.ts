import { describe, expect, it, test } from "vitest";
import { digestOf } from "../../src/contract/digest.ts";
import { makeMirrorFolder, readMarker } from "../../src/mirror/local/marker.ts";
import { MAX_NAME_BYTES } from "../../src/contract/path.ts";
import { BENCHES, killAt, type MirrorBench, mirrorOn, ROOT, ramMirror } from "./benches.ts";
import { RamDisk } from "../simulator/ram-disk.ts";

const OLD = digestOf("old");

function textAt(bench: MirrorBench, path: string) {
  const read = bench.disk.read(path);
  return read.kind === "done" ? read.value.text : read.kind;
}

for (const [name, create] of Object.entries(BENCHES)) {
  describe(`the disk on ${name}`, () => {
    const begin = (): MirrorBench => mirrorOn(create());
    const namesIn = (bench: MirrorBench, below: string) =>
      bench.fs
        .readdir(bench.at(below))
        .map((entry) => entry.name)
        .sort();

    it("identifies the root by device, inode and marker", () => {
      const { disk, fs, root } = begin();
      expect(disk.identify()).toMatchObject({ ino: fs.lstat(root).ino, dev: fs.lstat(root).dev, markerId: "marker-1" });
    });

    it("creates a file, returns its stamp, and leaves no temporary file", () => {
      const bench = begin();
      const made = bench.disk.create("a.md", "text");
      expect(made).toMatchObject({ kind: "done", value: { stamp: { size: 4, nlink: 1 } } });
      expect(bench.disk.look("a.md")).toMatchObject({ ...(made.kind === "done" && { stamp: made.value.stamp }) });
      expect(namesIn(bench, ".mdmirror/tmp")).toEqual([]);
    });

    it.each([
      ["a file", (bench: MirrorBench) => bench.write(bench.at("a.md"), "theirs")],
      ["a folder", (bench: MirrorBench) => bench.fs.mkdir(bench.at("a.md"), 0o777)],
      ["a dangling symlink", (bench: MirrorBench) => bench.symlink("nowhere", bench.at("a.md"))],
    ])("creates nothing over %s", (_, occupy) => {
      const bench = begin();
      occupy(bench);
      const before = bench.fs.lstat(bench.at("a.md"));
      expect(bench.disk.create("a.md", "text").kind).toBe("stale");
      expect(bench.fs.lstat(bench.at("a.md"))).toEqual(before);
      expect(namesIn(bench, ".mdmirror/tmp")).toEqual([]);
    });

    it("creates nothing in an absent folder", () => {
      expect(begin().disk.create("x/a.md", "text").kind).toBe("stale");
    });

    it("I25 writes and reads every byte of a text", () => {
      const { disk } = begin();
      const text = "\ufeffa\r\nb\u2028c\u0000 e\u0301 \u00e9 \u{1f600} no final newline";
      disk.create("a.md", text);
      expect(disk.read("a.md")).toMatchObject({ kind: "done", value: { text, digest: digestOf(text) } });
    });

    it("refuses content that has no UTF-8 form", () => {
      const { disk } = begin();
      expect(disk.create("a.md", "a\ud800b")).toMatchObject({ kind: "fault", errno: "EILSEQ" });
      expect(disk.look("a.md").kind).toBe("absent");
    });

    it("replaces content, keeps the mode, and sets the old inode aside", () => {
      const bench = begin();
      bench.fs.writeNew(bench.at("a.md"), Buffer.from("old"), 0o640, false);
      const { ino } = bench.fs.lstat(bench.at("a.md"));
      expect(bench.disk.replace("a.md", "new", OLD, "tmp/park-1").kind).toBe("done");
      expect(textAt(bench, "a.md")).toBe("new");
      expect(bench.fs.lstat(bench.at("a.md")).mode).toBe(0o640);
      expect(bench.disk.readSetAside("tmp/park-1", "a.md")).toMatchObject({ value: { text: "old", stamp: { ino } } });
      bench.disk.removeSetAside("tmp/park-1");
      expect(bench.disk.readSetAside("tmp/park-1", "a.md")).toEqual({ kind: "done", value: null });
    });

    it("I10 writes nothing when the bytes are equal already", () => {
      const bench = begin();
      bench.write(bench.at("a.md"), "new");
      const before = bench.fs.lstat(bench.at("a.md"));
      expect(bench.disk.replace("a.md", "new", OLD, "tmp/park-1").kind).toBe("done");
      expect(bench.fs.lstat(bench.at("a.md"))).toEqual(before);
      expect(bench.disk.readSetAside("tmp/park-1", "a.md")).toEqual({ kind: "done", value: null });
    });

    it("does not replace what is not as expected", () => {
      const bench = begin();
      bench.write(bench.at("a.md"), "edited");
      expect(bench.disk.replace("a.md", "new", OLD, "tmp/park-1").kind).toBe("stale");
      expect(bench.disk.replace("none.md", "new", OLD, "tmp/park-1").kind).toBe("stale");
      expect(textAt(bench, "a.md")).toBe("edited");
      expect(bench.disk.readSetAside("tmp/park-1", "a.md")).toEqual({ kind: "done", value: null });
    });

    it("does not set a file aside over another one", () => {
      const bench = begin();
      bench.write(bench.at("a.md"), "old");
      bench.write(bench.at(".mdmirror/tmp/park-1"), "somebody's text");
      expect(bench.disk.replace("a.md", "new", OLD, "tmp/park-1")).toMatchObject({ kind: "fault", errno: "EEXIST" });
      expect(textAt(bench, "a.md")).toBe("old");
    });

    it("moves a file with its inode, never over anything", () => {
      const bench = begin();
      bench.write(bench.at("a.md"), "old");
      bench.write(bench.at("b.md"), "other");
      const { ino } = bench.fs.lstat(bench.at("a.md"));
      expect(bench.disk.move("a.md", "b.md", OLD).kind).toBe("stale");
      expect(bench.disk.move("a.md", "c.md", digestOf("x")).kind).toBe("stale");
      expect(bench.disk.move("a.md", "c.md", OLD)).toMatchObject({ kind: "done", value: { stamp: { ino, nlink: 1 } } });
      expect([textAt(bench, "a.md"), textAt(bench, "b.md"), textAt(bench, "c.md")]).toEqual(["stale", "other", "old"]);
      expect(namesIn(bench, ".mdmirror/tmp")).toEqual([]);
    });

    it("trashes a file, and puts it back", () => {
      const bench = begin();
      bench.write(bench.at("a.md"), "old");
      expect(bench.disk.trash("a.md", digestOf("x"), "trash/2026-11-21/a.md").kind).toBe("stale");
      expect(bench.disk.trash("a.md", OLD, "trash/2026-11-21/a.md").kind).toBe("done");
      expect(bench.disk.look("a.md").kind).toBe("absent");
      expect(bench.disk.readSetAside("trash/2026-11-21/a.md", "a.md")).toMatchObject({ value: { text: "old" } });
      bench.write(bench.at("a.md"), "new one");
      expect(bench.disk.putBack("trash/2026-11-21/a.md", "a.md").kind).toBe("stale");
      expect(bench.disk.putBack("trash/2026-11-21/a.md", "b.md").kind).toBe("done");
      expect([textAt(bench, "a.md"), textAt(bench, "b.md")]).toEqual(["new one", "old"]);
    });

    it("does not trash over what is in the trash", () => {
      const bench = begin();
      bench.write(bench.at("a.md"), "old");
      bench.disk.trash("a.md", OLD, "trash/d/a.md");
      bench.write(bench.at("a.md"), "again");
      expect(bench.disk.trash("a.md", digestOf("again"), "trash/d/a.md").kind).toBe("stale");
      expect(textAt(bench, "a.md")).toBe("again");
    });

    it("makes, moves and removes folders, never over or with anything else", () => {
      const bench = begin();
      expect(bench.disk.makeFolder("x")).toMatchObject({
        kind: "done",
        value: { ino: bench.fs.lstat(bench.at("x")).ino },
      });
      expect(bench.disk.makeFolder("x").kind).toBe("stale");
      expect(bench.disk.makeFolder("none/y").kind).toBe("stale");
      bench.write(bench.at("x/a.md"), "old");
      bench.disk.makeFolder("y");
      expect(bench.disk.moveFolder("x", "y").kind).toBe("stale");
      expect(bench.disk.moveFolder("x", "x/z")).toMatchObject({ kind: "fault", errno: "EINVAL" });
      expect(bench.disk.moveFolder("x", "y/z").kind).toBe("done");
      expect(textAt(bench, "y/z/a.md")).toBe("old");
      expect(bench.disk.removeFolder("y/z", "trash/d/y/z").kind).toBe("stale");
      expect(textAt(bench, "y/z/a.md")).toBe("old");
    });

    it("removes a folder with nothing but leftovers, which go to the trash", () => {
      const bench = begin();
      bench.disk.makeFolder("x");
      bench.write(bench.at("x/.DS_Store"), "view");
      bench.write(bench.at("x/a.md~"), "backup");
      expect(bench.disk.removeFolder("x", "trash/d/x").kind).toBe("done");
      expect(bench.disk.look("x").kind).toBe("absent");
      expect(namesIn(bench, ".mdmirror/trash/d/x")).toEqual([".DS_Store", "a.md~"]);
    });

    it("flushes files and folders, and reports absent ones", async () => {
      const bench = begin();
      bench.disk.makeFolder("x");
      bench.disk.create("x/a.md", "1");
      expect(await bench.disk.flush(["x/a.md", "x"])).toEqual([]);
      expect(await bench.disk.flush(["x/a.md", "x/none.md"])).toEqual([{ path: "x/none.md", errno: "ENOENT" }]);
    });

    it("removes temporary files, and moves set-aside files into the trash unless an intent names them", () => {
      const bench = begin();
      bench.write(bench.at(".mdmirror/tmp/w-1"), "half");
      bench.write(bench.at(".mdmirror/tmp/a-1"), "a save");
      bench.write(bench.at(".mdmirror/tmp/park-1"), "kept");
      bench.write(bench.at(".mdmirror/tmp/park-2"), "unclaimed");
      bench.disk.sweep(new Set(["tmp/park-1"]));
      expect(namesIn(bench, ".mdmirror/tmp")).toEqual(["park-1"]);
      expect(namesIn(bench, ".mdmirror/trash/unclaimed")).toEqual(["a-1", "park-2"]);
    });
  });
}

describe("what a crash left half done", () => {
  it("is completed: a file that is back already loses only its set-aside name", () => {
    for (const setAsideAt of ["tmp/park", "trash/d/a.md"]) {
      const { ram, disk, at } = ramMirror();
      ram.user.makeFolder(at(".mdmirror/trash/d"));
      ram.user.write(at("a.md"), "old");
      ram.user.hardLink(at("a.md"), at(`.mdmirror/${setAsideAt}`));
      expect(disk.putBack(setAsideAt, "a.md")).toMatchObject({ kind: "done", value: { stamp: { nlink: 1 } } });
      expect(ram.user.read(at("a.md"))).toBe("old");
      expect(disk.readSetAside(setAsideAt, "a.md")).toEqual({ kind: "done", value: null });
    }
  });

  it("is completed: a file with both names of a move loses the old one", () => {
    const { ram, disk, at } = ramMirror();
    ram.user.write(at("a.md"), "old");
    ram.user.hardLink(at("a.md"), at("b.md"));
    expect(disk.move("a.md", "b.md", null)).toMatchObject({ kind: "done", value: { stamp: { nlink: 1 } } });
    expect([...ram.user.texts(at(""))]).toEqual([["b.md", "old"]]);
  });
});

describe("flush", () => {
  it("syncs each file, and once each folder above, up to the root", async () => {
    const { ram, disk, at } = ramMirror();
    ram.user.makeFolder(at("x/y"));
    for (const path of ["a.md", "x/b.md", "x/y/c.md", "x/y/d.md"]) disk.create(path, path);
    const synced: string[] = [];
    ram.beforeCall = (call, path) => void (call === "sync" && synced.push(path.slice(ROOT.length)));
    await disk.flush(["a.md", "x/b.md", "x/y/c.md", "x/y/d.md"]);
    expect(synced).toEqual(["/a.md", "/x/b.md", "/x/y/c.md", "/x/y/d.md", "", "/x", "/x/y"]);
  });
});

test("I13 killed at any call while `.mdmirror` is created, the next call completes it", () => {
  for (const hardLinks of [true, false]) {
    for (let [moment, isKilled] = [0, true]; isKilled; moment++) {
      const disk = new RamDisk({ hardLinks });
      disk.user.makeFolder("/notes");
      isKilled = killAt(disk, moment, () => makeMirrorFolder(disk, "/notes", "first"));
      const before = readMarker(disk, "/notes");
      expect([null, "first"]).toContain(before);
      makeMirrorFolder(disk, "/notes", "second");
      expect(readMarker(disk, "/notes")).toBe(before ?? "second");
    }
  }
});

test("an existing marker stays, and one that a kill left empty is written", () => {
  const disk = new RamDisk();
  disk.user.makeFolder("/notes");
  makeMirrorFolder(disk, "/notes", "first");
  makeMirrorFolder(disk, "/notes", "second");
  expect(readMarker(disk, "/notes")).toBe("first");
  disk.user.write("/notes/.mdmirror/marker", "");
  makeMirrorFolder(disk, "/notes", "third");
  expect(readMarker(disk, "/notes")).toBe("third");
  expect(
    disk
      .readdir("/notes/.mdmirror")
      .map(({ name }) => name)
      .toSorted(),
  ).toEqual([".gitignore", "marker", "tmp", "trash"]);
});

it.each([20, 143, 254, MAX_NAME_BYTES])("a disk is asked for its longest name: %i bytes", (maxNameBytes) => {
  expect(ramMirror({ maxNameBytes }).disk.names().maxNameBytes).toBe(maxNameBytes);
});

it.each(Object.keys(BENCHES))("the longest name that %s states can be used", (bench) => {
  const { disk } = mirrorOn(BENCHES[bench]!());
  const name = (bytes: number) => `${"n".repeat(bytes - 3)}.md`;
  expect(disk.create(name(disk.names().maxNameBytes), "text\n").kind).toBe("done");
  expect(disk.create(name(disk.names().maxNameBytes + 1), "text\n").kind).toBe("fault");
});
