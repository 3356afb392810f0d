import { expect, test } from "vitest";
import { findEmptied } from "../../../src/mirror/engine/daemon/hide-unsettled.ts";
import { World } from "../../planner/world.ts";
import { treesOf } from "../../planner/world-trees.ts";

/** Which documents a daemon takes for ones that an editor is writing, since they are empty now. */
function emptied(change: (world: World) => void): readonly string[] {
  const world = new World();
  world.synced("a.md", "text");
  world.synced("empty.md", "");
  change(world);
  const { base, local } = treesOf(world);
  return [...findEmptied(local, base).keys()];
}

function exchange(world: World): void {
  const [a, empty] = [world.files.get("a.md")!, world.files.get("empty.md")!];
  world.files.set("a.md", empty);
  world.files.set("empty.md", a);
}

test.each<[string, readonly string[], (world: World) => void]>([
  ["a document that was empty before", [], () => undefined],
  ["one whose text went, in its own file", ["a.md"], (world) => Object.assign(world.files.get("a.md")!, { text: "" })],
  ["one that an editor makes anew", ["a.md"], (world) => world.write("a.md", "")],
  ["the place to which an empty document was moved", [], exchange],
  [
    "that, where inodes prove nothing",
    ["a.md"],
    (world) => {
      exchange(world);
      world.inodesTrusted = false;
    },
  ],
  [
    "a file that got an empty document's inode number, later",
    ["a.md"],
    (world) => {
      exchange(world);
      Object.assign(world.files.get("a.md")!, { birthMs: 9_999 });
    },
  ],
])("%s: %j", (_what, content, change) => {
  expect(emptied(change)).toEqual(content);
});
