import { describe, expect, test } from "vitest";
import {
  findProgramWithFileOpen,
  type ProcessProbe,
  SYSTEM_PROCESS_PROBE,
} from "../../src/mirror/local/editor-locks.ts";
import { swapBlock } from "../simulator/runs/editors.ts";
import { RamDisk } from "../simulator/ram-disk.ts";

const ROOT = "/w";
const DAY_MS = 86_400_000;

/** Process 1 runs on the host `here`, which booted at time 0. */
const HERE: ProcessProbe = { host: () => "here", isAlive: (pid) => pid === 1, bootedAt: () => 0 };

function diskWith(put: (disk: RamDisk) => void): RamDisk {
  const disk = new RamDisk();
  disk.user.makeFolder(ROOT);
  disk.user.write(`${ROOT}/a.md`, "text\n");
  disk.user.write(`${ROOT}/.b.md`, "text\n");
  put(disk);
  return disk;
}

const open = (put: (disk: RamDisk) => void, processProbe = HERE, name = "a.md") =>
  findProgramWithFileOpen(diskWith(put), `${ROOT}/${name}`, processProbe);
const file = (name: string, content: string | Uint8Array) => (disk: RamDisk) =>
  disk.user.write(`${ROOT}/${name}`, content);
const link = (name: string, target: string) => (disk: RamDisk) => disk.user.symlink(target, `${ROOT}/${name}`);

describe("a file is open in an editor that says so", () => {
  test.each([
    ["nothing is beside it", () => undefined, null],
    ["Vim", file(".a.md.swp", swapBlock(1, "here")), "vim"],
    ["nano", file(".a.md.swp", swapBlock(1, "here", "nano 7.2")), "nano"],
    [
      "Vim, after a crash of another",
      (disk: RamDisk) => {
        file(".a.md.swp", swapBlock(2, "here"))(disk);
        file(".a.md.swo", swapBlock(1, "here"))(disk);
      },
      "vim",
    ],
    ["Vim that has died", file(".a.md.swp", swapBlock(2, "here")), null],
    ["Vim on another machine, of which nothing is known", file(".a.md.swp", swapBlock(2, "there")), "vim"],
    ["a file of that name which is no swap file", file(".a.md.swp", "plain text"), null],
    ["a swap file that was cut off", file(".a.md.swp", "b0VIM"), null],
    ["Emacs", link(".#a.md", "ann@here.1:1700000000"), "Emacs"],
    ["Emacs on a machine with a domain", link(".#a.md", "ann@here.example.org.1"), "Emacs"],
    ["Emacs that has died", link(".#a.md", "ann@here.2:1700000000"), null],
    ["Emacs that has died, with the domain", link(".#a.md", "ann@here.example.org.2"), null],
    ["Emacs on another machine", link(".#a.md", "ann@there.2:1700000000"), "Emacs"],
    ["Emacs where there are no symlinks", file(".#a.md", "ann@here.1:1700000000"), "Emacs"],
    ["a symlink of that name that is no lock", link(".#a.md", "elsewhere.md"), null],
    ["LibreOffice", file(".~lock.a.md#", ",ann,here,22.11.2026 10:00,file:///home/ann;"), "LibreOffice"],
    ["the lock of another file", file(".b.md.swp", swapBlock(1, "here")), null],
  ])("%s", (_what, put, expected) => {
    expect(open(put)).toBe(expected);
  });

  test("of a name with a dot, Vim adds none", () => {
    expect(open(file(".b.md.swp", swapBlock(1, "here")), HERE, ".b.md")).toBe("vim");
  });

  test("a lock from before the machine was started is none, even if another process has the number now", () => {
    const later: ProcessProbe = { ...HERE, bootedAt: () => DAY_MS };
    expect(open(file(".a.md.swp", swapBlock(1, "here")), later)).toBeNull();
    expect(open(link(".#a.md", "ann@here.1"), later)).toBeNull();
    expect(open(file(".a.md.swp", swapBlock(1, "there")), later)).toBe("vim");
  });

  test("a lock that may not be read is believed", () => {
    const disk = diskWith(file(".a.md.swp", swapBlock(1, "here")));
    disk.fail({ call: "readFile", path: `${ROOT}/.a.md.swp`, code: "EACCES" });
    expect(findProgramWithFileOpen(disk, `${ROOT}/a.md`, HERE)).toBe("vim");
  });

  test("this machine has a name and a start time, and knows that this process is running", () => {
    const { host, isAlive, bootedAt } = SYSTEM_PROCESS_PROBE;
    expect([host().length > 0, isAlive(process.pid), bootedAt()! < Date.now()]).toEqual([true, true, true]);
    expect(isAlive(2 ** 22 + 1)).toBe(false);
  });
});
