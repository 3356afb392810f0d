import { beforeEach, describe, expect, it, test, vi } from "vitest";
import {
  findProgramWithFileOpen,
  type ProcessProbe,
  SYSTEM_PROCESS_PROBE,
} from "../../src/mirror/local/editor-locks.ts";
import { swapBlock } from "../simulator/runs/user-folder.ts";
import { RamDisk } from "../simulator/ram-disk.ts";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, renameSync, symlinkSync, writeFileSync } from "node:fs";
import { basename, join } from "node:path";
import { OpenFiles, readFilesOpenToWrite } from "../../src/mirror/local/node-fs.ts";
import type { FilesOpenToWrite } from "../../src/mirror/ports/disk.ts";
import { digestOf } from "../../src/contract/digest.ts";
import { usualTmpdir } from "../memory-folder.ts";
import { createNodeBench } from "../simulator/fs-bench.ts";
import { mirrorOn, ramMirror } from "./benches.ts";
import { temporaryFolder } from "../temporary-folder.ts";

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

let dir: string;
beforeEach(() => {
  dir = temporaryFolder(usualTmpdir());
});

const isRoot = process.getuid?.() === 0;

describe.skipIf(process.platform !== "linux")("files that other processes have open to write (needs Linux)", () => {
  it("are those that they may write, until they close them, with any names", async () => {
    const [read, written, aside] = ["read.md", "written.md", "aside"].map((name) => join(dir, name)) as [
      string,
      string,
      string,
    ];
    for (const file of [read, written]) writeFileSync(file, "text\n");
    const script = 'exec 3<"$0" 4>>"$1"; echo open; read line; exec 4>&-; echo closed; read line';
    const program = spawn("sh", ["-c", script, read, written], { stdio: ["pipe", "pipe", "inherit"] });
    await once(program.stdout, "data");
    renameSync(written, aside);
    const openNow = readFilesOpenToWrite();
    expect([read, written, aside].map((one) => openNow.has(one))).toEqual([false, false, true]);
    program.stdin.write("\n");
    await once(program.stdout, "data");
    expect(readFilesOpenToWrite().has(aside)).toBe(false);
    program.stdin.end();
    await once(program, "exit");
  });

  it("are those that mdmirror moved while they were open, too", async () => {
    const { disk, at } = mirrorOn(createNodeBench());
    writeFileSync(at("note.md"), "text\n");
    const program = spawn("sh", ["-c", 'exec 3>>"$0"; echo open; read line', at("note.md")]);
    await once(program.stdout, "data");
    expect(disk.move("note.md", "moved.md", digestOf("text\n")).kind).toBe("done");
    expect(disk.replace("moved.md", "newer\n", digestOf("text\n"), "tmp/aside").kind).toBe("done");
    expect(disk.isOpenElsewhere("tmp/aside")).toBe(true);
    program.stdin.end();
    await once(program, "exit");
    expect(disk.replace("moved.md", "newest\n", digestOf("newer\n"), "tmp/aside-2").kind).toBe("done");
    expect(disk.isOpenElsewhere("tmp/aside")).toBe(false);
  });

  it.skipIf(!isRoot)("are read beside a file system that hangs (needs root)", async (test) => {
    // The mount ends with its process, because it is in a separate namespace.
    const mount = [process.execPath, join(import.meta.dirname, "hung-mount.ts"), dir];
    const hung = spawn("unshare", ["--mount", ...mount], { stdio: ["pipe", "pipe", "inherit"] });
    test.onTestFinished(() => void hung.kill("SIGKILL"));
    const [opened] = await Promise.race([once(hung.stdout, "data"), once(hung, "exit")]);
    if (!Buffer.isBuffer(opened)) return test.skip("this system lets nobody mount");
    const module = join(import.meta.dirname, "../../src/mirror/local/node-fs.ts");
    const script = `const { readFilesOpenToWrite } = await import(${JSON.stringify(module)});
      console.log(readFilesOpenToWrite().has(${JSON.stringify(import.meta.filename)}));`;
    // Every process that looks at the mount hangs, so the reader is killed.
    const reader = spawn(process.execPath, ["--input-type=module", "--eval", script], {
      timeout: 60_000,
      killSignal: "SIGKILL",
    });
    const [printed] = await Promise.race([once(reader.stdout, "data"), once(reader, "exit")]);
    expect(String(printed)).toBe("false\n");
  });

  describe("by what /proc says of a descriptor", () => {
    const OWN = { mnt_id: "30", ino: "12" };
    it.each([
      ["of the same inode", "note.md", { mnt_id: "31", ino: OWN.ino }, true, 0],
      ["of another inode", "note.md", { mnt_id: OWN.mnt_id, ino: `${OWN.ino}1` }, false, 0],
      ["without an inode, of the same name", basename(import.meta.filename), { mnt_id: "31" }, true, 0],
      ["without an inode, on the same mount", "note.md", { mnt_id: OWN.mnt_id }, true, 2],
      ["without an inode, on another mount", "note.md", { mnt_id: "31" }, false, 0],
    ])("%s", (_, name, info, isHeld, stats) => {
      const proc = join(dir, "proc");
      for (const folder of ["7/fd", "7/fdinfo", "self/fdinfo"]) mkdirSync(join(proc, folder), { recursive: true });
      symlinkSync(`/far/${name}`, join(proc, "7/fd/3"));
      writeFileSync(join(proc, "7/fdinfo/3"), lines({ flags: "0100001", ...info }));
      // The answer of the kernel, for whichever descriptor the file gets.
      for (let fd = 0; fd < 200; fd++)
        writeFileSync(join(proc, `self/fdinfo/${fd}`), lines("ino" in info ? OWN : { mnt_id: OWN.mnt_id }));
      const stat = vi.fn().mockReturnValue({ dev: 1, ino: 1 });
      expect(readFilesOpenToWrite(proc, stat).has(import.meta.filename)).toBe(isHeld);
      expect(stat).toHaveBeenCalledTimes(stats);
    });
  });
});

describe("files that other processes have open", () => {
  it("are read once until they are forgotten, and are none where the system does not list them", () => {
    const listOpenToWrite = vi.fn<() => FilesOpenToWrite>();
    for (const openNow of ["1", "2"]) listOpenToWrite.mockReturnValueOnce(new Set([openNow]));
    const files = new OpenFiles({ listOpenToWrite });
    expect(["1", "2"].map((path) => files.has(path))).toEqual([true, false]);
    files.forget();
    expect(["1", "2"].map((path) => files.has(path))).toEqual([false, true]);
    expect(new OpenFiles({}).has("1")).toBe(false);
  });

  it("are read again for a file that was replaced since", () => {
    const { ram, disk, at } = ramMirror();
    ram.user.write(at("note.md"), "text\n");
    expect(disk.replace("note.md", "first\n", digestOf("text\n"), "tmp/park-1").kind).toBe("done");
    expect(disk.isOpenElsewhere("tmp/park-1")).toBe(false);
    ram.openToWrite = new Set([ram.user.inode(at("note.md"))]);
    expect(disk.replace("note.md", "second\n", digestOf("first\n"), "tmp/park-2").kind).toBe("done");
    expect(["tmp/park-1", "tmp/park-2"].map((park) => disk.isOpenElsewhere(park))).toEqual([false, true]);
  });
});

function lines(fields: Readonly<Record<string, string>>): string {
  return Object.entries(fields)
    .map(([name, value]) => `${name}:\t${value}\n`)
    .join("");
}
