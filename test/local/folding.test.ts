import { execFileSync } from "node:child_process";
import * as nodeFs from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it, type TestContext } from "vitest";
import { digestOf } from "../../src/contract/digest.ts";
import { LocalDisk } from "../../src/mirror/local/disk.ts";
import { type Bench, createNodeBench, createRamBench } from "../simulator/fs-bench.ts";
import { rollDice } from "../simulator/dice.ts";
import { APFS } from "../simulator/ram-disk.ts";
import { type MirrorBench, mirrorOn, ramMirror, ROOT, walkAll } from "./benches.ts";

/**
 * exFAT through FUSE: a real disk that folds case and has no hard links. Null if the system cannot
 * mount it.
 */
let exfat: { readonly folder: string; close(): void } | null = null;

const run = (command: string, ...args: string[]) => execFileSync(command, args, { stdio: "pipe" }).toString().trim();

function mountExfat(): { readonly folder: string; close(): void } {
  const base = nodeFs.mkdtempSync(join(tmpdir(), "mdmirror-exfat-"));
  const image = join(base, "image");
  const folder = join(base, "mounted");
  nodeFs.mkdirSync(folder);
  nodeFs.writeFileSync(image, "");
  nodeFs.truncateSync(image, 16 * 1024 * 1024);
  run("mkfs.exfat", image);
  const device = run("losetup", "--find", "--show", image);
  const detach = () => {
    run("losetup", "--detach", device);
    nodeFs.rmSync(base, { recursive: true, force: true });
  };
  try {
    run("mount.exfat-fuse", device, folder);
  } catch (error) {
    detach();
    throw error;
  }
  return {
    folder,
    close: () => {
      run("umount", folder);
      detach();
    },
  };
}

beforeAll(() => {
  try {
    exfat = mountExfat();
  } catch (error) {
    console.log(`no real case-insensitive disk here: ${error instanceof Error ? error.message.split("\n")[0] : error}`);
  }
});
afterAll(() => exfat?.close());

const FOLDING: Readonly<Record<string, { readonly open: () => Bench | null; readonly foldsUnicode: boolean }>> = {
  "a simulated disk": { open: () => createRamBench({ foldsCase: true, foldsUnicode: true }), foldsUnicode: true },
  "the simulated disk of a Mac": { open: () => createRamBench(APFS), foldsUnicode: true },
  "a simulated disk without hard links": {
    open: () => createRamBench({ foldsCase: true, hardLinks: false }),
    foldsUnicode: false,
  },
  "exFAT by FUSE": { open: () => (exfat === null ? null : createNodeBench(exfat.folder)), foldsUnicode: false },
};

const names = ({ fs, at }: Pick<MirrorBench, "fs" | "at">) =>
  fs.readdir(at("")).flatMap(({ name }) => (name === ".mdmirror" ? [] : [name]));

for (const [name, { open, foldsUnicode }] of Object.entries(FOLDING)) {
  describe(`a disk that folds case: ${name}`, () => {
    const mirror = (context: TestContext) => mirrorOn(open() ?? context.skip("no such disk here"));

    it("is learned by a probe", (context) => {
      const { disk, fs, at } = mirror(context);
      expect(disk.names()).toMatchObject({ foldsCase: true, foldsUnicode });
      expect(fs.readdir(at(".mdmirror/tmp"))).toEqual([]);
    });

    it("renames a file and a folder by case alone, and nothing else over them", (context) => {
      const { disk, fs, write, at } = mirror(context);
      write(at("Note.md"), "old");
      write(at("other.md"), "x");
      fs.mkdir(at("Docs"), 0o777);
      expect(disk.create("NOTE.md", "x").kind).toBe("stale");
      expect(disk.move("other.md", "NOTE.md", null).kind).toBe("stale");
      expect(disk.move("Note.md", "note.md", digestOf("old")).kind).toBe("done");
      expect(disk.moveFolder("Docs", "docs").kind).toBe("done");
      expect(names({ fs, at }).toSorted()).toEqual(["docs", "note.md", "other.md"]);
      expect(disk.read("note.md")).toMatchObject({ value: { text: "old" } });
    });

    it("I09 replaces a file under the letters that its name has by now", (context) => {
      const { disk, fs, write, at } = mirror(context);
      write(at("Note.md"), "old");
      expect(disk.replace("note.md", "new", digestOf("old"), "tmp/park").kind).toBe("done");
      expect(names({ fs, at })).toEqual(["Note.md"]);
      expect((disk as LocalDisk).saveOver("NOTE.md", "newer", digestOf("new"), "trash/kept").kind).toBe("done");
      expect(names({ fs, at })).toEqual(["Note.md"]);
      expect(disk.read("Note.md")).toMatchObject({ value: { text: "newer" } });
    });

    it("writes, moves, trashes and puts back as elsewhere", (context) => {
      const { disk, fs, at } = mirror(context);
      expect(disk.create("a.md", "old").kind).toBe("done");
      expect(disk.create("a.md", "x").kind).toBe("stale");
      expect(disk.replace("a.md", "new", digestOf("old"), "tmp/park").kind).toBe("done");
      expect(disk.readSetAside("tmp/park", "a.md")).toMatchObject({ value: { text: "old" } });
      disk.removeSetAside("tmp/park");
      expect(disk.makeFolder("f").kind).toBe("done");
      expect(disk.move("a.md", "f/b.md", digestOf("new")).kind).toBe("done");
      expect(disk.trash("f/b.md", digestOf("new"), "trash/d/b.md").kind).toBe("done");
      expect(disk.putBack("trash/d/b.md", "c.md").kind).toBe("done");
      expect(disk.removeFolder("f", "trash/d/f").kind).toBe("done");
      const tree = walkAll(disk);
      expect([...tree.files.values()].map(({ path, digest }) => [path, digest])).toEqual([["c.md", digestOf("new")]]);
      expect(fs.readdir(at(".mdmirror/tmp"))).toEqual([]);
    });
  });
}

describe("what a disk folds", () => {
  it("is nothing on the simulated exact disk, and its result is kept", () => {
    const { ram, disk } = ramMirror();
    expect(disk.names()).toMatchObject({ foldsCase: false, foldsUnicode: false });
    const { calls } = ram;
    disk.names();
    expect(ram.calls).toBe(calls);
  });

  it("I23 is guessed without a write in a dry run", () => {
    for (const foldsCase of [false, true]) {
      const { ram } = ramMirror({ foldsCase, foldsUnicode: foldsCase });
      const before = ram.user.texts(ROOT, true);
      const disk = new LocalDisk(ram, ROOT, { random: rollDice(1), probes: false });
      expect(disk.names()).toMatchObject({ foldsCase, foldsUnicode: foldsCase });
      expect(ram.user.texts(ROOT, true)).toEqual(before);
    }
  });

  it("I26 lets no spelling of .mdmirror in", () => {
    const { disk } = ramMirror({ foldsCase: true });
    expect(disk.create(".MDMIRROR/tmp/x.md", "x").kind).toBe("fault");
    expect(disk.create(".MdMirror", "x").kind).toBe("fault");
  });
});
