import { expect, test } from "vitest";
import { remoteAfterCycle } from "../../../src/mirror/engine/daemon/known-trees.ts";
import type { PlannedCycle } from "../../../src/mirror/engine/run/cycle-context.ts";
import { planOnly, syncToConvergence } from "../../../src/mirror/engine/run/sync.ts";
import type { Outcome } from "../../../src/mirror/model/action.ts";
import type { RemoteTree } from "../../../src/mirror/model/tree.ts";
import { type Mirror, SETTINGS } from "../../simulator/mirror.ts";
import { createRig } from "../../simulator/rig.ts";

const OPTIONS = { settings: SETTINGS, retryRefused: false, kind: "watch" } as const;

async function look(mirror: Mirror): Promise<PlannedCycle> {
  const planned = await planOnly(mirror.world(), OPTIONS);
  if (planned.kind !== "planned") throw new Error("the service was offline");
  return planned;
}

/** The service's tree after a run, as it follows from the look before; null: it is asked again. */
function follow(mirror: Mirror, before: PlannedCycle, outcome: Outcome = { kind: "done" }): RemoteTree | null {
  const ends = before.plan.steps.map(() => ({ kind: "ran", outcome }) as const);
  return remoteAfterCycle(mirror.world().state, { ...before, ends }, before.trees.remote);
}

async function synced(): Promise<{ readonly rig: ReturnType<typeof createRig>; readonly mirror: Mirror }> {
  const rig = createRig(1);
  for (const name of ["edited-locally", "edited", "deleted", "moved"]) rig.app.create(`${name}.md`, `# ${name}\n`);
  const mirror = rig.mirror();
  await mirror.sync();
  return { rig, mirror };
}

test("what a cycle did on the service is known without another list", async () => {
  const { rig, mirror } = await synced();
  mirror.write("edited-locally.md", "# Edited\n");
  mirror.write("new.md", "# New locally\n");
  mirror.disk.user.remove(mirror.path("deleted.md"));
  rig.app.edit("edited.md", "# Edited on the service\n");
  rig.app.create("created.md", "# New on the service\n");
  const before = await look(mirror);
  await syncToConvergence(mirror.world(), OPTIONS);
  const { plan, trees } = await look(mirror);
  expect(plan.steps).toEqual([]);
  expect(new Set(follow(mirror, before)!.files.values())).toEqual(new Set(trees.remote.files.values()));
});

test("after a move, and after a step that did not end well, the service is asked again", async () => {
  const { mirror } = await synced();
  mirror.write("edited-locally.md", "# Edited\n");
  const edited = await look(mirror);
  expect(follow(mirror, edited, { kind: "stale", detail: "" })).toBeNull();
  await syncToConvergence(mirror.world(), OPTIONS);
  mirror.disk.user.rename(mirror.path("moved.md"), mirror.path("elsewhere.md"));
  const moved = await look(mirror);
  await syncToConvergence(mirror.world(), OPTIONS);
  expect(follow(mirror, moved)).toBeNull();
});
