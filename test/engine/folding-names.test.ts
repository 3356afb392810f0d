import { expect, it } from "vitest";
import { createRig } from "../model/rig.ts";

it("I01 deletes on the service what was deleted here, where another document takes its name in other letters", async () => {
  const rig = createRig(12);
  rig.app.create("Plan.md", "deleted here\n");
  rig.app.create("x.md", "renamed there\n");
  const mirror = rig.mirror({ disk: { foldsCase: true } });
  await mirror.sync();
  mirror.disk.user.remove(mirror.path("Plan.md"));
  rig.app.rename("x.md", "plan.md");
  await mirror.sync();
  expect(mirror.texts()).toEqual(new Map([["plan.md", "renamed there\n"]]));
  expect([...rig.app.files().keys()]).toEqual(["plan.md"]);
  expect([...mirror.state.load().links.values()].map(({ localPath }) => localPath)).toEqual(["plan.md"]);
});
