import { longText, type Row } from "./row.ts";
import { testRows } from "./test-rows.ts";

const ROWS: readonly Row[] = [
  {
    name: "nothing changed: nothing happens",
    start: { "a.md": "a\n" },
    both: { "a.md": "a\n" },
    sameIds: { "a.md": "a.md" },
  },
  {
    name: "edited locally: goes up",
    start: { "a.md": "a\n" },
    here: (m) => m.write("a.md", "b\n"),
    both: { "a.md": "b\n" },
    sameIds: { "a.md": "a.md" },
  },
  {
    name: "saved atomically here: the same document",
    start: { "a.md": "a\n" },
    here: (_, d) => d.save("a.md", "b\n"),
    both: { "a.md": "b\n" },
    sameIds: { "a.md": "a.md" },
  },
  {
    name: "edited there: comes down",
    start: { "a.md": "a\n" },
    there: (app) => app.edit("a.md", "b\n"),
    both: { "a.md": "b\n" },
    sameIds: { "a.md": "a.md" },
  },
  { name: "created locally: is created there", here: (m) => m.write("n/a.md", "new\n"), both: { "n/a.md": "new\n" } },
  { name: "new there: is created here", there: (app) => app.create("n/a.md", "new\n"), both: { "n/a.md": "new\n" } },
  {
    name: "deleted locally: is deleted there",
    start: { "a.md": "a\n", "b.md": "b\n" },
    here: (_, d) => d.remove("a.md"),
    both: { "b.md": "b\n" },
  },
  {
    name: "deleted there: goes to the trash here",
    start: { "a.md": "a\n", "b.md": "b\n" },
    there: (app) => app.remove("a.md"),
    both: { "b.md": "b\n" },
  },
  {
    name: "I06 deleted locally, edited there: the edit wins",
    start: { "a.md": "a\n", "b.md": "b\n" },
    here: (_, d) => d.remove("a.md"),
    there: (app) => app.edit("a.md", "edited\n"),
    both: { "a.md": "edited\n", "b.md": "b\n" },
    sameIds: { "a.md": "a.md" },
  },
  {
    name: "I06 edited locally, deleted there: the edit wins, as a new document",
    start: { "a.md": "a\n", "b.md": "b\n" },
    here: (m) => m.write("a.md", "edited\n"),
    there: (app) => app.remove("a.md"),
    both: { "a.md": "edited\n", "b.md": "b\n" },
  },
  {
    name: "deleted on both sides: forgotten",
    start: { "a.md": "a\n", "b.md": "b\n" },
    here: (_, d) => d.remove("a.md"),
    there: (app) => app.remove("a.md"),
    both: { "b.md": "b\n" },
  },
  {
    name: "both edited, apart: merged",
    start: { "a.md": longText("x") },
    here: (m) => m.write("a.md", longText("x").replace("x line 1 ", "LOCAL 1 ")),
    there: (app) => app.edit("a.md", longText("x").replace("x line 10 ", "REMOTE 10 ")),
    both: { "a.md": longText("x").replace("x line 1 ", "LOCAL 1 ").replace("x line 10 ", "REMOTE 10 ") },
    sameIds: { "a.md": "a.md" },
  },
  {
    name: "both made the same edit: adopted",
    start: { "a.md": "a\n" },
    here: (m) => m.write("a.md", "b\n"),
    there: (app) => app.edit("a.md", "b\n"),
    both: { "a.md": "b\n" },
    sameIds: { "a.md": "a.md" },
  },
  {
    name: "both edited one line: a conflict, yours stays, theirs beside",
    start: { "a.md": "alpha\n" },
    here: (m) => m.write("a.md", "beta\n"),
    there: (app) => app.edit("a.md", "gamma\n"),
    local: { "a.md": "beta\n", "a (theirs).md": "gamma\n" },
    remote: { "a.md": "gamma\n" },
    sameIds: { "a.md": "a.md" },
    holds: ["conflict"],
  },
  {
    name: "both new with equal content: linked",
    here: (m) => m.write("a.md", "same\n"),
    there: (app) => app.create("a.md", "same\n"),
    both: { "a.md": "same\n" },
  },
  {
    name: "both new, equal but for line ends: linked, bytes left alone",
    here: (m) => m.write("a.md", "one\r\ntwo"),
    there: (app) => app.create("a.md", "one\ntwo\n"),
    local: { "a.md": "one\r\ntwo" },
    remote: { "a.md": "one\ntwo\n" },
  },
  {
    name: "I05 both new with different texts: a conflict with an empty base",
    here: (m) => m.write("a.md", "mine\n"),
    there: (app) => app.create("a.md", "theirs\n"),
    local: { "a.md": "mine\n", "a (theirs).md": "theirs\n" },
    remote: { "a.md": "theirs\n" },
    holds: ["conflict"],
  },
  {
    name: "I25 line ends, BOM, no final newline, NFD and astral characters go up as they are",
    here: (m) => m.write("a.md", "\ufeffa\r\nb\u2028e\u0301 \u{1f600}"),
    both: { "a.md": "\ufeffa\r\nb\u2028e\u0301 \u{1f600}" },
    // What the service made of a new text comes down, once.
    where: [({ normalise }) => normalise === true, { both: { "a.md": "a\nb\u2028\u00e9 \u{1f600}\n" } }],
  },
  {
    name: "a text over the limit is held",
    here: (m) => {
      m.write("a.md", "x".repeat(51_201));
      m.write("b.md", "b\n");
    },
    local: { "a.md": "x".repeat(51_201), "b.md": "b\n" },
    remote: { "b.md": "b\n" },
    holds: ["too-large"],
  },
  { name: "an empty document", here: (m) => m.write("a.md", ""), both: { "a.md": "" } },
];

testRows("who wins of two texts", ROWS);
