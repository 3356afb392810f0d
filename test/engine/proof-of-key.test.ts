import { expect, test } from "vitest";
import { observeRemote } from "../../src/mirror/engine/observe/observe.ts";
import { createRig } from "../simulator/rig.ts";

test("I20 the document that is read to prove the key is in the look once, beside one that is gone", async () => {
  const rig = createRig(50);
  const ids = ["a.md", "b.md", "c.md", "d.md"].map((path) => rig.app.create(path, path));
  const mirror = rig.mirror();
  await mirror.sync();
  rig.app.edit("a.md", "edited");
  rig.app.remove("d.md");
  const world = mirror.world();
  const { kind, ...look } = await observeRemote(world, world.state.load(), false);
  const { files, gone } = ("tree" in look && look.tree) || { files: new Map(), gone: new Set() };
  expect([kind, files.size, [...files.keys()].sort(), [...gone]]).toEqual([
    "seen",
    3,
    ids.slice(0, 3).sort(),
    ids.slice(3),
  ]);
});

test("I01 a document that is gone on the service is not taken for one that rests, beside one that changed", async () => {
  const rig = createRig(51);
  for (const path of ["a.md", "b.md", "c.md", "d.md"]) rig.app.create(path, path);
  const mirror = rig.mirror();
  // In the second one each file is read again, and its stamp is trusted from then on.
  await mirror.sync();
  mirror.disk.advance(5_000);
  await mirror.sync();
  rig.app.edit("a.md", "edited");
  rig.app.remove("d.md");
  const report = await mirror.sync();
  expect([report!.state, report!.counts.deletedLocal, [...mirror.texts().keys()].sort()]).toEqual([
    "in-sync",
    1,
    ["a.md", "b.md", "c.md"],
  ]);
});
