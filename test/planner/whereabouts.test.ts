import { expect, test } from "vitest";
import type { DocId } from "../../src/contract/ids.ts";
import { findLocalPlaces } from "../../src/mirror/planner/local-places.ts";
import { POLICY } from "./defaults.ts";
import { worldAfter } from "./table.ts";
import type { World } from "./world.ts";
import { treesOf } from "./world-trees.ts";

const LONG = "one|two|three|four|five";
const OTHER = "a|b|c|d|e";

/**
 * Base, local and remote commands; where each document is by its old path; files of no document.
 */
const ROWS: readonly (readonly [string, string, string, object, readonly string[]])[] = [
  ["a.md=1 b.md=2", "mv a.md t.md; mv b.md a.md; mv t.md b.md", "", { "a.md": "b.md", "b.md": "a.md" }, []],
  ["d/a.md=1", "mv d e", "", { "d/a.md": "e/a.md" }, []],
  // Only its content shows where it is.
  [`a.md=${LONG}`, `rm a.md; new b.md ${LONG}|six`, "", { "a.md": "b.md" }, []],
  [`a.md=${LONG}`, `rm a.md; new b.md ${OTHER}`, "", { "a.md": "not here" }, ["b.md"]],
  ["a.md=1", "", "mv a.md b.md", { "a.md": "a.md" }, []],
];

function whereIs(world: World, id: DocId): string {
  const { found, open } = findLocalPlaces(treesOf(world), POLICY, world.lookup());
  return open.has(id) ? "not here" : (found.get(id) ?? world.links.get(id)!.localPath);
}

test.each(ROWS)("%s | %s | %s: each document is where the plan has it", (base, local, remote, where, unlinked) => {
  const before = worldAfter([base, "", "", ""]);
  const world = worldAfter([base, local, remote, ""]);
  for (const [path, is] of Object.entries(where)) expect(whereIs(world, before.idAt(path))).toBe(is);
  expect([...findLocalPlaces(treesOf(world), POLICY, world.lookup()).unlinked]).toEqual(unlinked);
});

test("what only the service has is expected at its own path, in the folder's local place", () => {
  const world = worldAfter(["d/a.md=1", "mv d e", "new d/b.md 2", ""]);
  const { coming } = findLocalPlaces(treesOf(world), POLICY, world.lookup());
  expect([...coming.values()]).toEqual(["e/b.md"]);
});

test("a document that could not be read is open: nothing says where it is", () => {
  const world = worldAfter(["a.md=1 b.md=2", "rm a.md", "", ""]);
  const id = world.idAt("a.md");
  world.unseen.set("a.md", "unreadable");
  const { open, found } = findLocalPlaces(treesOf(world), POLICY, world.lookup());
  expect([open.has(id), found.has(id)]).toEqual([true, false]);
});
