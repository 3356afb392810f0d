import { expect, it } from "vitest";
import { createRig } from "../model/rig.ts";

it("I08 I16 holds a rename onto what the key cannot read, and does not send it again", async () => {
  const rig = createRig(11);
  const id = rig.app.create("plan.md", "a plan\n");
  const hidden = rig.app.create("secret.md", "for others\n");
  const { workspaceId } = rig.service.admin.keys()[0]!;
  const grants = [
    { on: null, level: "full" },
    { on: hidden, level: "none" },
  ] as const;
  const made = rig.service.admin.createKey({ workspaceId, grants });
  if (!("key" in made)) throw new Error(made.detail);
  const mirror = rig.mirror({ key: made.key });
  await mirror.sync();
  mirror.disk.user.rename(mirror.path("plan.md"), mirror.path("secret.md"));
  mirror.requests.length = 0;
  const report = await mirror.sync();
  expect(mirror.requests.filter((request) => request.startsWith("PATCH"))).toHaveLength(1);
  expect(mirror.state.load().holds.get(id)?.reason).toBe("occupied-unseen");
  expect(report?.state).toBe("attention");
  expect(mirror.texts()).toEqual(new Map([["secret.md", "a plan\n"]]));
});
