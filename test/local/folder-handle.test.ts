import { describe, expect, it } from "vitest";
import type { FolderHandle, Fs } from "../../src/mirror/ports/disk.ts";
import { LocalDisk } from "../../src/mirror/local/disk.ts";
import { makeMirrorFolder } from "../../src/mirror/local/marker.ts";
import { rollDice } from "../simulator/dice.ts";
import { RamDisk, type RamDiskOptions } from "../simulator/ram-disk.ts";
import { ROOT, walkAll } from "./benches.ts";

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
