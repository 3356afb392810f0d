import { describe, expect, test } from "vitest";
import type { BlockReason } from "../../src/mirror/model/block.ts";
import type { Block } from "../../src/mirror/model/record.ts";
import type { Policy } from "../../src/mirror/model/policy.ts";
import type { LocalRename } from "../../src/mirror/planner/plan-types.ts";
import { leavesMoreWork } from "../../src/mirror/planner/sequel.ts";
import { planOf, type Row, describePlan, worldAfter } from "./table.ts";
import { type World, treesOf } from "./world.ts";

/** Adds a block of `a.md` to base, like the engine after a refusal. */
function refuse(world: World, reason: BlockReason, facts: Partial<Block> = {}): void {
  const key = facts.key ?? (world.records.size > 0 ? world.idAt("a.md") : "a.md");
  const rest = { code: "x", detail: "d", requestId: null, digest: null, changeId: null, since: 7 };
  world.blocks.set(key, { key, path: "a.md", reason, ...rest, ...facts });
}

function check(
  row: Row,
  reason: BlockReason,
  facts: (world: World) => Partial<Block>,
  policy: Partial<Policy> = {},
): void {
  const world = worldAfter(row);
  refuse(world, reason, facts(world));
  expect(describePlan(planOf(world, policy))).toBe(row[3]);
}

const about = (text: string) => (world: World) => ({ digest: world.digest(text) });
const nothing = () => ({});

const aboutNewFolder = () => ({ key: "d", path: "d" });

const aboutMovedFolder = (world: World) => ({ key: world.dirAt("d"), path: "d" });

const aboutOldPath = () => ({ path: "old.md" });

const aboutNewPath = () => ({ path: "b.md" });

const aboutRenamedFolder = (world: World) => ({ key: world.dirAt("d"), path: "e" });

const aboutRootPath = (world: World) => ({ key: world.idAt("d/a.md"), path: "a.md" });

const aboutSibling = (world: World) => ({ key: world.idAt("d/a.md"), path: "d/b.md" });

describe("I22 I08 what was refused is not sent again until it changes", () => {
  const rows: [...Row, BlockReason, (world: World) => Partial<Block>][] = [
    ["a.md=1", "edit a.md 2", "", "block read-only a.md", "read-only", about("2")],
    ["a.md=1", "edit a.md 3", "", "put a.md", "read-only", about("2")],
    ["a.md=1", "", "edit a.md 2", "write-local a.md", "read-only", about("2")],
    ["a.md=1", "edit a.md 2", "edit a.md 3", "merge a.md", "read-only", about("2")],
    ["a.md=1", "mv a.md b.md", "", "block read-only a.md", "read-only", nothing],
    ["a.md=1", "edit a.md 2", "", "block refused a.md", "refused", about("2")],
    ["a.md=1", "edit a.md 2", "edit a.md 3", "block refused a.md", "refused", about("2")],
    ["a.md=1", "edit a.md 2", "", "put a.md", "delete-refused", nothing],
    ["a.md=1", "rm a.md", "", "create-local a.md; block delete-refused a.md", "delete-refused", nothing],
    ["", "new a.md 1", "", "block occupied-unseen a.md", "occupied-unseen", nothing],
    ["", "new a.md 1", "", "block read-only a.md", "read-only", nothing],
    ["", "new a.md 2", "", "create-remote a.md", "refused", about("1")],
    ["", "mkdir a.md/d", "", "block name-refused a.md; block folder-blocked a.md/d", "refused", nothing],
    ["a.md=1", "", "", "", "refused", about("2")],
  ];
  test.each(rows)("%s | %s | %s → %s (%s)", (base, local, remote, plan, reason, facts) =>
    check([base, local, remote, plan], reason, facts),
  );
  const again = rows.filter(([, , , plan]) => plan.startsWith("block ") && !plan.includes("name-refused"));
  test.each(again)("retried manually: %s | %s | %s, not %s", (base, local, remote, _plan, reason, facts) => {
    const world = worldAfter([base, local, remote, ""]);
    refuse(world, reason, facts(world));
    const plan = planOf(world, { retryRefused: true });
    expect(plan.steps.length).toBeGreaterThan(0);
    expect(plan.blocks).toEqual([]);
  });
  test.each(["remote", "local"] as const)("it stays while the %s side does not show the document", (side) => {
    const world = worldAfter(["a.md=1", "mv a.md b.md", "", ""]);
    refuse(world, "read-only");
    const id = [...world.records.keys()][0]!;
    if (side === "remote") {
      world.remoteUnseen.set(id, "the listing was cut short");
      world.documents.delete(id);
    } else {
      world.unseen.set("b.md", "EACCES");
      world.files.delete("b.md");
    }
    expect(describePlan(planOf(world))).toBe("block read-only a.md");
  });
  test.each(["local", "remote"] as const)("a folder's stays while the %s side does not show it", (side) => {
    const world = worldAfter(["d/a.md=1", "mv d e", "", ""]);
    const [key] = world.dirRecords.keys();
    refuse(world, "read-only", { key: key!, path: "d" });
    if (side === "remote") world.foldersComplete = false;
    else {
      world.unseen.set("e", "EACCES");
      world.files.delete("e/a.md");
      world.folders.delete("e");
    }
    expect(planOf(world).blocks).toContainEqual(expect.objectContaining({ key, reason: "read-only" }));
  });
  test.each(["a.md", "d/a.md"])("that of a new file stays while the disk does not show %s", (path) => {
    const world = worldAfter(["", "", "", ""]);
    refuse(world, "refused", { key: path, path, digest: world.digest("1") });
    world.unseen.set(path.split("/")[0]!, "EACCES");
    expect(describePlan(planOf(world))).toBe(`block refused ${path}`);
    expect(describePlan(planOf(world, { retryRefused: true }))).toBe("");
    world.unseen.clear();
    expect(describePlan(planOf(world))).toBe("");
  });
  test("that of a new file stays while a document that is not judged yet may have become it", () => {
    const world = worldAfter(["a.md=b1|b2|b3|b4|b5", "new n.md b1|b2|b3|b4|b5|more; rm a.md", "", ""]);
    refuse(world, "read-only", { key: "n.md", path: "n.md" });
    world.unseen.set("a.md", "still-being-written");
    expect(describePlan(planOf(world))).toContain("block read-only n.md");
    world.unseen.clear();
    expect(describePlan(planOf(world))).toBe("rename-remote a.md>n.md; put n.md; relink n.md");
  });
  test("an absence that was proven stays so while the listing is cut short", () => {
    const world = worldAfter(["d/a.md=1", "edit d/a.md 2", "", ""]);
    const key = world.idAt("d/a.md");
    refuse(world, "gone-or-unreadable", { key, path: "d/a.md", digest: world.digest("2") });
    world.documents.delete(key);
    world.remoteUnseen.set(key, "the listing was cut short");
    expect(describePlan(planOf(world))).toBe("block gone-or-unreadable d/a.md");
  });
  test("a deletion that was refused is retried manually", () => {
    check(["a.md=1", "rm a.md", "", "delete-remote a.md"], "delete-refused", nothing, { retryRefused: true });
  });
  test("a refused move to the root stays blocked; another move ends the block", () => {
    check(["d/a.md=1", "mv d/a.md a.md", "", "block no-move-to-root a.md"], "no-move-to-root", aboutRootPath);
    check(
      ["d/a.md=1", "mv d/a.md d/b.md", "", "rename-remote d/a.md>d/b.md; relink d/b.md"],
      "no-move-to-root",
      aboutRootPath,
    );
  });
  test("refusals about folders block the folder and the entries that would move into it", () => {
    check(
      ["a.md=1", "new d/b.md 1", "", "block read-only d; block folder-blocked d/b.md"],
      "read-only",
      aboutNewFolder,
    );
    check(["d/a.md=1", "mv d e", "", "block read-only d"], "read-only", aboutMovedFolder);
    check(["d/", "rmdir d", "", "block delete-refused d"], "delete-refused", aboutMovedFolder);
  });
  test("a block about a place ends when the document is at another place", () => {
    check(["a.md=1", "mv a.md b.md", "", "rename-remote a.md>b.md; relink b.md"], "refused", aboutOldPath);
    check(["a.md=1", "mv a.md b.md", "", "block refused b.md"], "refused", aboutNewPath);
    // The user chooses another local name, which ends the block.
    check(["a.md=1", "mv a.md c.md", "", "rename-remote a.md>c.md; relink c.md"], "occupied-unseen", aboutNewPath);
    check(["d/a.md=1", "mv d e", "", "block occupied-unseen e"], "occupied-unseen", aboutRenamedFolder);
    check(["d/a.md=1", "mv d f", "", "rename-folder-remote d>f; link-folder f"], "occupied-unseen", aboutRenamedFolder);
  });
  test("a name that was refused, and is another's on the service by now, is taken back and reported", () => {
    const rows: [...Row, (world: World) => Partial<Block>, LocalRename][] = [
      [
        "a.md=1",
        "mv a.md b.md",
        "new b.md 2",
        "move-local b.md>a.md; create-local b.md; relink a.md; block read-only b.md",
        aboutNewPath,
        { from: "b.md", to: "a.md" },
      ],
      [
        "d/a.md=1",
        "mv d e",
        "mkdir e",
        "move-folder-local e>d; make-folder-local e; block read-only e",
        aboutRenamedFolder,
        { from: "e", to: "d" },
      ],
    ];
    for (const [base, here, there, planned, facts, gaveWay] of rows) {
      const world = worldAfter([base, here, there, planned]);
      refuse(world, "read-only", facts(world));
      const plan = planOf(world);
      expect(describePlan(plan)).toBe(planned);
      expect(plan.renamedForOthers).toEqual([gaveWay]);
      // The block stays until the next scan shows that nobody wants the change any more.
      const move = plan.steps[0]!.action;
      expect([move.kind, leavesMoreWork(plan, treesOf(world))(move)]).toEqual([move.kind, true]);
    }
  });
  test.each(["read-only", "refused"] as const)("I08 a name that is %s stays so while its folder moves", (reason) => {
    const moved = "rename-folder-remote d>e; link-folder e";
    check(["d/a.md=1", "mv d/a.md d/b.md; mv d e", "", `${moved}; block ${reason} e/b.md`], reason, aboutSibling);
    const renamed = "rename-remote d/a.md>d/c.md; relink d/c.md";
    if (reason === "refused") check(["d/a.md=1", "mv d/a.md d/c.md", "", renamed], reason, aboutSibling);
  });
  test.each(["read-only", "refused"] as const)(
    "I08 a move that is %s stays so while its new folder moves",
    (reason) => {
      const world = worldAfter(["d/a.md=1 e/b.md=2 f/", "mv d/a.md e/a.md; mv e f/e", "", ""]);
      const id = world.idAt("d/a.md");
      const folder = world.dirAt("e");
      refuse(world, reason, { key: id, path: "e/a.md" });
      expect(describePlan(planOf(world))).toContain(`block ${reason} f/e/a.md`);
      // The move of the folder was refused too; the block of the document has the path below the
      // folder's path at that time.
      refuse(world, reason, { key: id, path: "g/a.md" });
      refuse(world, "read-only", { key: folder, path: "g" });
      expect(describePlan(planOf(world))).toContain(`block ${reason} f/e/a.md`);
      refuse(world, reason, { key: id, path: "h/a.md" });
      expect(describePlan(planOf(world))).not.toContain(`block ${reason} f/e/a.md`);
    },
  );
  test("a computed block keeps the time since when it exists", () => {
    const world = worldAfter(["a.md=1", "unseen a.md EACCES", "", ""]);
    refuse(world, "local-unreadable");
    expect(planOf(world).blocks[0]!.since).toBe(7);
    expect(planOf(worldAfter(["a.md=1", "unseen a.md EACCES", "", ""])).blocks[0]!.since).toBe(0);
  });
});
