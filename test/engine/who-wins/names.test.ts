import { refuses, type Row } from "./row.ts";
import { testRows } from "./test-rows.ts";

const ROWS: readonly Row[] = [
  {
    name: "a name with a space is mapped and keeps its local name",
    here: (m) => m.write("My notes.md", "n\n"),
    local: { "My notes.md": "n\n" },
    remote: { "My-notes.md": "n\n" },
  },
  {
    name: "a folder name with a space is mapped",
    here: (m) => m.write("My notes/a b.md", "n\n"),
    local: { "My notes/a b.md": "n\n" },
    remote: { "My-notes/a-b.md": "n\n" },
  },
  {
    name: "two names that map to one: one is held",
    here: (m) => {
      m.write("a b.md", "1\n");
      m.write("a-b.md", "2\n");
    },
    local: { "a b.md": "1\n", "a-b.md": "2\n" },
    remote: { "a-b.md": "2\n" },
    holds: ["name-clash"],
  },
  {
    name: "two names that differ in case",
    here: (m) => {
      m.write("Note.md", "1\n");
      m.write("note.md", "2\n");
    },
    both: { "Note.md": "1\n", "note.md": "2\n" },
    where: [
      ({ foldsCase }) => foldsCase === true,
      { local: { "Note.md": "1\n", "note.md": "2\n" }, remote: { "Note.md": "1\n" }, holds: ["name-clash"] },
    ],
  },
  {
    name: "a new name beside its other normal form",
    start: { "\u00e9.md": "1\n" },
    here: (m) => m.write("e\u0301.md", "2\n"),
    both: { "\u00e9.md": "1\n", "e\u0301.md": "2\n" },
    where: [
      ({ foldsUnicode }) => foldsUnicode === true,
      {
        local: { "\u00e9.md": "1\n", "e\u0301.md": "2\n" },
        remote: { "\u00e9.md": "1\n" },
        holds: ["name-clash"],
      },
    ],
  },
  {
    name: "I09 a rename that changes only the case of a name",
    start: { "Note.md": "1\n" },
    here: (_, d) => d.rename("Note.md", "note.md"),
    both: { "note.md": "1\n" },
    sameIds: { "Note.md": "note.md" },
  },
  {
    name: "a new name with a doubtful character",
    here: (m) => m.write("a=b.md", "1\n"),
    both: { "a=b.md": "1\n" },
    where: [refuses("="), { local: { "a=b.md": "1\n" }, remote: { "a-b.md": "1\n" } }],
  },
  {
    name: "a new name with a character that the first version refused",
    here: (m) => m.write("a!b.md", "1\n"),
    both: { "a!b.md": "1\n" },
    where: [refuses("!"), { local: { "a!b.md": "1\n" }, remote: { "a-b.md": "1\n" } }],
  },
  {
    name: "I09 a rename to a name with a doubtful character",
    start: { "x.md": "1\n", "f/y.md": "2\n" },
    here: (_, d) => {
      d.rename("x.md", "a=b.md");
      d.rename("f", "f+g");
    },
    both: { "a=b.md": "1\n", "f+g/y.md": "2\n" },
    sameIds: { "x.md": "a=b.md", "f/y.md": "f+g/y.md" },
    where: [
      refuses("=+"),
      {
        local: { "a=b.md": "1\n", "f+g/y.md": "2\n" },
        remote: { "a-b.md": "1\n", "f-g/y.md": "2\n" },
        sameIds: { "x.md": "a-b.md", "f/y.md": "f-g/y.md" },
      },
    ],
  },
];

testRows("which name it gets", ROWS);
