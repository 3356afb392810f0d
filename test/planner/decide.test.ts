import { describe, expect, test } from "vitest";
import { checkRow, doLocally, planOf, POLICY, type Row, SIGNALS, worldAfter } from "./table.ts";
import { makeHashedName } from "../../src/mirror/model/names.ts";
import { makePlan } from "../../src/mirror/planner/plan.ts";
import { treesOf, World } from "./world.ts";

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
    // While the folder is unreadable, a new file with a document's content may be a copy.
    [
      "d/a.md=1",
      "mv d/a.md a.md; save a.md 1; unseen d EACCES",
      "",
      "create-remote a.md; block local-unreadable d/a.md",
    ],
    ["d/a.md=1", "mv d/a.md a.md; unseen d EACCES", "", "reparent-remote d/a.md>a.md; relink a.md"],
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

describe("who wins: places of documents", () => {
  const rows: Row[] = [
    ["a.md=1", "mv a.md b.md", "", "rename-remote a.md>b.md; relink b.md"],
    ["a.md=1 d/b.md=2", "mv a.md d/a.md", "", "reparent-remote a.md>d/a.md; relink d/a.md"],
    ["d/a.md=1 b.md=2", "mv d/a.md a.md", "", "reparent-remote d/a.md>a.md; relink a.md"],
    ["a.md=1", "", "mv a.md b.md", "move-local a.md>b.md; relink b.md"],
    ["a.md=1 d/b.md=2", "", "mv a.md d/a.md", "move-local a.md>d/a.md; relink d/a.md"],
    ["a.md=1", "mv a.md b.md", "mv a.md b.md", "relink b.md"],
    ["a.md=1", "mv a.md b.md", "mv a.md c.md", "move-local b.md>c.md; relink c.md"],
    // the service's move was applied locally but not recorded, then the user moved the file again
    ["b.md>a.md=1", "mv b.md c.md", "mv a.md b.md", "rename-remote b.md>c.md; relink c.md"],
    ["d/b.md>a.md=1 d/x.md=2", "mv d/b.md d/c.md", "mv a.md d/b.md", "rename-remote d/b.md>d/c.md; relink d/c.md"],
    ["b.md>a.md=1", "mv b.md c.md", "mv a.md d.md", "move-local c.md>d.md; relink d.md"],
    ["a.md=1 d/x.md=2", "mv a.md b.md", "mv a.md d/a.md", "move-local b.md>d/a.md; relink d/a.md"],
    [
      "a.md=1",
      "mv a.md n/m.md",
      "",
      "make-folder-remote n; rename-remote a.md>m.md; reparent-remote m.md>n/m.md; relink n/m.md",
    ],
    ["a.md=1", "", "mv a.md n/m.md", "make-folder-local n; move-local a.md>n/m.md; relink n/m.md"],
    // chains and swaps
    [
      "a.md=1 b.md=2",
      "mv b.md c.md; mv a.md b.md",
      "",
      "rename-remote b.md>c.md; rename-remote a.md>b.md; relink b.md; relink c.md",
    ],
    [
      "a.md=1 b.md=2",
      "",
      "mv b.md c.md; mv a.md b.md",
      "move-local b.md>c.md; move-local a.md>b.md; relink b.md; relink c.md",
    ],
    [
      "a.md=1 b.md=2",
      "mv a.md t.md; mv b.md a.md; mv t.md b.md",
      "",
      "rename-remote a.md>a-TMP.md~; rename-remote b.md>a.md; rename-remote a-TMP.md>b.md; relink a.md; relink b.md",
    ],
    [
      "a.md=1 b.md=2",
      "",
      "mv a.md t.md; mv b.md a.md; mv t.md b.md",
      "move-local a.md>a-TMP.md~; move-local b.md>a.md; move-local a-TMP.md>b.md; relink a.md; relink b.md",
    ],
    [
      "a.md=1 b.md=2 c.md=3",
      "mv a.md t.md; mv b.md a.md; mv c.md b.md; mv t.md c.md",
      "",
      "rename-remote a.md>a-TMP.md~; rename-remote b.md>a.md; rename-remote c.md>b.md; relink a.md; rename-remote a-TMP.md>c.md; relink b.md; relink c.md",
    ],
    // a path that a deletion frees
    ["a.md=1 b.md=2", "rm b.md; mv a.md b.md", "", "delete-remote b.md; rename-remote a.md>b.md; relink b.md"],
    ["a.md=1 b.md=2", "mv a.md b.md", "", "delete-remote b.md; rename-remote a.md>b.md; relink b.md"],
    ["a.md=1 b.md=2", "", "rm b.md; mv a.md b.md", "trash-local b.md; move-local a.md>b.md; relink b.md"],
    [
      "a.md=1 b.md=2",
      "rm b.md; mv a.md b.md",
      "edit b.md 3",
      "rename-remote a.md>b-2.md; move-local b.md>b-2.md; create-local b.md; relink b-2.md",
    ],
    // the process was killed after the first of two PATCH requests
    ["a.md=1 d/b.md=2", "mv a.md d/c.md", "mv a.md c.md", "reparent-remote c.md>d/c.md; relink d/c.md"],
    ["a.md=1 d/b.md=2", "mv a.md d/c.md", "mv a.md d/a.md", "rename-remote d/a.md>d/c.md; relink d/c.md"],
    // two PATCH requests, in the order in which the path between them is free
    ["a.md=1 d/b.md=2", "mv a.md d/c.md", "", "rename-remote a.md>c.md; reparent-remote c.md>d/c.md; relink d/c.md"],
    [
      "a.md=1 c.md=3 d/b.md=2",
      "mv a.md d/c.md",
      "",
      "reparent-remote a.md>d/a.md; rename-remote d/a.md>d/c.md; relink d/c.md",
    ],
    [
      "a.md=1 c.md=3 d/a.md=2",
      "mv a.md d/c.md",
      "",
      "rename-remote a.md>a-TMP.md~; reparent-remote a-TMP.md>d/a-TMP.md~; rename-remote d/a-TMP.md>d/c.md; relink d/c.md",
    ],
    // two documents that want one path
    [
      "a.md=1 b.md=2",
      "mv a.md c.md",
      "mv b.md c.md",
      "rename-remote a.md>c-2.md; move-local c.md>c-2.md; move-local b.md>c.md; relink c-2.md; relink c.md",
    ],
    [
      "a.md=1",
      "mv a.md b.md",
      "new b.md 2",
      "rename-remote a.md>b-2.md; move-local b.md>b-2.md; create-local b.md; relink b-2.md",
    ],
    ["a.md=1", "new b.md 2", "mv a.md b.md", "create-remote b.md=b-2.md; block path-taken a.md"],
    [
      "a.md=1 b.md=2",
      "mv a.md c.md",
      "mv b.md c.md; new c-2.md 3",
      "rename-remote a.md>c-3.md; move-local c.md>c-3.md; move-local b.md>c.md; create-local c-2.md; relink c-3.md; relink c.md",
    ],
    // a name that the service accepts but mdmirror refuses
    ["", "new .md 1", "", "block name-refused .md"],
    ["", "new d/.md 1", "", "block name-refused d/.md"],
    ["a.md=1", "mv a.md .md", "", "block name-refused .md"],
    ["", "new .md 1", "new .md 1", "block name-refused .md; block remote-name-unsafe .md"],
    // names that the service changes
    ["", "new My_notes.md 1", "", "create-remote My notes.md=My-notes.md"],
    ["My_notes.md>My-notes.md=1", "edit My_notes.md 2", "", "put My notes.md"],
    ["My_notes.md>My-notes.md=1", "mv My_notes.md My-notes.md", "", "relink My-notes.md"],
    ["a.md=1", "mv a.md My_notes.md", "", "rename-remote a.md>My-notes.md; relink My notes.md=My-notes.md"],
    [
      "My_notes.md>My-notes.md=1 d/x.md=2",
      "",
      "mv My-notes.md d/My-notes.md",
      "move-local My notes.md>d/My notes.md; relink d/My notes.md=d/My-notes.md",
    ],
    ["My_notes.md>My-notes.md=1", "", "mv My-notes.md other.md", "move-local My notes.md>other.md; relink other.md"],
    ["My_notes.md>My-notes.md=1", "new My-notes.md 2", "", "block name-clash My-notes.md"],
    ["", "new My_notes.md 1; new My-notes.md 2", "", "create-remote My-notes.md; block name-clash My notes.md"],
    ["", "new My_notes.md 1", "new My-notes.md 1", "meet My notes.md=My-notes.md"],
    ["", "new ?.md 1", "", "create-remote ?.md=u3f.md"],
    ["a.md=1", "new d_e/a.md 1", "", "make-folder-remote d e=d-e; create-remote d e/a.md=d-e/a.md"],
    ["", "new .x.md 1", "", "create-remote .x.md"],
    // found again without the same inode or path
    [`a.md=${LONG}`, `rm a.md; new b.md ${LONG}`, "", "rename-remote a.md>b.md; relink b.md"],
    [`a.md=${LONG}`, `rm a.md; new b.md ${LONG}|x`, "", "rename-remote a.md>b.md; put b.md; relink b.md"],
    ["a.md=", "rm a.md; new b.md ", "", "create-remote b.md; delete-remote a.md"],
    [
      `a.md=${LONG} b.md=${LONG}`,
      `rm a.md; rm b.md; new c.md ${LONG}`,
      "",
      "rename-remote a.md>c.md; relink c.md; delete-remote b.md",
    ],
    [
      `a.md=${LONG}`,
      `mv a.md b.md; save b.md ${LONG}|x; new a.md 1`,
      "",
      "rename-remote a.md>b.md; put b.md; create-remote a.md; relink b.md",
    ],
    [`a.md=${LONG}`, "mv a.md b.md; new a.md 1", "", "rename-remote a.md>b.md; create-remote a.md; relink b.md"],
    [
      `a.md=${LONG}`,
      `mv a.md b.md; edit b.md ${LONG}|x; new a.md 1`,
      "",
      "rename-remote a.md>b.md; put b.md; create-remote a.md; relink b.md",
    ],
    // renamed to a file that is not synced
    ["a.md=1", "rename-to-other a.md a.txt", "", "block renamed-out-of-mirror a.md"],
    ["a.md=1", "rename-to-other a.md a.txt; new a.md 2", "", "put a.md"],
    // replaced by something that is never synced: nobody deleted the document
    ["a.md=1", "rm a.md; other a.md symlink", "", "block type-clash a.md"],
    ["a.md=1", "rm a.md; other a.md special", "edit a.md 2", "block type-clash a.md"],
    ["a.md=1", "rm a.md; mkdir a.md", "", "block name-refused a.md; block type-clash a.md"],
    ["d/a.md=1 d/b.md=2", "rmdir d; other d symlink", "", "block type-clash d/a.md; block type-clash d/b.md"],
    ["a.md=1", "rm a.md; other a.md symlink", "rm a.md", "forget a.md"],
    ["a.md=1 b.md=2", "rm a.md; mv b.md a.md", "", "delete-remote a.md; rename-remote b.md>a.md; relink a.md"],
    // a path that something unsynced has
    ["a.md=1", "other b.md symlink", "mv a.md b.md", "block path-taken a.md"],
    ["", "other b.md ignored", "new b.md 1", "block path-taken b.md"],
    ["a.md=1", "mkdir b.md", "mv a.md b.md", "block name-refused b.md; block type-clash a.md"],
  ];
  test.each(rows)("%s | %s | %s → %s", (...row) => checkRow(row));
});

function folds(world: World): void {
  world.disk = { ...world.disk, foldsCase: true, foldsUnicode: true };
}

describe("places on a disk that folds case", () => {
  const rows: Row[] = [
    ["a.md=1", "mv a.md A.md", "", "rename-remote a.md>A.md; relink A.md"],
    ["a.md=1", "", "mv a.md A.md", "move-local a.md>A.md; relink A.md"],
    ["a.md=1", "save a.md 2", "", "put a.md"],
    ["a.md=1", "", "new A.md 2", "create-local A-HEX.md=A.md"],
    ["", "", "new a.md 1; new A.md 2", "create-local A.md; create-local a-HEX.md=a.md"],
    ["d/a.md=1", "mv d D", "", "rename-folder-remote d>D; link-folder D"],
    // The move of d/plan.md is blocked, so base still has its old path. Another document has this
    // path now.
    ["d/plan.md=1 d/Plan.md=2", "rm d/plan.md; save d/Plan.md 3", "", "put d/Plan.md; delete-remote d/plan.md"],
  ];
  test.each(rows)("%s | %s | %s → %s", (...row) => checkRow(row, {}, folds));
});

test("I04 a deletion on the service comes after the step that takes the path of the deleted file", () => {
  const world = new World();
  folds(world);
  world.synced("Plan.md", "1");
  const id = world.newDocument("plan.md", "2");
  const name = makeHashedName("plan.md", "file", id, world.disk.maxNameBytes);
  world.write(name, "2");
  world.recordDocument(id, name);
  doLocally(world, "rm Plan.md");
  const { steps } = makePlan(treesOf(world), POLICY, SIGNALS, world.lookup());
  expect(steps.map(({ action, after }) => [action.kind, after])).toEqual([
    ["move-local", []],
    ["delete-remote", [0]],
  ]);
});

test("the block of a file that is still being written says so in words", () => {
  const world = worldAfter(["a.md=1", "unseen a.md still-being-written", "", ""]);
  expect(planOf(world).blocks).toEqual([expect.objectContaining({ detail: "it is still being written" })]);
});
