import { describe, expect, it } from "vitest";
import type { Fs } from "../../src/mirror/ports/disk.ts";
import { rollDice } from "./dice.ts";
import { APFS, RamDisk } from "./ram-disk.ts";
import { RamError } from "./ram-calls.ts";

const bytes = (text: string) => Buffer.from(text);

describe("the RAM disk, beyond the calls of the Fs", () => {
  it("runs the hook before each call of the Fs, and not for users", () => {
    const disk = new RamDisk();
    const seen: string[] = [];
    disk.beforeCall = (call, path) => void seen.push(`${call} ${path}`);
    disk.user.write("/u.md", "x");
    disk.writeNew("/a.md", bytes("x"), null, true);
    disk.rename("/a.md", "/b.md");
    expect(seen).toEqual(["writeNew /a.md", "writeNew.bytes /a.md", "writeNew.sync /a.md", "rename /a.md"]);
    expect(disk.calls).toBe(4);
  });

  it("fails calls by name, path and number of times, until healed", () => {
    const disk = new RamDisk();
    disk.user.makeFolder("/x");
    disk.user.write("/x/a", "1");
    const heal = disk.fail({ call: "any", path: "/x", code: "EIO" });
    expect(() => disk.lstat("/x/a")).toThrow(RamError);
    expect(() => disk.readdir("/x")).toThrow("EIO");
    expect(disk.readdir("/").length).toBe(1);
    heal();
    disk.fail({ call: "rename", path: "/x/b", code: "EACCES", times: 1 });
    expect(() => disk.rename("/x/a", "/x/b")).toThrow("EACCES");
    disk.rename("/x/a", "/x/b");
  });

  it("counts bytes against its capacity, and gives them back", () => {
    const disk = new RamDisk();
    disk.capacity = 10;
    disk.writeNew("/a", bytes("123456"), null, false);
    expect(() => disk.writeNew("/b", bytes("123456"), null, false)).toThrow("ENOSPC");
    expect(disk.user.exists("/b")).toBe(false);
    disk.link("/a", "/c");
    disk.unlink("/a");
    expect(() => disk.writeNew("/b", bytes("123456"), null, false)).toThrow("ENOSPC");
    disk.unlink("/c");
    disk.writeNew("/b", bytes("123456"), null, false);
  });

  it("gives the number of a removed inode to the next one, with another birth time", () => {
    for (const reusesInodes of [true, false]) {
      const disk = new RamDisk({ reusesInodes });
      disk.user.write("/a", "1");
      const before = disk.lstat("/a");
      disk.user.remove("/a");
      disk.user.write("/b", "1");
      const after = disk.lstat("/b");
      expect(after.ino === before.ino).toBe(reusesInodes);
      expect(after.birthMs).not.toBe(before.birthMs);
    }
  });

  it("a mount covers a folder with another device, and uncovers it", () => {
    const disk = new RamDisk();
    disk.user.makeFolder("/x");
    disk.user.write("/x/a", "1");
    const unmount = disk.user.mount("/x");
    expect(disk.readdir("/x")).toEqual([]);
    expect(disk.lstat("/x").dev).not.toBe(disk.lstat("/").dev);
    disk.writeNew("/b", bytes("1"), null, false);
    expect(() => disk.rename("/b", "/x/b")).toThrow("EXDEV");
    expect(() => disk.link("/b", "/x/b")).toThrow("EXDEV");
    unmount();
    expect(disk.user.read("/x/a")).toBe("1");
  });
});

describe("the disk of a Mac", () => {
  it("takes spellings for one name, and lists each as it is stored", () => {
    const disk = new RamDisk(APFS);
    disk.user.makeFolder("/Caf\u00e9");
    disk.user.write("/Caf\u00e9/A.md", "1");
    expect(disk.realpath("/cafe\u0301/a.md")).toBe("/Caf\u00e9/A.md");
    expect(disk.readdir("/")).toEqual([{ name: "Caf\u00e9", kind: "folder" }]);
    disk.rename("/Caf\u00e9", "/CAFE\u0301");
    expect(disk.readdir("/")).toEqual([{ name: "CAFE\u0301", kind: "folder" }]);
    expect(new RamDisk({ foldsCase: true }).realpath("/")).toBe("/");
  });

  it("has no call that flushes the whole disk, keeps no folder open, and unlinks none", () => {
    const disk = new RamDisk(APFS);
    disk.user.makeFolder("/f");
    expect(["syncDisk", "handle"].filter((call) => (disk as Fs)[call as keyof Fs] !== undefined)).toEqual([]);
    expect(() => disk.unlink("/f")).toThrow("EPERM");
    expect(() => new RamDisk().unlink("/f")).toThrow("ENOENT");
  });

  it("a time before a file's birth moves the birth, and no number is given again", () => {
    for (const [options, moves] of [
      [APFS, true],
      [{}, false],
    ] as const) {
      const disk = new RamDisk(options);
      disk.user.write("/a", "1");
      const before = disk.lstat("/a");
      disk.user.setTime("/a", 7);
      expect([disk.lstat("/a").mtimeMs, disk.lstat("/a").birthMs]).toEqual([7, moves ? 7 : before.birthMs]);
      disk.user.remove("/a");
      disk.user.write("/b", "1");
      expect(disk.lstat("/b").ino === before.ino).toBe(!moves);
    }
  });
});

function run(seed: number) {
  const disk = new RamDisk();
  for (let i = 0; i < 50; i++) disk.user.saveAtomically(`/${i % 7}`, `text ${i}`);
  disk.losePower(rollDice(seed).fraction);
  return JSON.stringify([...disk.user.texts("/")]);
}

describe("power lost", () => {
  it("keeps what was synced, names and bytes", async () => {
    for (let seed = 1; seed <= 50; seed++) {
      const disk = new RamDisk();
      disk.user.makeFolder("/x");
      disk.writeNew("/x/a", bytes("synced"), null, true);
      await disk.sync("/x");
      disk.losePower(rollDice(seed).fraction);
      expect(disk.user.read("/x/a")).toBe("synced");
    }
  });

  it("keeps of the names what was done before some moment, and nothing after", () => {
    const counts = new Set<number>();
    for (let seed = 1; seed <= 200; seed++) {
      const disk = new RamDisk();
      for (let i = 0; i < 5; i++) disk.writeNew(`/${i}`, bytes("x"), null, false);
      disk.losePower(rollDice(seed * 7919).fraction);
      const names = disk.readdir("/").map(({ name }) => name);
      expect(names).toEqual(["0", "1", "2", "3", "4"].slice(0, names.length));
      counts.add(names.length);
    }
    expect([...counts].sort()).toEqual([0, 1, 2, 3, 4, 5]);
  });

  it("a rename happened or did not, and never halfway", () => {
    const seen = new Set<string>();
    for (let seed = 1; seed <= 200; seed++) {
      const disk = new RamDisk();
      disk.writeNew("/a", bytes("a"), null, true);
      disk.writeNew("/b", bytes("b"), null, true);
      disk.settle();
      disk.rename("/a", "/b");
      disk.losePower(rollDice(seed * 7919).fraction);
      seen.add(JSON.stringify([...disk.user.texts("/")]));
      const total = disk.readdir("/").map(({ name }) => disk.lstat(`/${name}`).nlink);
      expect(total.every((nlink) => nlink === 1)).toBe(true);
    }
    expect([...seen].sort()).toEqual(['[["a","a"],["b","b"]]', '[["b","a"]]']);
  });

  it("bytes that were not synced may be old, new, empty, zeroed, or cut off at a sector and then zeroed or not", () => {
    const seen = new Set<string | null>();
    const newer = "newer".repeat(250);
    for (let seed = 1; seed <= 300; seed++) {
      const disk = new RamDisk();
      disk.writeNew("/a", bytes("old"), null, true);
      disk.settle();
      disk.user.write("/a", newer);
      disk.losePower(rollDice(seed * 7919).fraction);
      seen.add(disk.user.read("/a"));
    }
    const cut = [newer.slice(0, 512), newer.slice(0, 1024)];
    const padded = ["", ...cut].map((text) => text.padEnd(newer.length, "\0"));
    expect([...seen].sort()).toEqual(["old", newer, "", ...cut, ...padded].sort());
  });

  it("I32 ends the same with the same seed", () => {
    expect(run(5)).toBe(run(5));
    expect(new Set([1, 2, 3, 4, 5].map((seed) => run(seed * 7919))).size).toBeGreaterThan(1);
  });
});
