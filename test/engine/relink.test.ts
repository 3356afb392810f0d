import { expect, it } from "vitest";
import { createRig } from "../model/rig.ts";

it("I09 a document that was moved here and edited there in one pass is known by the file that was written", async () => {
  const rig = createRig(13);
  const id = rig.app.create("home/plan.md", "a plan\n");
  rig.app.makeFolder("box");
  const mirror = rig.mirror();
  await mirror.sync();
  mirror.disk.user.rename(mirror.path("home/plan.md"), mirror.path("box/plan.md"));
  rig.app.edit("home/plan.md", "another plan\n");
  await mirror.sync();
  expect(mirror.texts()).toEqual(new Map([["box/plan.md", "another plan\n"]]));
  const here = mirror.world().disk.look("box/plan.md");
  const link = mirror.state.load().links.get(id);
  expect(here).toMatchObject({ kind: "file", stamp: { ino: link?.stamp?.ino, birthMs: link?.stamp?.birthMs } });
});
