import { describe, expect, it } from "vitest";
import { digestOf } from "../../src/contract/digest.ts";
import type { Disk, FolderHandle, Fs } from "../../src/mirror/ports/disk.ts";
import { LocalDisk } from "../../src/mirror/local/disk.ts";
import { rollDice } from "../simulator/dice.ts";
import { BENCHES, type MirrorBench, mirrorOn, ramMirror, reopened, ROOT, walkAll } from "./benches.ts";
import { makeMirrorFolder } from "../../src/mirror/local/marker.ts";
import { RamDisk, type RamDiskOptions } from "../simulator/ram-disk.ts";

/** Every effect of the disk's port on one path. `park` is the folder of set-aside files. */
const EFFECTS: Readonly<
  Record<string, (disk: Disk, path: string) => { readonly kind: string; readonly errno?: string }>
> = {
  read: (disk, path) => disk.read(path),
  create: (disk, path) => disk.create(path, "x"),
  replace: (disk, path) => disk.replace(path, "x", "" as never, "tmp/park"),
  "move from": (disk, path) => disk.move(path, "free.md", null),
  "move to": (disk, path) => disk.move("here.md", path, null),
  trash: (disk, path) => disk.trash(path, digestOf("x"), "trash/t.md"),
  makeFolder: (disk, path) => disk.makeFolder(path),
  "moveFolder from": (disk, path) => disk.moveFolder(path, "free"),
  "moveFolder to": (disk, path) => disk.moveFolder("folder", path),
  removeFolder: (disk, path) => disk.removeFolder(path, "trash/f"),
  putBack: (disk, path) => disk.putBack("tmp/parked", path),
};

const OUTSIDE = [
  "",
  "/etc/x.md",
  "../x.md",
  "folder/../../x.md",
  "./x.md",
  "folder//x.md",
  "folder/",
  "a\0.md",
  ".mdmirror/state.db",
  ".MDMirror/state.db",
  ".md\u200cmirror/x.md",
  ".git/hooks/x.md",
  "folder/.git/x.md",
];

for (const [name, create] of Object.entries(BENCHES)) {
  describe(`I26 on ${name}`, () => {
    const begin = (): MirrorBench => {
      const bench = mirrorOn(create());
      bench.fs.mkdir(bench.at("folder"), 0o777);
      bench.write(bench.at("here.md"), "here");
      bench.write(bench.at(".mdmirror/tmp/parked"), "parked");
      return bench;
    };

    it.each(OUTSIDE)("no effect on %j", (path) => {
      const { disk, fs, root, at } = begin();
      const before = fs.lstat(root);
      for (const [effect, act] of Object.entries(EFFECTS))
        expect([effect, act(disk, path)]).toMatchObject([effect, { kind: "fault", errno: "EINVAL" }]);
      expect(disk.look(path).kind).toBe("unknown");
      expect(fs.lstat(root)).toEqual(before);
      expect(fs.lstat(at("here.md")).size).toBe(4);
    });

    it.each(["state.db", "tmp/../state.db", "/tmp/x", "tmp", "trash", "tmp//x", "log/x"])(
      "sets nothing aside at %j",
      (park) => {
        const { disk, write, at } = begin();
        write(at(".mdmirror/state.db"), "state");
        expect(disk.trash("here.md", digestOf("here"), park)).toMatchObject({ kind: "fault", errno: "EINVAL" });
        expect(disk.readSetAside(park, "a.md")).toMatchObject({ kind: "fault", errno: "EINVAL" });
        disk.removeSetAside(park);
        expect(disk.look("here.md").kind).toBe("file");
      },
    );

    it("no effect behind a symlink, and a scan of it is unknown, never absent", () => {
      const bench = begin();
      bench.fs.mkdir(bench.at("folder/real"), 0o777);
      bench.write(bench.at("folder/real/a.md"), "old");
      bench.symlink("folder", bench.at("way"));
      for (const path of ["way/real/a.md", "way/new.md", "way/real"]) {
        for (const [effect, act] of Object.entries(EFFECTS)) {
          if (effect === "move to" || effect === "moveFolder to" || effect === "putBack") continue;
          expect([path, effect, act(bench.disk, path).kind]).toEqual([path, effect, "stale"]);
        }
        expect(bench.disk.look(path).kind).toBe("unknown");
      }
      expect(bench.disk.move("here.md", "way/new.md", null).kind).toBe("stale");
      expect(bench.disk.moveFolder("folder/real", "way/new").kind).toBe("stale");
      expect(bench.disk.putBack("tmp/parked", "way/new.md").kind).toBe("stale");
      expect(bench.fs.readdir(bench.at("folder/real")).map((entry) => entry.name)).toEqual(["a.md"]);
    });

    it("a symlink at the path itself is not followed, moved, trashed or replaced", () => {
      const bench = begin();
      bench.symlink("here.md", bench.at("link.md"));
      expect(bench.disk.look("link.md").kind).toBe("other");
      for (const effect of ["read", "replace", "move from", "trash", "create"])
        expect([effect, EFFECTS[effect]!(bench.disk, "link.md").kind]).toEqual([effect, "stale"]);
      expect(bench.fs.lstat(bench.at("link.md")).kind).toBe("symlink");
    });

    it("writes nothing when .mdmirror/tmp leads out of the folder", () => {
      const bench = begin();
      bench.fs.unlink(bench.at(".mdmirror/tmp/parked"));
      bench.fs.rmdir(bench.at(".mdmirror/tmp"));
      bench.symlink("../folder", bench.at(".mdmirror/tmp"));
      expect(bench.disk.create("a.md", "x").kind).toBe("fault");
      expect(bench.fs.readdir(bench.at("folder"))).toEqual([]);
    });

    it("works in a root that is itself reached through a symlink", () => {
      const bench = begin();
      const { disk } = bench;
      bench.symlink("folder", bench.at("alias"));
      const other = new LocalDisk(bench.fs, bench.at("alias"), { random: rollDice(3) });
      expect(disk.identify()).not.toBeNull();
      expect(other.create("a.md", "x").kind).toBe("done");
      expect(bench.fs.lstat(bench.at("folder/a.md")).size).toBe(1);
    });
  });
}

describe("I04 another root at the same path", () => {
  it("knows nothing of a root that is gone, replaced or covered", () => {
    for (const change of ["gone", "replaced", "covered"] as const) {
      const { ram, disk, at } = ramMirror();
      ram.user.write(at("a.md"), "a");
      disk.identify();
      if (change === "covered") ram.user.mount("/home/notes");
      else ram.user.rename("/home/notes", "/home/elsewhere");
      if (change === "replaced") ram.user.makeFolder("/home/notes");
      expect([change, disk.look("a.md").kind]).toEqual([change, "unknown"]);
      expect([change, disk.create("b.md", "x").kind]).toEqual([change, "stale"]);
      expect([change, reopened(ram).identify() === null]).toEqual([change, change === "gone"]);
    }
  });

  it("does nothing across a mount", () => {
    const { ram, disk, at } = ramMirror();
    ram.user.makeFolder(at("x"));
    const unmount = ram.user.mount(at("x"));
    expect(disk.create("x/a.md", "x").kind).toBe("stale");
    expect(disk.look("x/a.md").kind).toBe("unknown");
    unmount();
    expect(disk.create("x/a.md", "x").kind).toBe("done");
  });
});

/** A disk in memory that can keep folders open. `tell` returns the path of an open folder. */
class HoldingDisk extends RamDisk implements Fs {
  blocked = 0;
  opened = 0;
  readonly #tell: (path: string) => string;

  constructor(tell: (path: string) => string, options?: RamDiskOptions) {
    super(options);
    this.#tell = tell;
  }

  handle(path: string): FolderHandle {
    const stat = this.lstat(path);
    this.blocked++;
    this.opened++;
    return { handlePath: path, stat: () => stat, path: () => this.#tell(path), close: () => void this.blocked-- };
  }
}

function holding(tell: (path: string) => string, options?: RamDiskOptions) {
  const ram = new HoldingDisk(tell, options);
  ram.user.makeFolder(`${ROOT}/Folder/below`);
  makeMirrorFolder(ram, ROOT, "marker-1");
  const disk = new LocalDisk(ram, ROOT, { random: rollDice(7) });
  return { ram, disk, counts: () => ({ held: ram.blocked, opened: ram.opened }) };
}

describe("I26 what the system reports of an open folder", () => {
  it("its path: the effect is done at that path, and the folder is closed", () => {
    const { disk, counts } = holding((path) => path);
    expect(disk.create("Folder/below/a.md", "a").kind).toBe("done");
    expect(disk.look("Folder/below/a.md").kind).toBe("file");
    expect(counts()).toMatchObject({ held: 0 });
    expect(counts().opened).toBeGreaterThan(3);
  });

  it("calls that are made together open the folders that they share once", () => {
    const { disk, counts } = holding((path) => path);
    for (const name of ["a", "b"]) disk.create(`Folder/below/${name}.md`, name);
    const before = counts().opened;
    const read = () => ["a", "b", "no"].map((name) => disk.read(`Folder/below/${name}.md`).kind);
    expect(disk.shareFolders(read)).toEqual(["done", "done", "stale"]);
    expect(counts().opened - before).toBe(1);
    expect(counts().held).toBe(0);
    expect([read(), counts().opened - before]).toEqual([["done", "done", "stale"], 4]);
  });

  it("another path than its own: nothing is done, and nothing is absent", () => {
    const { disk, counts } = holding((path) => path.replace("/below", "/elsewhere"));
    expect(disk.create("Folder/below/a.md", "a").kind).toBe("stale");
    expect(disk.look("Folder/below/a.md").kind).toBe("unknown");
    expect(disk.create("Folder/a.md", "a").kind).toBe("done");
    const tree = walkAll(disk);
    expect([...tree.unseen.keys()]).toEqual(["Folder/below"]);
    expect(counts().held).toBe(0);
  });

  it("another spelling: the same folder where names fold, another one where they do not", () => {
    for (const foldsCase of [true, false]) {
      const { disk } = holding((path) => path.replace("Folder", "FOLDER"), { foldsCase });
      disk.names();
      expect([foldsCase, disk.create("Folder/a.md", "a").kind]).toEqual([foldsCase, foldsCase ? "done" : "stale"]);
    }
  });

  it("another path of the root itself: it is not relied on, and folders are looked at", () => {
    const { disk, counts } = holding((path) => `/mnt${path}`);
    expect(disk.create("Folder/a.md", "a").kind).toBe("done");
    expect(disk.look("Folder/below/a.md").kind).toBe("absent");
    expect(counts()).toEqual({ held: 0, opened: 1 });
  });

  it("no folder stays open when a call of the effect fails", () => {
    const { ram, disk, counts } = holding((path) => path);
    disk.names();
    for (const call of ["lstat", "readFile", "writeNew", "link", "rename"] as const) {
      const end = ram.fail({ call, path: null, code: "EIO" });
      expect([call, disk.create(`Folder/${call}.md`, "a").kind === "done"]).toEqual([
        call,
        call !== "link" && call !== "lstat" && call !== "writeNew",
      ]);
      disk.replace("Folder/a.md", "b", "" as never, "tmp/p");
      end();
      expect([call, counts().held]).toEqual([call, 0]);
    }
  });
});
