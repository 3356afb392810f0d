import { describe, expect, it } from "vitest";
import { type App, createRig, type Deployment, type Mirror, type Rig } from "../simulator/rig.ts";
import { PROFILES } from "../variants/profiles.ts";

/**
 * Who wins, row by row, through the whole engine: real planner, client, disk layer, state and
 * service; only disk, clock and wire are in memory.
 */

type Case = {
  readonly name: string;
  /** Documents that both sides hold at first; a path ending in `/` is an empty folder. */
  readonly start?: Readonly<Record<string, string>>;
  readonly here?: (mirror: Mirror, disk: Disk) => void;
  readonly there?: (app: App) => void;
  /** What both sides hold in the end. */
  readonly both?: Readonly<Record<string, string>>;
  /** What only one side holds, where they are meant to differ. */
  readonly local?: Readonly<Record<string, string>>;
  readonly remote?: Readonly<Record<string, string>>;
  /** Documents whose id is the one that `start` gave them, by their path then. */
  readonly sameIds?: Readonly<Record<string, string>>;
  readonly holds?: readonly string[];
  /** What differs on a deployment of which this is true; on all others it is as said above. */
  readonly where?: readonly [isTrue: (deployment: Deployment) => boolean, Partial<Case>];
};

type Disk = {
  rename(from: string, to: string): void;
  remove(path: string): void;
  save(path: string, text: string): void;
  mkdir(path: string): void;
};

const LONG = (mark: string) =>
  Array.from({ length: 12 }, (_, line) => `${mark} line ${line} of a longer text\n`).join("");

/** Of a deployment that refuses each of these characters in names. */
const refuses =
  (characters: string) =>
  ({ refusedCharacters = "" }: Deployment): boolean =>
    [...characters].every((each) => refusedCharacters.includes(each));

const CASES: readonly Case[] = [
  {
    name: "nothing changed: nothing happens",
    start: { "a.md": "a\n" },
    both: { "a.md": "a\n" },
    sameIds: { "a.md": "a.md" },
  },
  {
    name: "edited here: goes up",
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
  { name: "new here: is created there", here: (m) => m.write("n/a.md", "new\n"), both: { "n/a.md": "new\n" } },
  { name: "new there: is created here", there: (app) => app.create("n/a.md", "new\n"), both: { "n/a.md": "new\n" } },
  {
    name: "deleted here: is deleted there",
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
    name: "I06 deleted here, edited there: the edit wins",
    start: { "a.md": "a\n", "b.md": "b\n" },
    here: (_, d) => d.remove("a.md"),
    there: (app) => app.edit("a.md", "edited\n"),
    both: { "a.md": "edited\n", "b.md": "b\n" },
    sameIds: { "a.md": "a.md" },
  },
  {
    name: "I06 edited here, deleted there: the edit wins, as a new document",
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
    start: { "a.md": LONG("x") },
    here: (m) => m.write("a.md", LONG("x").replace("x line 1 ", "LOCAL 1 ")),
    there: (app) => app.edit("a.md", LONG("x").replace("x line 10 ", "REMOTE 10 ")),
    both: { "a.md": LONG("x").replace("x line 1 ", "LOCAL 1 ").replace("x line 10 ", "REMOTE 10 ") },
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
    name: "both new with equal texts: linked",
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
  // -- places --
  {
    name: "I09 renamed here",
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
    name: "I09 moved and renamed here",
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
    start: { "a.md": LONG("a"), "b.md": LONG("b") },
    here(m, d) {
      m.write("a.md", `${LONG("a")}before\n`);
      d.rename("a.md", "t.md");
      d.rename("b.md", "a.md");
      d.rename("t.md", "b.md");
      m.write("a.md", `${LONG("b")}after\n`);
    },
    both: { "a.md": `${LONG("b")}after\n`, "b.md": `${LONG("a")}before\n` },
    sameIds: { "a.md": "b.md", "b.md": "a.md" },
  },
  {
    name: "I09 a chain here of three that were all edited, across folders, and a new file at its head",
    start: { "a.md": LONG("a"), "d/b.md": LONG("b"), "d/c.md": LONG("c") },
    here(m, d) {
      d.rename("d/c.md", "d/new.md");
      d.rename("d/b.md", "d/c.md");
      d.rename("a.md", "d/b.md");
      m.write("d/new.md", `${LONG("c")}edited\n`);
      m.write("d/c.md", `${LONG("b")}edited\n`);
      m.write("d/b.md", `${LONG("a")}edited\n`);
      m.write("a.md", LONG("new"));
    },
    both: {
      "a.md": LONG("new"),
      "d/b.md": `${LONG("a")}edited\n`,
      "d/c.md": `${LONG("b")}edited\n`,
      "d/new.md": `${LONG("c")}edited\n`,
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
    name: "I09 renamed and edited here (atomic save after the rename)",
    start: { "a.md": LONG("x") },
    here: (_, d) => {
      d.rename("a.md", "b.md");
      d.save("b.md", LONG("x").replace("x line 3 ", "edited 3 "));
    },
    both: { "b.md": LONG("x").replace("x line 3 ", "edited 3 ") },
    sameIds: { "a.md": "b.md" },
  },
  {
    name: "renamed here, edited there: both",
    start: { "a.md": "a\n" },
    here: (_, d) => d.rename("a.md", "b.md"),
    there: (app) => app.edit("a.md", "e\n"),
    both: { "b.md": "e\n" },
    sameIds: { "a.md": "b.md" },
  },
  {
    name: "edited here, renamed there: both",
    start: { "a.md": "a\n" },
    here: (m) => m.write("a.md", "e\n"),
    there: (app) => app.rename("a.md", "b.md"),
    both: { "b.md": "e\n" },
    sameIds: { "a.md": "b.md" },
  },
  {
    name: "deleted here, renamed there: comes back at the new path",
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
    start: { "a.md": LONG("x") },
    here: (m) => m.write("b.md", LONG("x")),
    both: { "a.md": LONG("x"), "b.md": LONG("x") },
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
  // -- folders --
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
    name: "I09 a folder renamed here",
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
    name: "I09 a folder renamed here while a document in it is edited there",
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
    name: "a folder deleted here",
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
    name: "I06 a folder deleted here in which a document was edited there: that one comes back",
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
  // -- names --
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
  // -- texts --
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
  // -- kinds --
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

function onDeployment(row: Case, deployment: Deployment): Case {
  const [isTrue, differs] = row.where ?? [];
  return isTrue?.(deployment) ? { ...row, ...differs } : row;
}

function diskOf(mirror: Mirror): Disk {
  const { user } = mirror.disk;
  return {
    rename: (from, to) => user.rename(mirror.path(from), mirror.path(to)),
    remove: (path) => user.remove(mirror.path(path)),
    save: (path, text) => user.saveAtomically(mirror.path(path), text),
    mkdir: (path) => user.makeFolder(mirror.path(path)),
  };
}

async function settle(mirror: Mirror): Promise<string[]> {
  let holds: string[] = [];
  for (let n = 0; n < 3; n++) {
    const report = await mirror.sync();
    holds = [...mirror.state.load().holds.values()].map((hold) => hold.reason);
    expect(report?.fault ?? null).toBeNull();
  }
  return holds.sort();
}

function remoteTexts(rig: Rig): Map<string, string> {
  return new Map(
    [...rig.app.files().values()].map((file) => [file.path, file.text] as const).sort(([a], [b]) => (a < b ? -1 : 1)),
  );
}

function documentsOf(expected: Readonly<Record<string, string>>): Map<string, string> {
  return new Map(
    Object.entries(expected)
      .filter(([path]) => !path.endsWith("/"))
      .sort(([a], [b]) => (a < b ? -1 : 1)),
  );
}

/** All profiles, and single traits that would hide behind others in them. */
const DEPLOYMENTS: readonly (readonly [string, Deployment])[] = [
  ...Object.entries(PROFILES).map(([name, profile]) => [`the profile ${name}`, profile] as const),
  [
    "others use it too: items move between pages, keys expire, requests are limited",
    {
      maxPageSize: 2,
      itemsMove: 3,
      searchDelay: 10,
      keyExpires: { after: 60, refused: 3 },
      rateLimit: { requests: 40, seconds: 2 },
    },
  ],
  ["no such route for folders", { noFolderPatchOrDelete: 404 }],
  [
    "change ids that move on rename, unknown members, no move to the root",
    { changeIdMovesOnRename: true, unknownMembers: true, noMoveToRoot: true },
  ],
  [
    "pages of two, and empty ones, no leading slashes, bare answers",
    { maxPageSize: 2, noLeadingSlashes: true, documentedMembersOnly: true },
  ],
  [
    "names folded, and more characters refused in them",
    { foldsCase: true, foldsUnicode: true, refusedCharacters: "=+" },
  ],
];

describe.each(DEPLOYMENTS)("who wins, on a deployment: %s", (_, variant) => {
  it.each(CASES.map((row) => [row.name, onDeployment(row, variant)] as const))("%s", async (_name, row) => {
    const rig = createRig(1, variant);
    const mirror = rig.mirror();
    for (const [path, text] of Object.entries(row.start ?? {})) rig.app.create(path, text);
    const ids = new Map([...rig.app.files()].map(([path, file]) => [path, file.id] as const));
    await settle(mirror);
    expect(mirror.texts()).toEqual(documentsOf(row.start ?? {}));

    row.here?.(mirror, diskOf(mirror));
    row.there?.(rig.app);
    const holds = await settle(mirror);

    expect({ local: mirror.texts(), remote: remoteTexts(rig) }).toEqual({
      local: documentsOf(row.local ?? row.both ?? {}),
      remote: documentsOf(row.remote ?? row.both ?? {}),
    });
    for (const [before, after] of Object.entries(row.sameIds ?? {}))
      expect([after, rig.app.files().get(after)?.id]).toEqual([after, ids.get(before)]);
    if (variant.noFolderPatchOrDelete === undefined) {
      expect(holds).toEqual(row.holds ?? []);
      for (const path of Object.keys(row.both ?? {}).filter((name) => name.endsWith("/"))) {
        expect(rig.app.folders()).toContain(path.slice(0, -1));
        expect(mirror.disk.user.exists(mirror.path(path.slice(0, -1)))).toBe(true);
      }
    }
    // I12: base says where both sides have each document.
    const byId = new Map([...rig.app.files().values()].map((file) => [file.id, file.path] as const));
    const { links, holds: held } = mirror.state.load();
    for (const link of links.values()) {
      expect({ id: link.id, there: link.remotePath }).toEqual({ id: link.id, there: byId.get(link.id) });
      // A move that is held has not moved base: the hold says where the file is.
      const moves = held.get(link.id)?.reason === "no-move-to-root";
      expect(mirror.texts().has(moves ? held.get(link.id)!.path : link.localPath)).toBe(true);
    }
    // I02: a pass after convergence writes nothing on either side.
    mirror.requests.length = 0;
    const before = mirror.texts();
    const report = await mirror.sync();
    expect(mirror.requests.filter((request) => !request.startsWith("GET "))).toEqual([]);
    expect(mirror.texts()).toEqual(before);
    expect(report?.counts).toMatchObject({
      uploaded: 0,
      downloaded: 0,
      createdLocal: 0,
      createdRemote: 0,
      movedLocal: 0,
      movedRemote: 0,
      deletedLocal: 0,
      deletedRemote: 0,
      merged: 0,
    });
  });
});
