import { gone, stampChange, text, type Case, testCases } from "./cases.ts";

const CASES: readonly Case[] = [
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
    title: "a second name changes ctime and the count alone",
    act: (bench, at) => stampChange(bench, at("a.md"), () => bench.fs.link(at("a.md"), at("n.md"))),
    gives: ["ctimeMs", "nlink"],
  },
  {
    title: "a rename changes ctime alone",
    act: (bench, at) => stampChange(bench, at("a.md"), () => bench.fs.rename(at("a.md"), at("n.md")), at("n.md")),
    gives: ["ctimeMs"],
  },
];

testCases("the calls of the Fs that give and take names", CASES);
