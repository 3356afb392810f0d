import { afterEach, describe, expect, it } from "vitest";
import { digestOf } from "../../src/model/digest.ts";
import type { LocalPath } from "../../src/model/path.ts";
import type { KnownFile } from "../../src/ports/disk.ts";
import { LocalDisk } from "../../src/local/disk.ts";
import { recordTree } from "../../src/local/record.ts";
import { PortionWriter, Recorded } from "../../src/local/recorded.ts";
import { RootGuard } from "../../src/local/root-guard.ts";
import { diskTime } from "../../src/local/walk.ts";
import { rollDice } from "../simulator/dice.ts";
import type { RamDisk } from "../simulator/ram-disk.ts";
import { BENCHES, type MirrorBench, mirrorOn, ramMirror, ROOT } from "./benches.ts";
import { countCalls, diskAfter, EACH, FOLDERS, grown, Ready, record, shown } from "./recorded-rig.ts";

const nothing = () => null;
const noText = () => undefined;
const linked = () => ["f2/1.md"];

for (const [name, create] of Object.entries(BENCHES)) {
  describe(`a walk after its tree was recorded, on ${name}`, () => {
    let open: MirrorBench | null = null;
    afterEach(() => open?.close());

    it("sees what a walk sees that reads all by itself", async () => {
      const bench = mirrorOn(create());
      open = bench;
      for (const folder of ["docs", "docs/deep", "empty", ".git", "left-out"]) bench.fs.mkdir(bench.at(folder), 0o777);
      const files = ["å.md", "docs/b.md", "docs/deep/c.md", "image.png", "a.md~", ".git/config.md", "left-out/r.md"];
      for (const file of files) bench.write(bench.at(file), `text of ${file}`);
      bench.write(bench.at(".mdmirrorignore"), "left-out/\n");
      bench.symlink("docs", bench.at("way"));
      bench.special(bench.at("pipe.md"));
      const disk = await diskAfter(bench.fs, bench.root, record(bench.fs, bench.root));
      expect(shown(disk.walk(nothing, noText))).toEqual(shown(bench.disk.walk(nothing, noText)));
    });
  });
}

describe("what was recorded", () => {
  it("is read once: the walk looks at folders alone, and at files that are not as they are known", async () => {
    const { ram, at, disk } = grown(ramMirror());
    const first = disk.walk(nothing, noText);
    const known = (path: LocalPath): KnownFile => first.files.get(path)!;
    ram.advance(10_000);
    ram.user.write(at("f0/1.md"), "edited");
    const { calls, tree } = await walkCounting(ram, record(ram, ROOT), known);
    expect([calls.readdir ?? 0, calls.readFile]).toEqual([0, 1]);
    // Root and folders, once each at the check that they rest; what else it needs is not per file.
    expect(calls.lstat).toBeLessThan(FOLDERS + 12);
    expect(tree.files.get("f0/1.md")?.digest).toBe(digestOf("edited"));
  });

  it("counts for one walk", async () => {
    const { ram, at } = grown(ramMirror());
    const disk = await diskAfter(ram, ROOT, record(ram, ROOT));
    expect(disk.walk(nothing, noText).files.has("f0/1.md")).toBe(true);
    ram.user.write(at("f0/1.md"), "edited");
    ram.user.remove(at("f1/1.md"));
    const { files } = disk.walk(nothing, noText);
    expect([files.get("f0/1.md")?.digest, files.has("f1/1.md")]).toEqual([digestOf("edited"), false]);
  });

  it("counts no more after an effect of this mirror", async () => {
    const { ram } = grown(ramMirror());
    const disk = await diskAfter(ram, ROOT, record(ram, ROOT));
    disk.create("f0/new.md", "new");
    const readdirs = countCalls(ram);
    expect(disk.walk(nothing, noText).files.has("f0/new.md")).toBe(true);
    expect(readdirs.readdir).toBeGreaterThan(FOLDERS);
  });

  it("counts no more after an effect while it was waited for", async () => {
    const { ram } = grown(ramMirror());
    const taken = Promise.withResolvers<Recorded>();
    const disk = new LocalDisk(ram, ROOT, { random: rollDice(6), records: new Ready(taken.promise) });
    const waited = disk.awaitRecorded();
    disk.create("f0/new.md", "new");
    taken.resolve(record(ram, ROOT));
    await waited;
    const readdirs = countCalls(ram);
    disk.walk(nothing, noText);
    expect(readdirs.readdir).toBeGreaterThan(FOLDERS);
  });

  it("I04 of another root counts for nothing", async () => {
    const { ram, at } = grown(ramMirror());
    const recorded = record(ram, ROOT);
    ram.user.rename(ROOT, "/home/away");
    ram.user.makeFolder(ROOT);
    ram.user.makeFolder(at(".mdmirror"));
    ram.user.write(at("other.md"), "other");
    const disk = await diskAfter(ram, ROOT, recorded);
    expect([...disk.walk(nothing, noText).files.keys()]).toEqual(["other.md"]);
  });

  it("leaves out what lies in another mirror, which the walk does not read either", async () => {
    const { ram, at } = grown(ramMirror());
    for (const folder of ["f1/.mdmirror", "f1/deep"]) ram.user.makeFolder(at(folder));
    ram.user.write(at("f1/.mdmirror/config.json"), "{}");
    const read: string[] = [];
    ram.beforeCall = (call, path) => void (call === "readdir" && read.push(path));
    const recorded = record(ram, ROOT);
    ram.beforeCall = null;
    expect(read).toEqual([ROOT, at("f0"), at("f1"), at("f1/.mdmirror"), at("f2"), at("f3")]);
    const tree = (await diskAfter(ram, ROOT, recorded)).walk(nothing, noText);
    expect([...tree.unseen.keys()]).toEqual(["f1"]);
    expect(shown(tree)).toEqual(shown(new LocalDisk(ram, ROOT, { random: rollDice(6) }).walk(nothing, noText)));
  });

  it("leaves out what git would ignore, which the walk reads where it is linked", async () => {
    const { ram, at } = grown(ramMirror());
    ram.user.write(at(".gitignore"), "f2/\n");
    const options = { random: rollDice(6), gitignore: linked };
    const read: string[] = [];
    ram.beforeCall = (call, path) => void (call === "readdir" && read.push(path));
    const recorded = record(ram, ROOT, true);
    ram.beforeCall = null;
    expect(read).toEqual([ROOT, at("f0"), at("f1"), at("f3")]);
    const disk = new LocalDisk(ram, ROOT, { ...options, records: new Ready(recorded) });
    await disk.awaitRecorded();
    const tree = disk.walk(nothing, noText);
    expect(tree.files.has("f2/1.md")).toBe(true);
    expect(shown(tree)).toEqual(shown(new LocalDisk(ram, ROOT, options).walk(nothing, noText)));
  });
});

describe("what is recorded while it is walked", () => {
  /** The root and the first folder are recorded; the others come later, or never. */
  async function begun() {
    const bench = grown(ramMirror());
    const guard = new RootGuard(bench.ram, ROOT, rollDice(5));
    const recorded = new Recorded(diskTime(guard));
    recorded.begin();
    const portions = recordTree(guard, { ignore: [], gitignore: false }, new PortionWriter(1));
    for (let n = 0; n < 2; n++) recorded.add(portions.next().value!);
    const disk = await diskAfter(bench.ram, ROOT, recorded);
    disk.folding();
    return { ...bench, recorded, portions, disk };
  }

  it("is waited for by a walk that comes to it, which reads no folder by itself", async () => {
    const { ram, disk, recorded, portions } = await begun();
    const rest = [...portions];
    const calls = countCalls(ram);
    const walk = disk.walkInParts(nothing, noText);
    expect([walk.next().done, walk.next().done]).toEqual([false, false]);
    let waits = 0;
    for (const portion of rest) {
      const waited = disk.awaitRecorded!();
      recorded.add(portion);
      await waited;
      waits++;
      if (waits < FOLDERS - 1) expect(walk.next().done).toBe(false);
    }
    recorded.end();
    const end = walk.next();
    expect([end.done, calls.readdir ?? 0]).toEqual([true, 0]);
    expect(shown(end.value!)).toEqual(shown(new LocalDisk(ram, ROOT, { random: rollDice(6) }).walk(nothing, noText)));
  });

  it("is read by the walk itself where nothing more comes", async () => {
    const { ram, disk, recorded } = await begun();
    const calls = countCalls(ram);
    const walk = disk.walkInParts(nothing, noText);
    walk.next();
    const waited = disk.awaitRecorded!();
    recorded.end();
    await waited;
    const end = walk.next();
    expect([end.done, calls.readdir]).toEqual([true, FOLDERS - 1]);
    expect(end.value!.files.size).toBe(FOLDERS * EACH);
  });

  it("is left alone by a walk that does not pause", async () => {
    const { ram, disk } = await begun();
    const calls = countCalls(ram);
    expect(disk.walk(nothing, noText).files.size).toBe(FOLDERS * EACH);
    expect(calls.readdir).toBe(FOLDERS + 1);
  });
});

async function walkCounting(ram: RamDisk, recorded: Recorded, known: (path: LocalPath) => KnownFile | null) {
  const disk = await diskAfter(ram, ROOT, recorded);
  disk.folding();
  const calls = countCalls(ram);
  const tree = disk.walk(known, noText);
  return { calls, tree };
}

describe("I04 within one tick of the disk's clock", () => {
  it("a folder that changed right before it was recorded may have changed right after, too", async () => {
    const { ram, at } = grown(ramMirror({ granularityMs: 2_000 }));
    ram.user.remove(at("f0/0.md"));
    const recorded = record(ram, ROOT);
    const { mtimeMs } = ram.lstat(at("f0"));
    ram.user.rename(at("f0/1.md"), at("f0/moved.md"));
    expect(ram.lstat(at("f0")).mtimeMs).toBe(mtimeMs);
    ram.advance(10_000);
    const { files } = (await diskAfter(ram, ROOT, recorded)).walk(nothing, noText);
    expect([files.has("f0/1.md"), files.has("f0/moved.md")]).toEqual([false, true]);
  });
});

describe("I04 where the disk's time is not known", () => {
  it("a folder that changed after it was recorded is read again, and so is one that took its place", async () => {
    const { ram, at } = grown(ramMirror());
    ram.fail({ call: "writeNew", path: null, code: "ENOSPC" });
    const recorded = record(ram, ROOT);
    expect(recorded.diskNow).toBe(null);
    ram.advance(10_000);
    ram.user.rename(at("f0"), at("aside"));
    ram.user.remove(at("f1/1.md"));
    const { files } = (await diskAfter(ram, ROOT, recorded)).walk(nothing, noText);
    expect([files.has("aside/0.md"), files.has("f0/0.md"), files.has("f1/1.md")]).toEqual([true, false, false]);
  });

  it("another root with the same stamp counts for nothing", async () => {
    const { ram, at } = grown(ramMirror());
    ram.fail({ call: "writeNew", path: null, code: "ENOSPC" });
    const recorded = record(ram, ROOT);
    const { mtimeMs } = ram.lstat(ROOT);
    ram.user.rename(ROOT, "/home/away");
    for (const folder of ["new", ".mdmirror/tmp"]) ram.user.makeFolder(at(folder));
    ram.user.setTime(ROOT, mtimeMs);
    expect(ram.lstat(ROOT).mtimeMs).toBe(mtimeMs);
    const { folders, files } = (await diskAfter(ram, ROOT, recorded)).walk(nothing, noText);
    expect([[...folders.keys()], files.size]).toEqual([["new"], 0]);
  });
});
