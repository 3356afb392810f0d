import { describe, test } from "vitest";
import { checkRow, type Row } from "./table.ts";

const LONG = "one|two|three|four|five|six";

describe("who wins: content and presence", () => {
  const rows: Row[] = [
    ["a.md=1", "", "", ""],
    // unchanged locally
    ["a.md=1", "", "edit a.md 2", "write-local a.md"],
    ["a.md=1", "", "rm a.md", "trash-local a.md"],
    ["a.md=1 b.md=2", "", "rm a.md", "trash-local a.md"],
    ["a.md=1", "", "unsee a.md", "block not-seen a.md"],
    ["a.md=1", "", "outside a.md", "trash-local a.md outside"],
    ["a.md=1", "", "protect a.md", "note-facts linked protected"],
    // edited locally
    ["a.md=1", "edit a.md 2", "", "put a.md"],
    ["a.md=1", "save a.md 2", "", "put a.md"],
    ["a.md=1", "edit a.md 2", "edit a.md 3", "merge a.md"],
    ["a.md=1", "save a.md 2", "edit a.md 3", "merge a.md"],
    ["a.md=1 b.md=2", "edit a.md 3", "rm a.md", "forget a.md; create-remote a.md"],
    ["a.md=1", "edit a.md 3", "rm a.md", "block gone-or-unreadable a.md"],
    // A listed folder is readable, so a document that it does not show is deleted.
    ["d/a.md=1 b.md=2", "edit d/a.md 3", "rm d/a.md", "forget d/a.md; create-remote d/a.md"],
    ["d/e/a.md=1 b.md=2", "edit d/e/a.md 3", "rm d/e/a.md", "forget d/e/a.md; create-remote d/e/a.md"],
    // No list contains the root itself. Another document directly in the root proves that the root
    // is readable.
    ["a.md=1 d/b.md=2", "edit a.md 3", "rm a.md", "forget a.md; create-remote a.md"],
    ["a.md=1 d/b.md=2 e/", "edit a.md 3", "rm a.md; rmdir e", "remove-folder-local e; block gone-or-unreadable a.md"],
    ["d/a.md=1 d/b.md=2", "edit d/a.md 3", "rm d/a.md", "forget d/a.md; create-remote d/a.md"],
    [
      "d/a.md=1 d/b.md=2",
      "edit d/a.md 3",
      "rmdir d",
      "forget-folder; trash-local d/b.md; block gone-or-unreadable d/a.md",
    ],
    ["a.md=1", "edit a.md 3", "unsee a.md", "block not-seen a.md"],
    ["a.md=1", "edit a.md 3", "outside a.md", "note-facts outside; block outside a.md"],
    // deleted locally
    ["a.md=1", "rm a.md", "", "delete-remote a.md"],
    ["a.md=1", "rm a.md", "edit a.md 2", "create-local a.md"],
    ["a.md=1", "rm a.md", "mv a.md b.md", "create-local b.md"],
    ["a.md=1 d/b.md=2", "rm a.md", "mv a.md d/a.md", "create-local d/a.md"],
    ["a.md=1", "rm a.md", "rm a.md", "forget a.md"],
    ["a.md=1", "rm a.md", "unsee a.md", "block not-seen a.md"],
    ["a.md=1", "rm a.md", "outside a.md", "note-facts away"],
    // moved locally
    ["a.md=1", "mv a.md b.md", "rm a.md", "trash-local b.md"],
    ["a.md=1 b.md=2", "mv a.md c.md; edit c.md 3", "rm a.md", "forget a.md; create-remote c.md"],
    [`a.md=${LONG} b.md=2`, `mv a.md c.md; edit c.md ${LONG}|x`, "rm a.md", "forget a.md; create-remote c.md"],
    ["a.md=1", "mv a.md b.md", "edit a.md 2", "rename-remote a.md>b.md; write-local b.md; relink b.md"],
    ["a.md=1", "mv a.md b.md", "unsee a.md", "block not-seen b.md"],
    [`a.md=${LONG}`, `mv a.md b.md; edit b.md ${LONG}|x`, "", "rename-remote a.md>b.md; put b.md; relink b.md"],
    // created locally
    ["", "new a.md 1", "", "create-remote a.md"],
    ["", "new a.md ", "", "create-remote a.md"],
    ["a.md=1", "cp a.md b.md", "", "create-remote b.md"],
    ["a.md=1", "cp a.md b.md; edit a.md 2", "", "put a.md; create-remote b.md"],
    ["", "new d/e/a.md 1", "", "make-folder-remote d; make-folder-remote d/e; create-remote d/e/a.md"],
    // created on the service
    ["", "", "new a.md 1", "create-local a.md"],
    ["", "", "new d/e/a.md 1", "make-folder-local d; make-folder-local d/e; create-local d/e/a.md"],
    ["a.md=1", "", "rm a.md; new a.md 2", "trash-local a.md; create-local a.md"],
    ["a.md=1", "rm a.md", "rm a.md; new a.md 2", "create-local a.md; forget a.md"],
    // new on both sides
    ["", "new a.md 1", "new a.md 1", "meet a.md"],
    ["", "new d/a.md 1", "new d/a.md 1", "meet d/a.md; link-folder d"],
    // moved on the service
    ["a.md=1", "", "mv a.md b.md", "move-local a.md>b.md; relink b.md"],
    ["a.md=1", "edit a.md 2", "mv a.md b.md", "move-local a.md>b.md; put b.md; relink b.md"],
    ["a.md=1", "", "mv a.md b.md; edit b.md 2", "move-local a.md>b.md; write-local b.md; relink b.md"],
    ["a.md=1", "edit a.md 3", "mv a.md b.md; edit b.md 2", "move-local a.md>b.md; merge b.md; relink b.md"],
    // unreadable locally
    ["a.md=1", "unseen a.md EACCES", "", "block local-unreadable a.md"],
    ["a.md=1", "unseen a.md still-being-written", "", "block still-being-written a.md"],
    ["a.md=1", "unseen a.md EACCES", "edit a.md 2", "block local-unreadable a.md"],
    ["a.md=1", "unseen a.md EACCES", "rm a.md", "block local-unreadable a.md"],
    // A missing file may be in a folder that the scan could not read, so it does not count as
    // deleted (I04).
    ["a.md=1 d/b.md=2", "unseen d EACCES; rm a.md", "", "block local-unreadable a.md"],
    ["a.md=1 e/b.md=2", "mv a.md e/a.md; unseen e/a.md EACCES", "", "block local-unreadable a.md"],
    ["a.md=1", "new c.md 3; unseen c.md still-being-written; rm a.md", "", "block still-being-written a.md"],
    ["a.md=1", "unseen z EACCES; rm a.md", "edit a.md 2", "block local-unreadable a.md"],
    ["a.md=1 c.md=3", "unseen c.md EACCES; rm a.md", "", "delete-remote a.md; block local-unreadable c.md"],
    // An unreadable file at the path that another document has left may be the missing file.
    [
      "a.md=1 c.md=3",
      "mv a.md t.md; mv c.md a.md; mv t.md c.md; unseen c.md EACCES",
      "",
      "block local-unreadable a.md; block path-taken a.md",
    ],
    // content that cannot be sent
    ["a.md=1", "edit a.md 2; fault a.md not-utf-8", "", "block not-utf-8 a.md"],
    ["a.md=1", "edit a.md 2; fault a.md contains-nul", "", "block contains-nul a.md"],
    ["a.md=1", "edit a.md 2; fault a.md too-large", "edit a.md 3", "block too-large a.md"],
    ["a.md=1", "fault a.md too-large", "", ""],
    ["", "new a.md 2; fault a.md too-large", "", "block too-large a.md"],
    ["", "new a.md 2; fault a.md not-utf-8", "new a.md 3", "block not-utf-8 a.md"],
    ["a.md=1 b.md=2", "edit a.md 2; fault a.md too-large", "rm a.md", "block too-large a.md"],
    [
      `a.md=${LONG}`,
      `edit a.md ${LONG}|x; fault a.md too-large; mv a.md b.md`,
      "",
      "rename-remote a.md>b.md; relink b.md; block too-large b.md",
    ],
    // unfinished merges
    ["a.md=1", "edit a.md <<<<<<< mine|1|=======|2|>>>>>>> theirs", "", "block conflict-markers a.md"],
    ["a.md=1", "edit a.md =======|2|>>>>>>> theirs|<<<<<<< mine", "", "put a.md"],
    ["", "new a.md <<<<<<< mine|1|=======|2|>>>>>>> theirs", "", "create-remote a.md"],
  ];
  test.each(rows)("%s | %s | %s → %s", (...row) => checkRow(row));
});
