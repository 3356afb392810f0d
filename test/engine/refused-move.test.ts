import { expect, it } from "vitest";
import { createRig } from "../simulator/rig.ts";

it("I08 a refused move is not sent again in the same run, though a folder above it moved locally meanwhile", async () => {
  const rig = createRig(12);
  const id = rig.app.create("box/todo.md", "to do\n");
  rig.app.create("work/deep/plan.md", "a plan\n");
  const mirror = rig.mirror({ key: rig.makeKey().key });
  await mirror.sync();
  mirror.disk.user.rename(mirror.path("box/todo.md"), mirror.path("work/deep/todo.md"));
  rig.app.moveFolder("box", "work/deep");
  rig.app.renameFolder("work/deep", "deeper");
  mirror.requests.length = 0;
  const report = await mirror.sync();
  expect(mirror.requests.filter((request) => request.startsWith("PATCH"))).toHaveLength(1);
  expect(report?.state).toBe("attention");
  expect(mirror.state.load().holds.get(id)?.reason).toBe("read-only");
  expect([...mirror.texts().keys()].sort()).toEqual(["work/deeper/plan.md", "work/deeper/todo.md"]);
});
