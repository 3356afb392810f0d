import { expect, test } from "vitest";
import type { ChangeId } from "../../src/contract/ids.ts";
import { createLocal } from "../../src/mirror/engine/apply/create-local.ts";
import { PassContext } from "../../src/mirror/engine/run/pass-context.ts";
import { createRig } from "../simulator/rig.ts";
import { SETTINGS } from "../simulator/mirror.ts";

test("I12 a new file that is made outside of a plan has its base when its effect ends", async () => {
  const rig = createRig(11);
  const id = rig.app.create("a.md", "text\n");
  const world = rig.mirror({}).world();
  const ctx = new PassContext(world, { run: { number: 1 }, settings: SETTINGS });
  const others = Promise.withResolvers<void>();
  const running = ctx.group.during(() => others.promise);
  const outcome = await createLocal(ctx, {
    kind: "create-local",
    why: "by hand",
    id,
    localPath: "a.md",
    remotePath: "a.md",
    changeId: rig.app.files().get("a.md")!.changeId as ChangeId,
  });
  expect([outcome.kind, world.state.link(id)?.localPath]).toEqual(["done", "a.md"]);
  others.resolve();
  await running;
});
