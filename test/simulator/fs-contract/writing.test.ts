import { bytes, LONG_NAME, stampChange, text, type Case, testCases } from "./cases.ts";

const CASES: readonly Case[] = [
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
    act: ({ fs }, at) => fs.writeNew(at(LONG_NAME), bytes("x"), null, false),
    gives: "ENAMETOOLONG",
  },
  { title: "mkdir of what is there", act: ({ fs }, at) => fs.mkdir(at("full"), 0o777), gives: "EEXIST" },
  { title: "mkdir over a file", act: ({ fs }, at) => fs.mkdir(at("a.md"), 0o777), gives: "EEXIST" },
  { title: "mkdir over a dangling symlink", act: ({ fs }, at) => fs.mkdir(at("dangling"), 0o777), gives: "EEXIST" },
  { title: "mkdir in no folder", act: ({ fs }, at) => fs.mkdir(at("none/n"), 0o777), gives: "ENOENT" },
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

testCases("the calls of the Fs that write", CASES);
