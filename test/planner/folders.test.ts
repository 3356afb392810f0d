import { describe, test } from "vitest";
import { checkRow, type Row } from "./table.ts";
import type { World } from "./world.ts";

describe("folders: presence and place", () => {
  const rows: Row[] = [
    ["", "mkdir d", "", "make-folder-remote d"],
    ["", "mkdir d/e/f", "", "make-folder-remote d; make-folder-remote d/e; make-folder-remote d/e/f"],
    ["", "", "mkdir d", "make-folder-local d"],
    ["", "mkdir d", "mkdir d", "link-folder d"],
    ["d/", "rmdir d", "", "remove-folder-remote d"],
    ["d/", "", "rmdir d", "remove-folder-local d"],
    ["d/", "rmdir d", "rmdir d", "forget-folder"],
    ["d/e/a.md=1", "rmdir d", "", "delete-remote d/e/a.md; remove-folder-remote d/e; remove-folder-remote d"],
    ["d/e/a.md=1", "", "rmdir d", "trash-local d/e/a.md; remove-folder-local d/e; remove-folder-local d"],
    ["d/a.md=1", "rm d/a.md", "", "delete-remote d/a.md"],
    // deleted on one side, while something in it was edited or created on the other
    ["d/a.md=1 d/b.md=2", "rmdir d", "edit d/a.md 3", "make-folder-local d; create-local d/a.md; delete-remote d/b.md"],
    ["d/a.md=1", "rmdir d", "new d/b.md 3", "make-folder-local d; create-local d/b.md; delete-remote d/a.md"],
    [
      "d/a.md=1",
      "new d/b.md 3",
      "rmdir d",
      "forget-folder; make-folder-remote d; create-remote d/b.md; trash-local d/a.md",
    ],
    [
      "d/a.md=1 x.md=2",
      "rmdir d",
      "mv x.md d/x.md",
      "make-folder-local d; move-local x.md>d/x.md; relink d/x.md; delete-remote d/a.md",
    ],
    ["d/a.md=1", "rmdir d", "unsee d/a.md", "block not-seen d/a.md"],
    // a folder with ignored files stays
    ["d/a.md=1", "other d/x.png other-file", "rmdir d", "forget-folder; trash-local d/a.md"],
    ["d/a.md=1", "other d/.a.md.swp litter", "rmdir d", "trash-local d/a.md; remove-folder-local d"],
    ["", "mkdir d; other d/x.png other-file", "", ""],
    // renames
    ["d/a.md=1 d/b.md=2", "mv d e", "", "rename-folder-remote d>e; link-folder e"],
    ["d/a.md=1 d/b.md=2", "", "mv d e", "move-folder-local d>e; link-folder e"],
    ["d/a.md=1 f/", "mv d f/d", "", "reparent-folder-remote d>f/d; link-folder f/d"],
    ["d/a.md=1 f/", "mv d f/e", "", "rename-folder-remote d>e; reparent-folder-remote e>f/e; link-folder f/e"],
    ["f/d/a.md=1", "mv f/d d", "", "reparent-folder-remote f/d>d; link-folder d"],
    ["d/a.md=1", "mv d n/d", "", "make-folder-remote n; reparent-folder-remote d>n/d; link-folder n/d"],
    ["d/a.md=1", "mv d e", "mv d e", "link-folder e"],
    ["d/a.md=1", "mv d e", "mv d f", "move-folder-local e>f; link-folder f"],
    [
      "d/e/a.md=1",
      "mv d/e d/f; mv d g",
      "",
      "rename-folder-remote d>g; rename-folder-remote g/e>g/f; link-folder g; link-folder g/f",
    ],
    [
      "d/e/a.md=1",
      "mv d g",
      "mv d/e d/f",
      "rename-folder-remote d>g; move-folder-local g/e>g/f; link-folder g; link-folder g/f",
    ],
    // swaps
    [
      "d/a.md=1 e/b.md=2",
      "mv d t; mv e d; mv t e",
      "",
      "rename-folder-remote d>d-TMP~; rename-folder-remote e>d; rename-folder-remote d-TMP>e; link-folder alone d; relink d/b.md; link-folder alone e; relink e/a.md",
    ],
    // documents and folders below a moved folder
    [
      "d/a.md=1",
      "mv d/a.md d/b.md; mv d e",
      "",
      "rename-folder-remote d>e; rename-remote e/a.md>e/b.md; link-folder e; relink e/b.md",
    ],
    [
      "d/a.md=1",
      "mv d/a.md a.md; mv d e",
      "",
      "rename-folder-remote d>e; reparent-remote e/a.md>a.md; link-folder e; relink a.md",
    ],
    [
      "d/a.md=1 x.md=2",
      "mv d e; mv x.md e/x.md",
      "",
      "rename-folder-remote d>e; reparent-remote x.md>e/x.md; link-folder e; relink e/x.md",
    ],
    ["d/a.md=1", "mv d e; edit e/a.md 2", "", "rename-folder-remote d>e; put e/a.md; link-folder e"],
    ["d/a.md=1", "mv d e; save e/a.md 2", "", "rename-folder-remote d>e; put e/a.md; link-folder e"],
    ["d/a.md=1", "mv d e", "edit d/a.md 2", "rename-folder-remote d>e; write-local e/a.md; link-folder e"],
    ["d/a.md=1", "mv d e; rm e/a.md", "", "rename-folder-remote d>e; link-folder e; delete-remote e/a.md"],
    ["d/a.md=1", "mv d e; new e/b.md 2", "", "rename-folder-remote d>e; create-remote e/b.md; link-folder e"],
    ["d/a.md=1", "mv d e", "new d/b.md 2", "rename-folder-remote d>e; create-local e/b.md; link-folder e"],
    // a path that is used again
    ["d/a.md=1", "rmdir d; new d/b.md 2", "", "create-remote d/b.md; delete-remote d/a.md"],
    [
      "d/a.md=1 e/b.md=2",
      "rmdir d; mv e d",
      "",
      "delete-remote d/a.md; remove-folder-remote d; rename-folder-remote e>d; link-folder d",
    ],
    [
      "d/a.md=1",
      "mv d e; mkdir d",
      "",
      "rename-folder-remote d>e; make-folder-remote d; link-folder alone e; relink e/a.md",
    ],
    [
      "d/a.md=1",
      "mv d t; mkdir d; mv t d/e",
      "",
      "rename-folder-remote d>d-TMP~; make-folder-remote d; rename-folder-remote d-TMP>e; reparent-folder-remote e>d/e; link-folder alone d/e; relink d/e/a.md",
    ],
    ["d/a.md=1", "", "rmdir d; new d/b.md 2", "forget-folder; create-local d/b.md; link-folder d; trash-local d/a.md"],
    // circles of folders
    [
      "d/ e/",
      "mv d e/d",
      "mv e d/e",
      "move-folder-local e/d>d; move-folder-local e>d/e; link-folder d; link-folder alone d/e",
    ],
    // names
    ["", "mkdir .x", "", "block name-refused .x"],
    ["", "new x.md/a.md 1", "", "block name-refused x.md; block folder-blocked x.md/a.md"],
    ["d/a.md=1", "mv d .x", "", "block name-refused .x"],
    ["", "", "new .git/a.md 1", "block remote-name-unsafe .git; block remote-name-unsafe .git/a.md"],
    ["", "", "new .mdmirror/a.md 1", "block remote-name-unsafe .mdmirror; block remote-name-unsafe .mdmirror/a.md"],
    ["d/a.md=1", "", "mv d .x", "block remote-name-unsafe d"],
  ];
  test.each(rows)("%s | %s | %s → %s", (...row) => checkRow(row));
});

describe("folders where the deployment cannot move them", () => {
  const rows: Row[] = [
    [
      "d/a.md=1",
      "mv d e",
      "",
      "make-folder-remote e; reparent-remote d/a.md>e/a.md; relink e/a.md; remove-folder-remote d",
    ],
    [
      "d/f/a.md=1",
      "mv d e",
      "",
      "make-folder-remote e; make-folder-remote e/f; reparent-remote d/f/a.md>e/f/a.md; relink e/f/a.md; remove-folder-remote d/f; remove-folder-remote d",
    ],
    ["d/a.md=1", "", "mv d e", "move-folder-local d>e; link-folder e"],
    // Without moves of folders, a renamed local folder counts as deleted and new. So the rename on
    // the service loses.
    [
      "d/a.md=1",
      "mv d e",
      "mv d f",
      "make-folder-remote e; reparent-remote f/a.md>e/a.md; relink e/a.md; remove-folder-remote f",
    ],
  ];
  test.each(rows)("%s | %s | %s → %s", (...row) => checkRow(row, { canMoveFolders: false }));
});

test("I02 a folder's documents are where base has them, though a removed folder had its path on the service before", () => {
  const block = { path: "b", code: null, detail: "", requestId: null, digest: null, changeId: null, since: 0 };
  checkRow(["b/ d/a.md=1", "rmdir b", "mv b elsewhere", "block folder-stays b"], { canMoveFolders: false }, (world) => {
    const [old] = [...world.dirRecords.values()].filter(({ localPath }) => localPath === "b");
    // Base did not record the move of the old folder to `elsewhere`. `d` has the path that the old
    // folder had in base.
    world.dirRecords.set(old!.id, { ...old!, remotePath: "d" });
    world.blocks.set(old!.id, { ...block, key: old!.id, reason: "folder-stays" });
  });
});

function blind(world: World): void {
  world.inodesTrusted = false;
}

describe("folders on a disk whose inodes prove nothing", () => {
  const rows: Row[] = [
    ["d/a.md=1 d/b.md=2 d/c.md=3", "mv d e", "", "rename-folder-remote d>e; link-folder e"],
    ["d/a.md=1 d/b.md=2 d/c.md=3", "mv d e; edit e/c.md 4", "", "rename-folder-remote d>e; put e/c.md; link-folder e"],
    ["d/f/a.md=1", "mv d e", "", "rename-folder-remote d>e; link-folder e"],
    [
      "d/a.md=1 d/b.md=2",
      "mv d e; rm e/a.md; rm e/b.md",
      "",
      "make-folder-remote e; delete-remote d/a.md; delete-remote d/b.md; remove-folder-remote d",
    ],
  ];
  test.each(rows)("%s | %s | %s → %s", (...row) => checkRow(row, {}, blind));
});

describe("a folder that got the name of a local folder on the service", () => {
  const rows: Row[] = [
    [
      "d/a.md=1",
      "mkdir e; other e/x.png other-file",
      "mv d e",
      "move-local d/a.md>e/a.md; link-folder alone e; relink e/a.md; remove-folder-local d",
    ],
    ["d/", "mkdir e; other e/x.png other-file", "mv d e", "link-folder alone e; remove-folder-local d"],
    [
      "d/a.md=1 d/f/b.md=2",
      "mkdir e; other e/x.png other-file",
      "mv d e",
      "move-folder-local d/f>e/f; move-local d/a.md>e/a.md; link-folder alone e; link-folder e/f; relink e/a.md; remove-folder-local d",
    ],
    // Ignored files stay at their path.
    [
      "d/a.md=1",
      "mkdir e; other e/x.png other-file; other d/y.png other-file",
      "mv d e",
      "move-local d/a.md>e/a.md; link-folder alone e; relink e/a.md",
    ],
  ];
  test.each(rows)("%s | %s | %s → %s", (...row) => checkRow(row));
});

function forgotten(world: World): void {
  world.dirRecords.clear();
  world.dirs.clear();
}

describe("I08 folders that base has no more, of documents that the service did not show", () => {
  const rows: Row[] = [
    ["d/a.md=1", "", "unsee d/a.md", "block not-seen d/a.md"],
    ["d/a.md=1", "edit d/a.md 2", "unsee d/a.md", "block not-seen d/a.md"],
    ["d/a.md=1", "rm d/a.md", "unsee d/a.md", "block not-seen d/a.md"],
    ["d/a.md=1", "new d/b.md 2", "unsee d/a.md", "make-folder-remote d; create-remote d/b.md; block not-seen d/a.md"],
  ];
  test.each(rows)("%s | %s | %s → %s", (...row) => checkRow(row, {}, forgotten));
});
