import { afterEach, describe, expect, it } from "vitest";
import { type Bench, createNodeBench, createRamBench } from "./fs-bench.ts";

/**
 * One list for the real disk and the one in memory: what a call answers or with which errno it
 * ends, and what is there afterwards.
 */

type Case = {
  readonly title: string;
  readonly act: (bench: Bench, at: (name: string) => string) => unknown;
  readonly gives: unknown;
};

const bytes = (text: string) => Buffer.from(text);
const text = (content: Uint8Array) => Buffer.from(content).toString();

// The tree of every case: a.md, b.md, full/c.md, empty/, link -> a.md, folder-link -> full,
// dangling -> nowhere, loop -> loop, pipe.
function build(bench: Bench, at: (name: string) => string): void {
  bench.write(at("a.md"), "a");
  bench.write(at("b.md"), "b");
  bench.fs.mkdir(at("full"), 0o777);
  bench.write(at("full/c.md"), "c");
  bench.fs.mkdir(at("empty"), 0o777);
  bench.symlink("a.md", at("link"));
  bench.symlink("full", at("folder-link"));
  bench.symlink("nowhere", at("dangling"));
  bench.symlink("loop", at("loop"));
  bench.special(at("pipe"));
}

const LONG = "n".repeat(256);

const CASES: readonly Case[] = [
  {
    title: "lstat tells a file",
    act: ({ fs }, at) => pick(fs.lstat(at("a.md"))),
    gives: { kind: "file", size: 1, nlink: 1 },
  },
  { title: "lstat tells a folder", act: ({ fs }, at) => fs.lstat(at("full")).kind, gives: "folder" },
  { title: "lstat does not follow a symlink", act: ({ fs }, at) => fs.lstat(at("link")).kind, gives: "symlink" },
  {
    title: "lstat follows a symlink in the middle",
    act: ({ fs }, at) => fs.lstat(at("folder-link/c.md")).kind,
    gives: "file",
  },
  { title: "lstat tells what is neither", act: ({ fs }, at) => fs.lstat(at("pipe")).kind, gives: "special" },
  { title: "lstat of nothing", act: ({ fs }, at) => fs.lstat(at("none")), gives: "ENOENT" },
  { title: "lstat below nothing", act: ({ fs }, at) => fs.lstat(at("none/x")), gives: "ENOENT" },
  { title: "lstat below a file", act: ({ fs }, at) => fs.lstat(at("a.md/x")), gives: "ENOTDIR" },
  { title: "lstat below a dangling symlink", act: ({ fs }, at) => fs.lstat(at("dangling/x")), gives: "ENOENT" },
  { title: "lstat through a loop", act: ({ fs }, at) => fs.lstat(at("loop/x")), gives: "ELOOP" },
  { title: "lstat of a long name", act: ({ fs }, at) => fs.lstat(at(LONG)), gives: "ENAMETOOLONG" },
  { title: "lstat of a name of 255 bytes", act: ({ fs }, at) => fs.lstat(at("n".repeat(255))), gives: "ENOENT" },
  { title: "lstat counts bytes", act: ({ fs }, at) => fs.lstat(at("é".repeat(128))), gives: "ENAMETOOLONG" },
  { title: "lstat of a long path", act: ({ fs }, at) => fs.lstat(at("empty/../".repeat(500))), gives: "ENAMETOOLONG" },
  { title: "lstat with a NUL", act: ({ fs }, at) => fs.lstat(at("a\0")), gives: "ERR_INVALID_ARG_VALUE" },
  { title: "lstat through ..", act: ({ fs }, at) => fs.lstat(at("full/../a.md")).size, gives: 1 },
  {
    title: "readdir tells names and kinds",
    act: ({ fs }, at) =>
      fs
        .readdir(at(""))
        .map(({ name, kind }) => `${name} ${kind}`)
        .sort(),
    gives: [
      "a.md file",
      "b.md file",
      "dangling symlink",
      "empty folder",
      "folder-link symlink",
      "full folder",
      "link symlink",
      "loop symlink",
      "pipe special",
    ],
  },
  { title: "readdir of a file", act: ({ fs }, at) => fs.readdir(at("a.md")), gives: "ENOTDIR" },
  { title: "readdir of nothing", act: ({ fs }, at) => fs.readdir(at("none")), gives: "ENOENT" },
  { title: "readdir through a symlink", act: ({ fs }, at) => fs.readdir(at("folder-link")).length, gives: 1 },
  {
    title: "readFile gives bytes and stamp",
    act: ({ fs }, at) => {
      const read = fs.readFile(at("full/c.md"));
      return [text(read.bytes), pick(read.stat)];
    },
    gives: ["c", { kind: "file", size: 1, nlink: 1 }],
  },
  { title: "readFile of a symlink", act: ({ fs }, at) => fs.readFile(at("link")), gives: "ELOOP" },
  { title: "readFile of a folder", act: ({ fs }, at) => fs.readFile(at("full")), gives: "EISDIR" },
  { title: "readFile of a FIFO does not wait", act: ({ fs }, at) => fs.readFile(at("pipe")), gives: "EINVAL" },
  { title: "readFile of nothing", act: ({ fs }, at) => fs.readFile(at("none")), gives: "ENOENT" },
  {
    title: "writeNew makes a file",
    act: ({ fs }, at) => {
      fs.writeNew(at("n.md"), bytes("new"), null, true);
      return text(fs.readFile(at("n.md")).bytes);
    },
    gives: "new",
  },
  {
    title: "writeNew sets a mode exactly",
    act: ({ fs }, at) => {
      fs.writeNew(at("n.md"), bytes(""), 0o666, false);
      return fs.lstat(at("n.md")).mode;
    },
    gives: 0o666,
  },
  {
    title: "writeNew never overwrites",
    act: ({ fs }, at) => fs.writeNew(at("a.md"), bytes("x"), null, false),
    gives: "EEXIST",
  },
  {
    title: "writeNew does not write through a dangling symlink",
    act: ({ fs }, at) => fs.writeNew(at("dangling"), bytes("x"), null, false),
    gives: "EEXIST",
  },
  {
    title: "writeNew in no folder",
    act: ({ fs }, at) => fs.writeNew(at("none/n.md"), bytes("x"), null, false),
    gives: "ENOENT",
  },
  {
    title: "writeNew below a file",
    act: ({ fs }, at) => fs.writeNew(at("a.md/n.md"), bytes("x"), null, false),
    gives: "ENOTDIR",
  },
  {
    title: "writeNew with a long name",
    act: ({ fs }, at) => fs.writeNew(at(LONG), bytes("x"), null, false),
    gives: "ENAMETOOLONG",
  },
  {
    title: "makeNew makes a file, and tells how it is under whatever names",
    act: ({ fs }, at) => {
      const made = fs.makeNew(at("n.md"), bytes("new"));
      fs.link(at("n.md"), at("full/n.md"));
      const two = made.stat();
      fs.unlink(at("n.md"));
      const one = made.stat();
      made.close();
      const found = fs.readFile(at("full/n.md"));
      const same = JSON.stringify(found.stat) === JSON.stringify(one);
      return [text(found.bytes), two.nlink, one.nlink, one.kind, same];
    },
    gives: ["new", 2, 1, "file", true],
  },
  {
    title: "makeNew never overwrites",
    act: ({ fs }, at) => fs.makeNew(at("a.md"), bytes("x")),
    gives: "EEXIST",
  },
  {
    title: "makeNew does not write through a dangling symlink",
    act: ({ fs }, at) => fs.makeNew(at("dangling"), bytes("x")),
    gives: "EEXIST",
  },
  { title: "makeNew in no folder", act: ({ fs }, at) => fs.makeNew(at("none/n.md"), bytes("x")), gives: "ENOENT" },
  {
    title: "rename keeps the inode",
    act: ({ fs }, at) => {
      const { ino } = fs.lstat(at("a.md"));
      fs.rename(at("a.md"), at("full/n.md"));
      return fs.lstat(at("full/n.md")).ino === ino;
    },
    gives: true,
  },
  {
    title: "rename keeps the birth time",
    act: ({ fs }, at) => {
      const { birthMs } = fs.lstat(at("a.md"));
      fs.rename(at("a.md"), at("n.md"));
      return fs.lstat(at("n.md")).birthMs === birthMs;
    },
    gives: true,
  },
  {
    title: "rename overwrites a file",
    act: ({ fs }, at) => {
      fs.rename(at("a.md"), at("b.md"));
      return [text(fs.readFile(at("b.md")).bytes), gone(fs, at("a.md"))];
    },
    gives: ["a", "ENOENT"],
  },
  { title: "rename of nothing", act: ({ fs }, at) => fs.rename(at("none"), at("n")), gives: "ENOENT" },
  { title: "rename into no folder", act: ({ fs }, at) => fs.rename(at("a.md"), at("none/n")), gives: "ENOENT" },
  { title: "rename of a file over a folder", act: ({ fs }, at) => fs.rename(at("a.md"), at("empty")), gives: "EISDIR" },
  { title: "rename of a folder over a file", act: ({ fs }, at) => fs.rename(at("full"), at("a.md")), gives: "ENOTDIR" },
  {
    title: "rename of a folder over an empty one",
    act: ({ fs }, at) => {
      fs.rename(at("full"), at("empty"));
      return fs.lstat(at("empty/c.md")).size;
    },
    gives: 1,
  },
  {
    title: "rename of a folder over a full one",
    act: ({ fs }, at) => fs.rename(at("empty"), at("full")),
    gives: "ENOTEMPTY",
  },
  {
    title: "rename of a folder into itself",
    act: ({ fs }, at) => fs.rename(at("full"), at("full/x")),
    gives: "EINVAL",
  },
  {
    title: "rename of a symlink moves the symlink",
    act: ({ fs }, at) => {
      fs.rename(at("link"), at("n"));
      return fs.lstat(at("n")).kind;
    },
    gives: "symlink",
  },
  {
    title: "rename between two names of one inode does nothing",
    act: ({ fs }, at) => {
      fs.link(at("a.md"), at("n.md"));
      fs.rename(at("a.md"), at("n.md"));
      return fs.lstat(at("a.md")).nlink;
    },
    gives: 2,
  },
  {
    title: "rename to itself does nothing",
    act: ({ fs }, at) => {
      fs.rename(at("a.md"), at("a.md"));
      return fs.lstat(at("a.md")).nlink;
    },
    gives: 1,
  },
  {
    title: "link gives a second name",
    act: ({ fs }, at) => {
      fs.link(at("a.md"), at("full/n.md"));
      return [fs.lstat(at("full/n.md")).ino === fs.lstat(at("a.md")).ino, fs.lstat(at("a.md")).nlink];
    },
    gives: [true, 2],
  },
  { title: "link never overwrites", act: ({ fs }, at) => fs.link(at("a.md"), at("b.md")), gives: "EEXIST" },
  {
    title: "link never overwrites a dangling symlink",
    act: ({ fs }, at) => fs.link(at("a.md"), at("dangling")),
    gives: "EEXIST",
  },
  { title: "link of a folder", act: ({ fs }, at) => fs.link(at("full"), at("n")), gives: "EPERM" },
  { title: "link of a folder over something", act: ({ fs }, at) => fs.link(at("full"), at("a.md")), gives: "EEXIST" },
  { title: "link of nothing", act: ({ fs }, at) => fs.link(at("none"), at("n")), gives: "ENOENT" },
  { title: "link into no folder", act: ({ fs }, at) => fs.link(at("a.md"), at("none/n")), gives: "ENOENT" },
  {
    title: "unlink takes a name",
    act: ({ fs }, at) => {
      fs.link(at("a.md"), at("n.md"));
      fs.unlink(at("a.md"));
      return [fs.lstat(at("n.md")).nlink, gone(fs, at("a.md"))];
    },
    gives: [1, "ENOENT"],
  },
  { title: "unlink of a folder", act: ({ fs }, at) => fs.unlink(at("empty")), gives: "EISDIR" },
  { title: "unlink of nothing", act: ({ fs }, at) => fs.unlink(at("none")), gives: "ENOENT" },
  { title: "mkdir of what is there", act: ({ fs }, at) => fs.mkdir(at("full"), 0o777), gives: "EEXIST" },
  { title: "mkdir over a file", act: ({ fs }, at) => fs.mkdir(at("a.md"), 0o777), gives: "EEXIST" },
  { title: "mkdir over a dangling symlink", act: ({ fs }, at) => fs.mkdir(at("dangling"), 0o777), gives: "EEXIST" },
  { title: "mkdir in no folder", act: ({ fs }, at) => fs.mkdir(at("none/n"), 0o777), gives: "ENOENT" },
  {
    title: "rmdir takes an empty folder",
    act: ({ fs }, at) => {
      fs.rmdir(at("empty"));
      return gone(fs, at("empty"));
    },
    gives: "ENOENT",
  },
  { title: "rmdir of a full folder", act: ({ fs }, at) => fs.rmdir(at("full")), gives: "ENOTEMPTY" },
  { title: "rmdir of a file", act: ({ fs }, at) => fs.rmdir(at("a.md")), gives: "ENOTDIR" },
  { title: "rmdir of a symlink to a folder", act: ({ fs }, at) => fs.rmdir(at("folder-link")), gives: "ENOTDIR" },
  {
    title: "realpath follows symlinks",
    act: ({ fs }, at) => fs.realpath(at("folder-link/../link")) === at("a.md"),
    gives: true,
  },
  { title: "realpath of nothing", act: ({ fs }, at) => fs.realpath(at("none")), gives: "ENOENT" },
  { title: "realpath of a loop", act: ({ fs }, at) => fs.realpath(at("loop")), gives: "ELOOP" },
  { title: "sync of a file", act: async ({ fs }, at) => fs.sync(at("a.md")), gives: undefined },
  { title: "sync of a folder", act: async ({ fs }, at) => fs.sync(at("full")), gives: undefined },
  { title: "sync of nothing", act: async ({ fs }, at) => fs.sync(at("none")), gives: "ENOENT" },
  { title: "sync of a symlink", act: async ({ fs }, at) => fs.sync(at("link")), gives: "ELOOP" },
  {
    title: "a write in place changes the stamp, not the inode",
    act: (bench, at) => stampChange(bench, at("a.md"), () => bench.append(at("a.md"), "more")),
    gives: ["size", "mtimeMs", "ctimeMs"],
  },
  {
    title: "a second name changes ctime and the count alone",
    act: (bench, at) => stampChange(bench, at("a.md"), () => bench.fs.link(at("a.md"), at("n.md"))),
    gives: ["ctimeMs", "nlink"],
  },
  {
    title: "a rename changes ctime alone",
    act: (bench, at) => stampChange(bench, at("a.md"), () => bench.fs.rename(at("a.md"), at("n.md")), at("n.md")),
    gives: ["ctimeMs"],
  },
  {
    title: "a new name in a folder changes its times",
    act: (bench, at) => stampChange(bench, at("empty"), () => bench.write(at("empty/n.md"), "")),
    gives: ["mtimeMs", "ctimeMs"],
  },
  {
    title: "a write to a file does not change its folder",
    act: (bench, at) => stampChange(bench, at("full"), () => bench.write(at("full/c.md"), "other")),
    gives: [],
  },
];

function pick({ kind, size, nlink }: { kind: string; size: number; nlink: number }): object {
  return { kind, size, nlink };
}

function gone(fs: Bench["fs"], path: string): string {
  try {
    return fs.lstat(path).kind;
  } catch (error) {
    return (error as { code: string }).code;
  }
}

const STAMP_KEYS = ["dev", "ino", "size", "mtimeMs", "ctimeMs", "birthMs", "nlink"] as const;

/** Which members of the stamp a change moves. */
function stampChange({ fs }: Bench, path: string, change: () => void, afterwards = path): string[] {
  const before = fs.lstat(path);
  // A kernel's clock for stamps ticks every some milliseconds.
  for (const end = performance.now() + 25; performance.now() < end; );
  change();
  const after = fs.lstat(afterwards);
  return STAMP_KEYS.filter((key) => before[key] !== after[key] && !(key === "size" && before.kind === "folder"));
}

const DISKS = { "a real disk": () => createNodeBench(), "the RAM disk": () => createRamBench({ granularityMs: 0 }) };

for (const [name, create] of Object.entries(DISKS)) {
  describe(`the calls of the Fs on ${name}`, () => {
    let bench: Bench | null = null;
    afterEach(() => bench?.close());

    it.each(CASES)("$title", async ({ act, gives }) => {
      const made = create();
      bench = made;
      const at = (below: string) => (below === "" ? made.root : `${made.root}/${below}`);
      build(made, at);
      let result: unknown;
      try {
        result = await act(made, at);
      } catch (error) {
        result = (error as { code: string }).code;
      }
      expect(result).toEqual(gives);
    });
  });
}
