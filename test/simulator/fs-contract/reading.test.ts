import { LONG_NAME, pick, text, type Case, testCases } from "./cases.ts";

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
  { title: "readLink tells where a symlink leads", act: ({ fs }, at) => fs.readLink(at("link")), gives: "a.md" },
  { title: "readLink of one that leads nowhere", act: ({ fs }, at) => fs.readLink(at("dangling")), gives: "nowhere" },
  { title: "readLink of a file", act: ({ fs }, at) => fs.readLink(at("a.md")), gives: "EINVAL" },
  { title: "readLink of nothing", act: ({ fs }, at) => fs.readLink(at("none")), gives: "ENOENT" },
  { title: "lstat of nothing", act: ({ fs }, at) => fs.lstat(at("none")), gives: "ENOENT" },
  { title: "lstat below nothing", act: ({ fs }, at) => fs.lstat(at("none/x")), gives: "ENOENT" },
  { title: "lstat below a file", act: ({ fs }, at) => fs.lstat(at("a.md/x")), gives: "ENOTDIR" },
  { title: "lstat below a dangling symlink", act: ({ fs }, at) => fs.lstat(at("dangling/x")), gives: "ENOENT" },
  { title: "lstat through a loop", act: ({ fs }, at) => fs.lstat(at("loop/x")), gives: "ELOOP" },
  { title: "lstat of a long name", act: ({ fs }, at) => fs.lstat(at(LONG_NAME)), gives: "ENAMETOOLONG" },
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
    title: "realpath follows symlinks",
    act: ({ fs }, at) => fs.realpath(at("folder-link/../link")) === at("a.md"),
    gives: true,
  },
  { title: "realpath of nothing", act: ({ fs }, at) => fs.realpath(at("none")), gives: "ENOENT" },
  { title: "realpath of a loop", act: ({ fs }, at) => fs.realpath(at("loop")), gives: "ELOOP" },
];

testCases("the calls of the Fs that look", CASES);
