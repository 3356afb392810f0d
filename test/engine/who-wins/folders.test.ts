import type { Row } from "./row.ts";
import { testRows } from "./test-rows.ts";

const ROWS: readonly Row[] = [
  {
    name: "an empty folder here",
    start: { "a.md": "a\n" },
    here: (_, d) => d.mkdir("empty"),
    both: { "a.md": "a\n", "empty/": "" },
  },
  {
    name: "an empty folder there",
    start: { "a.md": "a\n" },
    there: (app) => app.makeFolder("empty/in"),
    both: { "a.md": "a\n", "empty/in/": "" },
  },
  {
    name: "I09 a folder renamed locally",
    start: { "f/a.md": "a\n", "f/g/b.md": "b\n" },
    here: (_, d) => d.rename("f", "h"),
    both: { "h/a.md": "a\n", "h/g/b.md": "b\n" },
    sameIds: { "f/a.md": "h/a.md", "f/g/b.md": "h/g/b.md" },
  },
  {
    name: "I09 a folder renamed there",
    start: { "f/a.md": "a\n", "f/g/b.md": "b\n" },
    there: (app) => app.renameFolder("f", "h"),
    both: { "h/a.md": "a\n", "h/g/b.md": "b\n" },
    sameIds: { "f/a.md": "h/a.md", "f/g/b.md": "h/g/b.md" },
  },
  {
    name: "I09 a folder renamed locally while a document in it is edited there",
    start: { "f/a.md": "a\n", "f/b.md": "b\n" },
    here: (_, d) => d.rename("f", "h"),
    there: (app) => app.edit("f/a.md", "edited\n"),
    both: { "h/a.md": "edited\n", "h/b.md": "b\n" },
    sameIds: { "f/a.md": "h/a.md" },
  },
  {
    name: "I09 a folder moved below another here",
    start: { "f/a.md": "a\n", "g/b.md": "b\n" },
    here: (_, d) => d.rename("f", "g/f"),
    both: { "g/f/a.md": "a\n", "g/b.md": "b\n" },
    sameIds: { "f/a.md": "g/f/a.md" },
  },
  {
    name: "I09 two folders swapped here",
    start: { "f/a.md": "text a\n", "g/b.md": "text b\n" },
    here: (_, d) => {
      d.rename("f", "t");
      d.rename("g", "f");
      d.rename("t", "g");
    },
    both: { "g/a.md": "text a\n", "f/b.md": "text b\n" },
    sameIds: { "f/a.md": "g/a.md", "g/b.md": "f/b.md" },
  },
  {
    name: "a folder deleted locally",
    start: { "f/a.md": "a\n", "f/g/b.md": "b\n", "k.md": "k\n" },
    here: (_, d) => d.remove("f"),
    both: { "k.md": "k\n" },
  },
  {
    name: "a folder deleted there",
    start: { "f/a.md": "a\n", "f/g/b.md": "b\n", "k.md": "k\n" },
    there: (app) => app.removeFolder("f"),
    both: { "k.md": "k\n" },
  },
  {
    name: "I06 a folder deleted locally in which a document was edited there: that one comes back",
    start: { "f/a.md": "a\n", "f/b.md": "b\n", "k.md": "k\n" },
    here: (_, d) => d.remove("f"),
    there: (app) => app.edit("f/a.md", "edited\n"),
    both: { "f/a.md": "edited\n", "k.md": "k\n" },
    sameIds: { "f/a.md": "f/a.md" },
  },
  {
    name: "a folder deleted there in which a document was made here: the folder stays",
    start: { "f/a.md": "a\n", "k.md": "k\n" },
    here: (m) => m.write("f/new.md", "new\n"),
    there: (app) => app.removeFolder("f"),
    both: { "f/new.md": "new\n", "k.md": "k\n" },
  },
  {
    name: "something that is not mirrored here where a folder is there: held",
    here: (m) => {
      m.write("k.md", "k\n");
      m.write("x", "not markdown");
    },
    there: (app) => app.makeFolder("x"),
    local: { "k.md": "k\n", x: "not markdown" },
    remote: { "k.md": "k\n" },
    holds: ["path-taken"],
  },
];

testRows("who wins of two folders", ROWS);
