import { describe, expect, it, test } from "vitest";
import { makePlan } from "../../../src/mirror/planner/plan.ts";
import { describePlan, planOf, POLICY, type Row, SIGNALS, worldAfter } from "../table.ts";
import { treesOf, type World } from "../world.ts";
import type { DirId } from "../../../src/contract/ids.ts";
import type { FolderRecord } from "../../../src/mirror/model/record.ts";
import type { LocalFolder } from "../../../src/mirror/model/tree.ts";
import { findFoldersByContents, type FolderPaths } from "../../../src/mirror/planner/match/folder-paths.ts";

const LONG = "one|two|three|four|five|six";
const NUMBERS = "1|2|3|4|5";

function check(row: Row, prepare?: (world: World) => void, after?: (world: World) => void): void {
  const world = worldAfter(row, prepare);
  after?.(world);
  expect(describePlan(planOf(world))).toBe(row[3]);
}

/**
 * Two documents with equal content: the second is moved, the first removed. The inode identifies
 * the moved document; by content alone it could be either.
 */
const MOVED = ["c.md=1 a.md=1", "mv a.md b.md; rm c.md", ""] as const;
const BLIND: Row = [...MOVED, "rename-remote c.md>b.md; relink b.md; delete-remote a.md"];

function recorded(world: World): void {
  world.files.get("a.md")!.nlink = 2;
  world.patchRecord(world.idAt("a.md"), { stamp: world.stamp(world.files.get("a.md")!) });
}

function blind(world: World): void {
  world.inodesTrusted = false;
}

test("I04 a document that a scan of some paths does not find is unknown, not deleted", () => {
  const row: Row = ["a.md=1|2|3 b.md=4|5|6", "mv b.md a.md; new b.md 7|8|9", "", ""];
  const world = worldAfter(row);
  const { local, ...trees } = treesOf(world);
  const planned = (partial: boolean) =>
    describePlan(
      makePlan({ ...trees, local: { ...local, ...(partial && { partial }) } }, POLICY, SIGNALS, world.lookup()),
    );
  expect(planned(false)).toContain("delete-remote a.md");
  expect(planned(true)).not.toContain("delete-remote");
  expect(planned(true)).toContain("block local-unreadable a.md");
});

describe("what an inode proves, and what not", () => {
  test("I09 two documents with equal content that exchange their paths are two moves", () => {
    check([
      "a.md=1 b.md=1",
      "mv a.md t.md; mv b.md a.md; mv t.md b.md",
      "",
      "rename-remote a.md>a-TMP.md~; rename-remote b.md>a.md; rename-remote a-TMP.md>b.md; relink a.md; relink b.md",
    ]);
  });
  test("an inode with base's content is a move, even if other files have that content", () => {
    check([...MOVED, "rename-remote a.md>b.md; relink b.md; delete-remote c.md"]);
  });
  test("I09 I31 an inode and the text that waits for review are a move, onto the path of one that was removed too", () => {
    const world = worldAfter(["a.md=1 b.md=2", "edit a.md 3; rm b.md; mv a.md b.md", "", ""]);
    const id = world.idAt("a.md");
    const { changeId } = world.records.get(id)!;
    world.documents.get(id)!.protected = true;
    world.patchRecord(id, {
      protected: true,
      submissions: [{ digest: world.digest("3"), baseChangeId: changeId, at: 0 }],
    });
    expect(describePlan(planOf(world))).toBe(
      "delete-remote b.md; rename-remote a.md>b.md; relink b.md; block in-review b.md",
    );
  });
  test("I09 a note of one line that was moved and filled is a move by its inode, as it still has its line", () => {
    const filled = "1|and|much|that|was|written|later|on";
    check(["a.md=1", `mv a.md b.md; edit b.md ${filled}`, "", "rename-remote a.md>b.md; put b.md; relink b.md"]);
  });
  test("I09 a note that was moved and rewritten is a move by its inode, if nothing is at its old path", () => {
    check(["a.md=1", `mv a.md b.md; edit b.md another|text`, "", "rename-remote a.md>b.md; put b.md; relink b.md"]);
    check(["a.md=1", `rm a.md; new b.md another|text`, "", "create-remote b.md; delete-remote a.md"]);
  });
  test("I09 a blank note that was moved and filled is a move by its inode, for it had no line to lose", () => {
    check(["a.md=", `mv a.md b.md; edit b.md a|text`, "", "rename-remote a.md>b.md; put b.md; relink b.md"]);
    check(["a.md=", `rm a.md; new b.md a|text`, "", "create-remote b.md; delete-remote a.md"]);
  });
  test("I04 I09 an interrupted swap, with one file removed and the other saved again: the content decides", () => {
    const [a, b] = ["a1|a2|a3|a4|a5", "b1|b2|b3|b4|b5"];
    const local = `mv a.md t.md; mv b.md a.md; mv t.md b.md; rm a.md; save b.md ${a}|more`;
    const world = worldAfter([`a.md=${a} b.md=${b}`, local, "mv a.md a-TMP.md; mv b.md a.md", ""]);
    for (const path of ["a-TMP.md", "a.md"]) world.patchRecord(world.idAt(path), { remotePath: path as never });
    expect(describePlan(planOf(world))).toBe("rename-remote a-TMP.md>b.md; put b.md; relink b.md; delete-remote a.md");
  });
  test("a file at the path of a document whose move was interrupted is that document's, if it is no other document's", () => {
    const world = worldAfter(["a.md=1|2|3", "save a.md another|text", "mv a.md b.md", ""]);
    world.patchRecord(world.idAt("b.md"), { remotePath: "b.md" as never });
    expect(describePlan(planOf(world))).toBe("move-local a.md>b.md; put b.md; relink b.md");
  });
  test("a hard-linked file's inode names no path", () => {
    check([`a.md=${LONG}`, "mv a.md b.md", "", "rename-remote a.md>b.md; relink b.md"], recorded);
    check([...BLIND], recorded);
  });
  test("an inode with another birth time is another file", () => {
    check([...BLIND], undefined, (world) => void world.files.get("b.md")!.birthMs++);
  });
  test("a birth time on one side only proves nothing", () => {
    const unborn = (world: World): void => {
      world.files.get("b.md")!.birthMs = 0;
    };
    check([...BLIND], undefined, unborn);
  });
  test("a folder's inode without a birth time proves nothing by itself", () => {
    const unborn = (world: World): void => {
      for (const folder of world.folders.values()) folder.birthMs = 0;
      for (const [id, dir] of world.dirRecords) world.dirRecords.set(id, { ...dir, birthMs: 0 });
    };
    check(["d/", "mv d e", "", "make-folder-remote e; remove-folder-remote d"], unborn);
    check(["d/a.md=1", "mv d e", "", "rename-folder-remote d>e; link-folder e"], unborn);
  });
  test.each([true, false])(
    "I04 I32 of two documents that base has at one path, the same content decides (%s)",
    (isFirst) => {
      const world = worldAfter([`a.md=${LONG}|a b.md=${LONG}|b`, "rm b.md", "", ""]);
      world.inodesTrusted = false;
      const [a, b] = [world.idAt("a.md"), world.idAt("b.md")];
      world.patchRecord(b, { localPath: "a.md" as never });
      if (!isFirst) {
        const record = world.records.get(a)!;
        world.records.delete(a);
        world.records.set(a, record);
      }
      expect(describePlan(planOf(world))).toBe("delete-remote b.md");
    },
  );
  test.each([
    ["a.md", "b.md"],
    ["b.md", "a.md"],
  ])("I09 of two documents that base has at one path, %s having left it, the inode decides", (gone, stays) => {
    const world = worldAfter([
      `a.md=${LONG} b.md=${NUMBERS}`,
      `edit ${stays} other; edit ${gone} ${gone === "a.md" ? LONG : NUMBERS}|x`,
      "",
      "",
    ]);
    // Both documents were moved, and a block stopped the second move. So base has two documents at
    // one path.
    const file = world.files.get(gone)!;
    world.files.set("c.md", { ...file, ino: world.next() });
    world.files.delete(gone);
    world.patchRecord(world.idAt(gone), { localPath: stays });
    const steps = describePlan(planOf(world));
    expect(steps).toContain(`put ${stays}`);
    expect(steps).not.toContain("delete-remote");
  });
  test.each([["a.md"], ["b.md"]])(
    "I09 of two documents at one path, a saved file is that of its place (%s)",
    (gone) => {
      const stays = gone === "a.md" ? "b.md" : "a.md";
      const world = worldAfter([`a.md=${LONG} b.md=${NUMBERS}`, `rm ${gone}; rm ${stays}; new ${stays} other`, "", ""]);
      world.patchRecord(world.idAt(gone), { localPath: stays });
      expect(describePlan(planOf(world))).toBe(`put ${stays}; delete-remote ${gone}`);
    },
  );
  test("an inode in another root is no evidence", () => {
    check([...BLIND], blind);
    check(["a.md=1", "rename-to-other a.md a.txt", "", "delete-remote a.md"], blind);
  });
});

describe("what counts as unchanged", () => {
  test("base's own content, although the file had it in another form", () => {
    const world = worldAfter(["a.md=1", "", "", ""]);
    world.patchRecord(world.idAt("a.md"), { localDigest: world.digest("1\r\n") });
    expect(describePlan(planOf(world))).toBe("");
    world.files.get("a.md")!.text = "1\r\n";
    expect(describePlan(planOf(world))).toBe("");
  });
  test("content that the service answered with base's own content goes to the trash with its document", () => {
    const world = worldAfter(["a.md=1 b.md=2", "edit a.md 3", "rm a.md", ""]);
    world.patchRecord([...world.records.keys()][0]!, { echoDigest: world.digest("3") });
    expect(describePlan(planOf(world))).toBe("trash-local a.md");
  });
});

describe("folders that base has behind their documents", () => {
  test("I09 a folder renamed locally is not renamed back when its documents were moved to it one by one", () => {
    const world = worldAfter(["d/a.md=1 w/b.md=2", "", "", ""]);
    const id = world.idAt("d/a.md");
    // The folder was moved on the service while no folder was listed. So the document's record was
    // updated, and the folder's was not.
    world.moveDir(world.dirAt("d"), "w/d");
    world.makeFolder("w/e");
    world.moveLocal("d/a.md", "w/e/a.md");
    world.patchRecord(id, { localPath: "w/d/a.md", remotePath: "w/d/a.md" });
    const steps = describePlan(planOf(world));
    expect(steps).not.toContain("move-local");
    expect(steps).toContain("relink w/e/a.md");
  });
});

describe("folders' absences", () => {
  test("I20 a folder is not gone when the listing of documents or of folders was not complete", () => {
    for (const part of ["complete", "foldersComplete"] as const) {
      const world = worldAfter(["d/ a.md=1", "", "rmdir d", ""]);
      const trees = treesOf(world);
      expect([...trees.remote.goneFolders]).toHaveLength(1);
      const remote = { ...trees.remote, [part]: false };
      expect(describePlan(makePlan({ ...trees, remote }, POLICY, SIGNALS, world.lookup()))).toBe("");
    }
  });
});

const edited = (mark: string): string => `${mark}1|${mark}2|edited|${mark}4|${mark}5`;

const template = (title: string): string => `${title}|what|who|when|where|why`;

function reuse(world: World, path: string, of: string, birthMs?: number): void {
  const { ino, birthMs: born } = world.records.get(world.idAt(of))!.stamp!;
  Object.assign(world.files.get(path)!, { ino, birthMs: birthMs ?? born });
}

describe("I09 files that were edited and took each other's paths", () => {
  const three = "a.md=a1|a2|a3|a4|a5 b.md=b1|b2|b3|b4|b5 c.md=c1|c2|c3|c4|c5";
  test.each([
    [
      "a swap, edited after it",
      `mv a.md t.md; mv b.md a.md; mv t.md b.md; edit a.md ${edited("b")}; edit b.md ${edited("a")}`,
      "put b.md; put a.md; rename-remote a.md>a-TMP.md~; rename-remote b.md>a.md; rename-remote a-TMP.md>b.md; relink a.md; relink b.md",
    ],
    [
      "a swap, one edited before it",
      `edit a.md ${edited("a")}; mv a.md t.md; mv b.md a.md; mv t.md b.md`,
      "put b.md; rename-remote a.md>a-TMP.md~; rename-remote b.md>a.md; rename-remote a-TMP.md>b.md; relink a.md; relink b.md",
    ],
    [
      "a chain",
      `mv c.md d.md; mv b.md c.md; mv a.md b.md; edit b.md ${edited("a")}; edit c.md ${edited("b")}; edit d.md ${edited("c")}`,
      "rename-remote c.md>d.md; rename-remote b.md>c.md; rename-remote a.md>b.md; put b.md; put c.md; put d.md; relink b.md; relink c.md; relink d.md",
    ],
    [
      "a chain, and a new file at its head",
      `mv c.md d.md; mv b.md c.md; mv a.md b.md; edit b.md ${edited("a")}; edit c.md ${edited("b")}; edit d.md ${edited("c")}; new a.md new`,
      "rename-remote c.md>d.md; rename-remote b.md>c.md; rename-remote a.md>b.md; put b.md; put c.md; put d.md; create-remote a.md; relink b.md; relink c.md; relink d.md",
    ],
    [
      "a circle of three",
      `mv a.md t.md; mv b.md a.md; mv c.md b.md; mv t.md c.md; edit a.md ${edited("b")}; edit b.md ${edited("c")}; edit c.md ${edited("a")}`,
      "put c.md; put a.md; put b.md; rename-remote a.md>a-TMP.md~; rename-remote b.md>a.md; rename-remote c.md>b.md; relink a.md; rename-remote a-TMP.md>c.md; relink b.md; relink c.md",
    ],
  ])("%s", (_, local, plan) => {
    check([three, local, "", plan]);
  });

  const alike = `a.md=${template("a")} b.md=${template("b")}`;
  test("documents with similar content exchange paths by their inodes", () => {
    const [a, b] = [`${template("a")}|more`, `${template("b")}|more`];
    check([
      alike,
      `mv a.md t.md; mv b.md a.md; mv t.md b.md; edit a.md ${b}; edit b.md ${a}`,
      "",
      "put b.md; put a.md; rename-remote a.md>a-TMP.md~; rename-remote b.md>a.md; rename-remote a-TMP.md>b.md; relink a.md; relink b.md",
    ]);
  });
  test("an editor's save that was given the inode of a removed file is no exchange", () => {
    const local = `rm a.md; save b.md ${template("b")}|more`;
    check([alike, local, "", "put b.md; delete-remote a.md"], undefined, (world) => reuse(world, "b.md", "a.md"));
  });
  test("two saves that were given each other's inodes are no exchange where the disk has no birth times", () => {
    const unborn = (world: World): void => {
      for (const [path, file] of world.files) {
        file.birthMs = 0;
        world.patchRecord(world.idAt(path), { stamp: world.stamp(file) });
      }
    };
    const local = `save a.md ${template("a")}|more; save b.md ${template("b")}|more`;
    check([alike, local, "", "put a.md; put b.md"], unborn, (world) => {
      reuse(world, "a.md", "b.md");
      reuse(world, "b.md", "a.md");
    });
  });
  test("a file that was renamed away, and written again under its name, is the document at its name", () => {
    const local = `mv a.md kept.md; edit kept.md ${template("a")}|kept; new a.md ${template("a")}|more`;
    check([alike, local, "", "put a.md; create-remote kept.md"]);
  });
});

describe("I09 files that took each other's paths, one of them saved again by an editor: the content decides", () => {
  const three = "a.md=a1|a2|a3|a4|a5 b.md=b1|b2|b3|b4|b5 c.md=c1|c2|c3|c4|c5";
  test.each([
    [
      "a swap, one saved before it, both edited after it",
      `save b.md b1|b2|b3|b4|b5; mv a.md t.md; mv b.md a.md; mv t.md b.md; edit a.md ${edited("b")}; edit b.md ${edited("a")}`,
      "put b.md; put a.md; rename-remote a.md>a-TMP.md~; rename-remote b.md>a.md; rename-remote a-TMP.md>b.md; relink a.md; relink b.md",
    ],
    [
      "a chain, its first saved at an unused path",
      `mv b.md c2.md; mv a.md b.md; edit b.md ${edited("a")}; save c2.md ${edited("b")}`,
      "rename-remote b.md>c2.md; rename-remote a.md>b.md; put b.md; put c2.md; relink b.md; relink c2.md",
    ],
    [
      "a swap, the one moved on and the other saved",
      `mv a.md t.md; mv b.md a.md; mv t.md b.md; edit b.md ${edited("a")}; save a.md ${edited("b")}; mv b.md d.md`,
      "rename-remote a.md>d.md; rename-remote b.md>a.md; put d.md; put a.md; relink d.md; relink a.md",
    ],
    [
      "a circle of three, two of them saved",
      `mv a.md t.md; mv b.md a.md; mv c.md b.md; mv t.md c.md; save a.md ${edited("b")}; save b.md ${edited("c")}; edit c.md ${edited("a")}`,
      "put c.md; put a.md; put b.md; rename-remote a.md>a-TMP.md~; rename-remote b.md>a.md; rename-remote c.md>b.md; relink a.md; rename-remote a-TMP.md>c.md; relink b.md; relink c.md",
    ],
    [
      "a circle of three, one moved as it was, two saved",
      `mv a.md t.md; mv b.md a.md; mv c.md b.md; mv t.md c.md; save a.md ${edited("b")}; save b.md ${edited("c")}`,
      "put a.md; put b.md; rename-remote a.md>a-TMP.md~; rename-remote b.md>a.md; rename-remote c.md>b.md; relink a.md; rename-remote a-TMP.md>c.md; relink b.md; relink c.md",
    ],
  ])("%s", (_, local, plan) => {
    check([three, local, "", plan]);
  });

  test("where two new files are like it, the more similar one is it", () => {
    const local = `mv b.md x.md; new y.md b1|b2|b3|b4|edited; mv a.md b.md; edit b.md ${edited("a")}; save x.md b1|b2|b3|b4|more`;
    check([
      three,
      local,
      "",
      "rename-remote b.md>x.md; rename-remote a.md>b.md; put b.md; put x.md; create-remote y.md; relink b.md; relink x.md",
    ]);
  });
  test("a file that was rewritten in place stays what it is, though its text is like a document's that was overwritten", () => {
    const local = `mv a.md b.md; edit b.md ${edited("a")}; edit c.md ${edited("b")}`;
    check([three, local, "", "put b.md; put c.md; delete-remote b.md; rename-remote a.md>b.md; relink b.md"]);
  });
  test("what was moved over a document and grew out of both is the document's at that path", () => {
    const local = `mv b.md b2.md; save b2.md ${edited("b")}; mv a.md b.md; edit b.md a1|a2|a3|a4|a5|b1|b2|b3|b4|b5`;
    check([three, local, "", "put b.md; create-remote b2.md; delete-remote a.md"]);
  });
});

const recordAt = (id: string, path: string): FolderRecord => ({
  id: id as DirId,
  localPath: path,
  remotePath: path,
  dev: 0,
  ino: 0,
  birthMs: 0,
});

it("a folder that was found stays where it was found, although a missing folder had the same path", () => {
  const [kept, missing] = [recordAt("dir_kept", "docs"), recordAt("dir_missing", "docs")];
  const paths: FolderPaths = {
    found: new Map([[kept.id, "docs"]]),
    claimed: new Map([["docs", kept.id]]),
    byBasePath: new Map([["docs", missing]]),
    sorted: [kept, missing],
    canMoveFolders: true,
    canMoveToRoot: true,
    keptByService: new Map(),
    pathTaken: new Set(),
    hasMoved: false,
  };
  const folders = new Map<string, LocalFolder>(["docs", "moved"].map((path) => [path, { path } as LocalFolder]));
  findFoldersByContents(paths, [{ base: "docs/a.md", current: "moved/a.md" }], folders);
  expect([...paths.found]).toEqual([
    ["dir_kept", "docs"],
    ["dir_missing", "moved"],
  ]);
});
