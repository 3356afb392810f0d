import { expect, it } from "vitest";
import { syncToConvergence } from "../../src/mirror/engine/run/sync.ts";
import { SETTINGS } from "../simulator/mirror.ts";
import { createRig } from "../simulator/rig.ts";

it("I09 a folder that is moved while a clone fills it is filled where it is, and stays the folder that it is on the service", async () => {
  const rig = createRig(31);
  const ids = ["a", "b"].map((name) => rig.app.create(`deep/${name}.md`, `document ${name}\n`));
  const mirror = rig.mirror();
  const world = mirror.world();
  let moved = false;
  mirror.disk.beforeCall = () => {
    if (moved || mirror.state.dirAt("deep") === null) return;
    moved = true;
    mirror.disk.user.rename(mirror.path("deep"), mirror.path("mine"));
  };
  await syncToConvergence(world, { settings: SETTINGS, retryRefused: true, kind: "sync" });
  mirror.disk.beforeCall = null;
  await mirror.sync();
  expect(moved).toBe(true);
  expect([...mirror.texts().keys()]).toEqual(["mine/a.md", "mine/b.md"]);
  expect([...rig.app.files().values()].map(({ id, path }) => [id, path])).toEqual([
    [ids[0], "mine/a.md"],
    [ids[1], "mine/b.md"],
  ]);
  expect(rig.app.folders()).toEqual(["mine"]);
  expect(mirror.requests.filter((request) => request.startsWith("POST"))).toEqual([]);
});
