import { longText, type Row } from "./row.ts";
import { testRows } from "./test-rows.ts";

const ROWS: readonly Row[] = [
  {
    name: "I09 renamed locally",
    start: { "a.md": "a\n" },
    here: (_, d) => d.rename("a.md", "b.md"),
    both: { "b.md": "a\n" },
    sameIds: { "a.md": "b.md" },
  },
  {
    name: "I09 renamed there",
    start: { "a.md": "a\n" },
    there: (app) => app.rename("a.md", "b.md"),
    both: { "b.md": "a\n" },
    sameIds: { "a.md": "b.md" },
  },
  {
    name: "I09 moved into a folder here",
    start: { "a.md": "a\n", "f/b.md": "b\n" },
    here: (_, d) => d.rename("a.md", "f/a.md"),
    both: { "f/a.md": "a\n", "f/b.md": "b\n" },
    sameIds: { "a.md": "f/a.md" },
  },
  {
    name: "I09 moved into a new folder here",
    start: { "a.md": "a\n" },
    here: (_, d) => {
      d.mkdir("n");
      d.rename("a.md", "n/a.md");
    },
    both: { "n/a.md": "a\n" },
    sameIds: { "a.md": "n/a.md" },
  },
  {
    name: "I09 moved to the root here",
    start: { "f/a.md": "a\n", "f/b.md": "b\n" },
    here: (_, d) => d.rename("f/a.md", "a.md"),
    both: { "a.md": "a\n", "f/b.md": "b\n" },
    sameIds: { "f/a.md": "a.md" },
    where: [
      ({ noMoveToRoot }) => noMoveToRoot === true,
      {
        local: { "a.md": "a\n", "f/b.md": "b\n" },
        remote: { "f/a.md": "a\n", "f/b.md": "b\n" },
        sameIds: { "f/a.md": "f/a.md" },
        holds: ["no-move-to-root"],
      },
    ],
  },
  {
    name: "I09 moved and renamed locally",
    start: { "f/a.md": "a\n", "g/b.md": "b\n" },
    here: (_, d) => d.rename("f/a.md", "g/c.md"),
    both: { "g/c.md": "a\n", "g/b.md": "b\n" },
    sameIds: { "f/a.md": "g/c.md" },
  },
  {
    name: "I09 moved there",
    start: { "f/a.md": "a\n", "g/b.md": "b\n" },
    there: (app) => app.move("f/a.md", "g"),
    both: { "g/a.md": "a\n", "g/b.md": "b\n" },
    sameIds: { "f/a.md": "g/a.md" },
  },
  {
    name: "I09 a chain while stopped: mv b c; mv a b",
    start: { "a.md": "text a\n", "b.md": "text b\n" },
    here: (_, d) => {
      d.rename("b.md", "c.md");
      d.rename("a.md", "b.md");
    },
    both: { "b.md": "text a\n", "c.md": "text b\n" },
    sameIds: { "a.md": "b.md", "b.md": "c.md" },
  },
  {
    name: "I09 a swap here",
    start: { "a.md": "text a\n", "b.md": "text b\n" },
    here: (_, d) => {
      d.rename("a.md", "t.md");
      d.rename("b.md", "a.md");
      d.rename("t.md", "b.md");
    },
    both: { "a.md": "text b\n", "b.md": "text a\n" },
    sameIds: { "a.md": "b.md", "b.md": "a.md" },
  },
  {
    name: "I09 a swap here of two that were both edited",
    start: { "a.md": longText("a"), "b.md": longText("b") },
    here(m, d) {
      m.write("a.md", `${longText("a")}before\n`);
      d.rename("a.md", "t.md");
      d.rename("b.md", "a.md");
      d.rename("t.md", "b.md");
      m.write("a.md", `${longText("b")}after\n`);
    },
    both: { "a.md": `${longText("b")}after\n`, "b.md": `${longText("a")}before\n` },
    sameIds: { "a.md": "b.md", "b.md": "a.md" },
  },
  {
    name: "I09 a chain here of three that were all edited, across folders, and a new file at its head",
    start: { "a.md": longText("a"), "d/b.md": longText("b"), "d/c.md": longText("c") },
    here(m, d) {
      d.rename("d/c.md", "d/new.md");
      d.rename("d/b.md", "d/c.md");
      d.rename("a.md", "d/b.md");
      m.write("d/new.md", `${longText("c")}edited\n`);
      m.write("d/c.md", `${longText("b")}edited\n`);
      m.write("d/b.md", `${longText("a")}edited\n`);
      m.write("a.md", longText("new"));
    },
    both: {
      "a.md": longText("new"),
      "d/b.md": `${longText("a")}edited\n`,
      "d/c.md": `${longText("b")}edited\n`,
      "d/new.md": `${longText("c")}edited\n`,
    },
    sameIds: { "a.md": "d/b.md", "d/b.md": "d/c.md", "d/c.md": "d/new.md" },
  },
  {
    name: "I09 a swap there",
    start: { "a.md": "text a\n", "b.md": "text b\n" },
    there: (app) => {
      app.rename("a.md", "t.md");
      app.rename("b.md", "a.md");
      app.rename("t.md", "b.md");
    },
    both: { "a.md": "text b\n", "b.md": "text a\n" },
    sameIds: { "a.md": "b.md", "b.md": "a.md" },
  },
  {
    name: "I09 renamed and edited locally (atomic save after the rename)",
    start: { "a.md": longText("x") },
    here: (_, d) => {
      d.rename("a.md", "b.md");
      d.save("b.md", longText("x").replace("x line 3 ", "edited 3 "));
    },
    both: { "b.md": longText("x").replace("x line 3 ", "edited 3 ") },
    sameIds: { "a.md": "b.md" },
  },
  {
    name: "renamed locally, edited there: both",
    start: { "a.md": "a\n" },
    here: (_, d) => d.rename("a.md", "b.md"),
    there: (app) => app.edit("a.md", "e\n"),
    both: { "b.md": "e\n" },
    sameIds: { "a.md": "b.md" },
  },
  {
    name: "edited locally, renamed there: both",
    start: { "a.md": "a\n" },
    here: (m) => m.write("a.md", "e\n"),
    there: (app) => app.rename("a.md", "b.md"),
    both: { "b.md": "e\n" },
    sameIds: { "a.md": "b.md" },
  },
  {
    name: "deleted locally, renamed there: comes back at the new path",
    start: { "a.md": "a\n", "k.md": "k\n" },
    here: (_, d) => d.remove("a.md"),
    there: (app) => app.rename("a.md", "b.md"),
    both: { "b.md": "a\n", "k.md": "k\n" },
    sameIds: { "a.md": "b.md" },
  },
  {
    name: "both renamed it alike: adopted",
    start: { "a.md": "a\n" },
    here: (_, d) => d.rename("a.md", "b.md"),
    there: (app) => app.rename("a.md", "b.md"),
    both: { "b.md": "a\n" },
    sameIds: { "a.md": "b.md" },
  },
  {
    name: "both renamed it, differently: the service's place",
    start: { "a.md": "a\n" },
    here: (_, d) => d.rename("a.md", "h.md"),
    there: (app) => app.rename("a.md", "t.md"),
    both: { "t.md": "a\n" },
    sameIds: { "a.md": "t.md" },
  },
  {
    name: "a copy is a new document",
    start: { "a.md": longText("x") },
    here: (m) => m.write("b.md", longText("x")),
    both: { "a.md": longText("x"), "b.md": longText("x") },
    sameIds: { "a.md": "a.md" },
  },
  {
    name: "one path wanted by two: the service's document keeps it",
    start: { "a.md": "a\n" },
    here: (_, d) => d.rename("a.md", "n.md"),
    there: (app) => app.create("n.md", "theirs\n"),
    both: { "n.md": "theirs\n", "n-2.md": "a\n" },
    sameIds: { "a.md": "n-2.md" },
  },
];

testRows("who wins of two places", ROWS);
