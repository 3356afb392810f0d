import { expect, test } from "vitest";
import { verifyMirror } from "../../../src/mirror/operations/doctor/verify.ts";
import { createRig } from "../../simulator/rig.ts";

test("other content of the service under the synced version is reported as a difference that no sync ends", async () => {
  const rig = createRig(1);
  const mirror = rig.mirror();
  const id = rig.app.create("a.md", "one\n");
  rig.app.create("b.md", "two\n");
  await mirror.sync();
  rig.app.edit("b.md", "newer\n");
  const world = mirror.world();
  const { getFile } = world.remote;
  world.remote.getFile = async (asked) => {
    const answer = await getFile.call(world.remote, asked);
    return answer.ok && asked === id ? { ...answer, value: { ...answer.value, content: "other\n" } } : answer;
  };
  const verified = await verifyMirror(world, "");
  if (verified.kind === "trouble") throw new Error(verified.trouble.what);
  expect(verified.value.differing).toEqual([
    { path: "a.md", id, why: expect.any(String) },
    { path: "b.md", id: expect.any(String), why: "the contents differ" },
  ]);
});
