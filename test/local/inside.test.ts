import { describe, expect, it } from "vitest";
import { digestOf } from "../../src/contract/digest.ts";
import type { Disk } from "../../src/mirror/ports/disk.ts";
import { LocalDisk } from "../../src/mirror/local/disk.ts";
import { rollDice } from "../simulator/dice.ts";
import { BENCHES, type MirrorBench, mirrorOn, ramMirror, reopened } from "./benches.ts";

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
