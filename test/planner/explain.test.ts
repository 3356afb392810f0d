import { describe, expect, test } from "vitest";
import { explainPath } from "../../src/mirror/planner/explain.ts";
import { POLICY } from "./defaults.ts";
import { type Row, worldAfter } from "./table.ts";
import { treesOf } from "./world-trees.ts";

const LONG = "one|two|three|four|five|six";

describe("why PATH", () => {
  const explain = (row: Row, path: string) => {
    const world = worldAfter(row);
    return explainPath(treesOf(world), POLICY, world.lookup(), path);
  };
  test("a document on which all agree is explained too", () => {
    expect(explain(["a.md=1", "", "", ""], "a.md")).toMatchObject({
      kind: "document",
      cell: "unchanged/unchanged",
      rule: "nothing",
      evidence: "inode-and-text",
      actions: [],
      blocks: [],
    });
  });
  test("facts, cell, actions and holds of a row", () => {
    const found = explain([`a.md=${LONG} b.md=2`, `mv a.md c.md; edit c.md ${LONG}|x`, "", ""], "c.md");
    expect(found).toMatchObject({
      kind: "document",
      evidence: "inode-and-similar-text",
      cell: "edited/unchanged",
      rule: "put",
    });
    expect(found.kind === "document" && found.actions.map(({ kind }) => kind)).toEqual([
      "rename-remote",
      "put",
      "relink",
    ]);
    expect(found.kind === "document" && found.drift.place).toBe("local");
  });
  test.each([
    [["a.md=1", "rm a.md", "", ""], "a.md", { kind: "document", cell: "deleted/unchanged", rule: "delete-remote" }],
    [["a.md=1", "unseen a.md EACCES", "", ""], "a.md", { blocks: [{ reason: "local-unreadable" }] }],
    [["", "", "new a.md 1", ""], "a.md", { cell: "never/created", actions: [{ kind: "create-local" }] }],
    [["", "new a.md 1", "", ""], "a.md", { cell: "created/never", id: null, actions: [{ kind: "create-remote" }] }],
    [["d/", "rmdir d", "", ""], "d", { kind: "folder", actions: [{ kind: "remove-folder-remote" }] }],
    [["", "mkdir d", "", ""], "d", { kind: "folder", dirId: null, actions: [{ kind: "make-folder-remote" }] }],
    [["", "other x.md symlink", "", ""], "x.md", { kind: "unknown", other: { kind: "symlink" } }],
    [["", "", "", ""], "x.md", { kind: "unknown", other: null }],
  ] as [Row, string, object][])("%j: %s", (row, path, facts) => expect(explain(row, path)).toMatchObject(facts));
});
