import { afterAll, beforeAll, describe, expect, it, onTestFinished } from "vitest";
import { type Bench, createNodeBench, createRamBench } from "./fs-bench.ts";

/** A case of the file calls. `gives` is the result or errno. */
type Case = readonly [title: string, act: (bench: Bench, at: (name: string) => string) => unknown, gives: unknown];

/** One byte longer than the limit. */
const LONG_NAME = "n".repeat(256);

function bytes(content: string): Uint8Array {
  return Buffer.from(content);
}

function text(content: Uint8Array): string {
  return Buffer.from(content).toString();
}

function pick({ kind, size, nlink }: { kind: string; size: number; nlink: number }): object {
  return { kind, size, nlink };
}

/** Returns the errno of a stat; the kind of the entry if it still exists. */
function gone(fs: Bench["fs"], path: string): string {
  try {
    return fs.lstat(path).kind;
  } catch (error) {
    return (error as { code: string }).code;
  }
}

const STAMP_KEYS = ["dev", "ino", "size", "mtimeMs", "ctimeMs", "birthMs", "nlink"] as const;

/** Returns the members of a file's stamp that a change alters. */
function stampChange({ fs }: Bench, path: string, change: () => void, afterwards = path): string[] {
  const before = fs.lstat(path);
  // The kernel's clock for stamps ticks only every few milliseconds.
  for (const end = performance.now() + 25; performance.now() < end; );
  change();
  const after = fs.lstat(afterwards);
  return STAMP_KEYS.filter((key) => before[key] !== after[key] && !(key === "size" && before.kind === "folder"));
}

const READING: readonly Case[] = [
  ["lstat tells a file", ({ fs }, at) => pick(fs.lstat(at("a.md"))), { kind: "file", size: 1, nlink: 1 }],
  ["lstat tells a folder", ({ fs }, at) => fs.lstat(at("full")).kind, "folder"],
  ["lstat does not follow a symlink", ({ fs }, at) => fs.lstat(at("link")).kind, "symlink"],
  ["lstat follows a symlink in the middle", ({ fs }, at) => fs.lstat(at("folder-link/c.md")).kind, "file"],
  ["lstat tells what is neither", ({ fs }, at) => fs.lstat(at("pipe")).kind, "special"],
  ["readLink tells where a symlink leads", ({ fs }, at) => fs.readLink(at("link")), "a.md"],
  ["readLink of one that leads nowhere", ({ fs }, at) => fs.readLink(at("dangling")), "nowhere"],
  ["readLink of a file", ({ fs }, at) => fs.readLink(at("a.md")), "EINVAL"],
  ["readLink of nothing", ({ fs }, at) => fs.readLink(at("none")), "ENOENT"],
  ["lstat of nothing", ({ fs }, at) => fs.lstat(at("none")), "ENOENT"],
  ["lstat below nothing", ({ fs }, at) => fs.lstat(at("none/x")), "ENOENT"],
  ["lstat below a file", ({ fs }, at) => fs.lstat(at("a.md/x")), "ENOTDIR"],
  ["lstat below a dangling symlink", ({ fs }, at) => fs.lstat(at("dangling/x")), "ENOENT"],
  ["lstat through a loop", ({ fs }, at) => fs.lstat(at("loop/x")), "ELOOP"],
  ["lstat of a long name", ({ fs }, at) => fs.lstat(at(LONG_NAME)), "ENAMETOOLONG"],
  ["lstat of a name of 255 bytes", ({ fs }, at) => fs.lstat(at("n".repeat(255))), "ENOENT"],
  ["lstat counts bytes", ({ fs }, at) => fs.lstat(at("é".repeat(128))), "ENAMETOOLONG"],
  ["lstat of a long path", ({ fs }, at) => fs.lstat(at("empty/../".repeat(500))), "ENAMETOOLONG"],
  ["lstat with a NUL", ({ fs }, at) => fs.lstat(at("a\0")), "ERR_INVALID_ARG_VALUE"],
  ["lstat through ..", ({ fs }, at) => fs.lstat(at("full/../a.md")).size, 1],
  [
    "readdir tells names and kinds",
    ({ fs }, at) =>
      fs
        .readdir(at(""))
        .map(({ name, kind }) => `${name} ${kind}`)
        .sort(),
    [
      "a.md file",
      "b.md file",
      "dangling symlink",
      "empty folder",
      "folder-link symlink",
      "full folder",
      "link symlink",
      "loop symlink",
      "pipe special",
      "root-link symlink",
    ],
  ],
  ["readdir of a file", ({ fs }, at) => fs.readdir(at("a.md")), "ENOTDIR"],
  ["readdir of nothing", ({ fs }, at) => fs.readdir(at("none")), "ENOENT"],
  ["readdir through a symlink", ({ fs }, at) => fs.readdir(at("folder-link")).length, 1],
  [
    "readFile gives bytes and stamp",
    ({ fs }, at) => {
      const read = fs.readFile(at("full/c.md"));
      return [text(read.bytes), pick(read.stat)];
    },
    ["c", { kind: "file", size: 1, nlink: 1 }],
  ],
  ["readFile of a symlink", ({ fs }, at) => fs.readFile(at("link")), "ELOOP"],
  ["readFile of a folder", ({ fs }, at) => fs.readFile(at("full")), "EISDIR"],
  ["readFile of a FIFO does not wait", ({ fs }, at) => fs.readFile(at("pipe")), "EINVAL"],
  ["readFile of nothing", ({ fs }, at) => fs.readFile(at("none")), "ENOENT"],
  ["realpath follows symlinks", ({ fs }, at) => fs.realpath(at("folder-link/../link")) === at("a.md"), true],
  ["realpath of a symlink to the root", ({ fs }, at) => fs.realpath(at("root-link")), "/"],
  [
    "readdir through a symlink to the root",
    ({ fs }, at) => fs.readdir(at("root-link")).length === fs.readdir("/").length,
    true,
  ],
  ["realpath of nothing", ({ fs }, at) => fs.realpath(at("none")), "ENOENT"],
  ["realpath of a loop", ({ fs }, at) => fs.realpath(at("loop")), "ELOOP"],
];

const NAMING: readonly Case[] = [
  [
    "rename keeps the inode",
    ({ fs }, at) => {
      const { ino } = fs.lstat(at("a.md"));
      fs.rename(at("a.md"), at("full/n.md"));
      return fs.lstat(at("full/n.md")).ino === ino;
    },
    true,
  ],
  [
    "rename keeps the birth time",
    ({ fs }, at) => {
      const { birthMs } = fs.lstat(at("a.md"));
      fs.rename(at("a.md"), at("n.md"));
      return fs.lstat(at("n.md")).birthMs === birthMs;
    },
    true,
  ],
  [
    "rename overwrites a file",
    ({ fs }, at) => {
      fs.rename(at("a.md"), at("b.md"));
      return [text(fs.readFile(at("b.md")).bytes), gone(fs, at("a.md"))];
    },
    ["a", "ENOENT"],
  ],
  ["rename of nothing", ({ fs }, at) => fs.rename(at("none"), at("n")), "ENOENT"],
  ["rename into no folder", ({ fs }, at) => fs.rename(at("a.md"), at("none/n")), "ENOENT"],
  ["rename of a file over a folder", ({ fs }, at) => fs.rename(at("a.md"), at("empty")), "EISDIR"],
  ["rename of a folder over a file", ({ fs }, at) => fs.rename(at("full"), at("a.md")), "ENOTDIR"],
  [
    "rename of a folder over an empty one",
    ({ fs }, at) => {
      fs.rename(at("full"), at("empty"));
      return fs.lstat(at("empty/c.md")).size;
    },
    1,
  ],
  ["rename of a folder over a full one", ({ fs }, at) => fs.rename(at("empty"), at("full")), "ENOTEMPTY"],
  ["rename of a folder into itself", ({ fs }, at) => fs.rename(at("full"), at("full/x")), "EINVAL"],
  [
    "rename of a symlink moves the symlink",
    ({ fs }, at) => {
      fs.rename(at("link"), at("n"));
      return fs.lstat(at("n")).kind;
    },
    "symlink",
  ],
  [
    "rename between two names of one inode does nothing",
    ({ fs }, at) => {
      fs.link(at("a.md"), at("n.md"));
      fs.rename(at("a.md"), at("n.md"));
      return fs.lstat(at("a.md")).nlink;
    },
    2,
  ],
  [
    "rename to itself does nothing",
    ({ fs }, at) => {
      fs.rename(at("a.md"), at("a.md"));
      return fs.lstat(at("a.md")).nlink;
    },
    1,
  ],
  [
    "link gives a second name",
    ({ fs }, at) => {
      fs.link(at("a.md"), at("full/n.md"));
      return [fs.lstat(at("full/n.md")).ino === fs.lstat(at("a.md")).ino, fs.lstat(at("a.md")).nlink];
    },
    [true, 2],
  ],
  ["link never overwrites", ({ fs }, at) => fs.link(at("a.md"), at("b.md")), "EEXIST"],
  ["link never overwrites a dangling symlink", ({ fs }, at) => fs.link(at("a.md"), at("dangling")), "EEXIST"],
  ["link of a folder", ({ fs }, at) => fs.link(at("full"), at("n")), "EPERM"],
  ["link of a folder over something", ({ fs }, at) => fs.link(at("full"), at("a.md")), "EEXIST"],
  ["link of nothing", ({ fs }, at) => fs.link(at("none"), at("n")), "ENOENT"],
  ["link into no folder", ({ fs }, at) => fs.link(at("a.md"), at("none/n")), "ENOENT"],
  [
    "unlink takes a name",
    ({ fs }, at) => {
      fs.link(at("a.md"), at("n.md"));
      fs.unlink(at("a.md"));
      return [fs.lstat(at("n.md")).nlink, gone(fs, at("a.md"))];
    },
    [1, "ENOENT"],
  ],
  ["unlink of a folder", ({ fs }, at) => fs.unlink(at("empty")), "EISDIR"],
  ["unlink of nothing", ({ fs }, at) => fs.unlink(at("none")), "ENOENT"],
  [
    "rmdir takes an empty folder",
    ({ fs }, at) => {
      fs.rmdir(at("empty"));
      return gone(fs, at("empty"));
    },
    "ENOENT",
  ],
  ["rmdir of a full folder", ({ fs }, at) => fs.rmdir(at("full")), "ENOTEMPTY"],
  ["rmdir of a file", ({ fs }, at) => fs.rmdir(at("a.md")), "ENOTDIR"],
  ["rmdir of a symlink to a folder", ({ fs }, at) => fs.rmdir(at("folder-link")), "ENOTDIR"],
  [
    "a second name changes ctime and the count alone",
    (bench, at) => stampChange(bench, at("a.md"), () => bench.fs.link(at("a.md"), at("n.md"))),
    ["ctimeMs", "nlink"],
  ],
  [
    "a rename changes ctime alone",
    (bench, at) => stampChange(bench, at("a.md"), () => bench.fs.rename(at("a.md"), at("n.md")), at("n.md")),
    ["ctimeMs"],
  ],
];

const WRITING: readonly Case[] = [
  [
    "writeNew makes a file",
    ({ fs }, at) => {
      fs.writeNew(at("n.md"), bytes("new"), null, true);
      return text(fs.readFile(at("n.md")).bytes);
    },
    "new",
  ],
  [
    "writeNew sets a mode exactly",
    ({ fs }, at) => {
      fs.writeNew(at("n.md"), bytes(""), 0o666, false);
      return fs.lstat(at("n.md")).mode;
    },
    0o666,
  ],
  ["writeNew never overwrites", ({ fs }, at) => fs.writeNew(at("a.md"), bytes("x"), null, false), "EEXIST"],
  [
    "writeNew does not write through a dangling symlink",
    ({ fs }, at) => fs.writeNew(at("dangling"), bytes("x"), null, false),
    "EEXIST",
  ],
  ["writeNew in no folder", ({ fs }, at) => fs.writeNew(at("none/n.md"), bytes("x"), null, false), "ENOENT"],
  ["writeNew below a file", ({ fs }, at) => fs.writeNew(at("a.md/n.md"), bytes("x"), null, false), "ENOTDIR"],
  ["writeNew with a long name", ({ fs }, at) => fs.writeNew(at(LONG_NAME), bytes("x"), null, false), "ENAMETOOLONG"],
  ["mkdir of what is there", ({ fs }, at) => fs.mkdir(at("full"), 0o777), "EEXIST"],
  ["mkdir over a file", ({ fs }, at) => fs.mkdir(at("a.md"), 0o777), "EEXIST"],
  ["mkdir over a dangling symlink", ({ fs }, at) => fs.mkdir(at("dangling"), 0o777), "EEXIST"],
  ["mkdir in no folder", ({ fs }, at) => fs.mkdir(at("none/n"), 0o777), "ENOENT"],
  ["sync of a file", async ({ fs }, at) => fs.sync(at("a.md")), undefined],
  ["sync of a folder", async ({ fs }, at) => fs.sync(at("full")), undefined],
  ["sync of nothing", async ({ fs }, at) => fs.sync(at("none")), "ENOENT"],
  ["sync of a symlink", async ({ fs }, at) => fs.sync(at("link")), "ELOOP"],
  [
    "a write in place changes the stamp, not the inode",
    (bench, at) => stampChange(bench, at("a.md"), () => bench.append(at("a.md"), "more")),
    ["size", "mtimeMs", "ctimeMs"],
  ],
  [
    "a new name in a folder changes its times",
    (bench, at) => stampChange(bench, at("empty"), () => bench.write(at("empty/n.md"), "")),
    ["mtimeMs", "ctimeMs"],
  ],
  [
    "a write to a file does not change its folder",
    (bench, at) => stampChange(bench, at("full"), () => bench.write(at("full/c.md"), "other")),
    [],
  ],
];

/** Creates a folder with a.md, b.md, full/c.md, empty/ and symlinks. */
function build(create: () => Bench): { readonly bench: Bench; readonly at: (name: string) => string } {
  const bench = create();
  const at = (below: string) => (below === "" ? bench.root : `${bench.root}/${below}`);
  bench.write(at("a.md"), "a");
  bench.write(at("b.md"), "b");
  bench.fs.mkdir(at("full"), 0o777);
  bench.write(at("full/c.md"), "c");
  bench.fs.mkdir(at("empty"), 0o777);
  bench.symlink("a.md", at("link"));
  bench.symlink("full", at("folder-link"));
  bench.symlink("nowhere", at("dangling"));
  bench.symlink("loop", at("loop"));
  bench.symlink("/", at("root-link"));
  return { bench, at };
}

async function check([, act, gives]: Case, { bench, at }: ReturnType<typeof build>): Promise<void> {
  let result: unknown;
  try {
    result = await act(bench, at);
  } catch (error) {
    result = (error as { code: string }).code;
  }
  expect(result).toEqual(gives);
}

describe.each([
  ["a real disk", () => createNodeBench()],
  ["the RAM disk", () => createRamBench({ granularityMs: 0 })],
] as const)("the calls of the Fs on %s", (_, create) => {
  describe("that read", () => {
    let tree: ReturnType<typeof build>;
    beforeAll(() => {
      tree = build(create);
      tree.bench.special(tree.at("pipe"));
    });
    afterAll(() => tree.bench.close());
    it.each(READING)("%s", (...row) => check(row, tree));
  });

  it.each([...NAMING, ...WRITING])("that change: %s", async (...row) => {
    const tree = build(create);
    onTestFinished(() => tree.bench.close());
    await check(row, tree);
  });
});
