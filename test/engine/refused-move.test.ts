import { expect, it } from "vitest";
import { openFixture, settle } from "../promises/fixture.ts";
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
  expect(mirror.state.load().blocks.get(id)?.reason).toBe("read-only");
  expect([...mirror.texts().keys()].sort()).toEqual(["work/deeper/plan.md", "work/deeper/todo.md"]);
});

it("I08 a refused move of a folder is not sent again in the same run, though its new parent moved locally", async () => {
  const fixture = openFixture(13);
  const { rig, mirror } = fixture;
  const { user } = mirror.disk;
  rig.app.create("box/todo.md", "to do\n");
  rig.app.create("work/deep/plan.md", "a plan\n");
  await settle(mirror);
  const box = [...mirror.state.load().dirs.values()].find(({ localPath }) => localPath === "box")!.id;
  user.rename(mirror.path("box"), mirror.path("work/deep/box"));
  mirror.write("work/deep/plan.md", "a better plan\n");
  const moves: string[] = [];
  fixture.fault = ({ method, path, body }) => {
    if (method !== "PATCH" || !path.endsWith(`/${box}`)) return null;
    moves.push(JSON.stringify(body));
    if (moves.length === 1) user.rename(mirror.path("work/deep"), mirror.path("deep"));
    return { status: 400, headers: {}, body: JSON.stringify({ status: 400, code: "invalid_request", detail: "no" }) };
  };
  await mirror.sync();
  expect(moves).toHaveLength(1);
  expect(mirror.state.load().blocks.get(box)?.reason).toBe("refused");
  fixture.fault = () => null;
  await settle(mirror);
  expect([...rig.app.files().keys()].sort()).toEqual(["deep/box/todo.md", "deep/plan.md"]);
});
