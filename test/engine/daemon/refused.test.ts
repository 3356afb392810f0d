import { expect, test } from "vitest";
import { createRig } from "../../simulator/rig.ts";
import { type DaemonRig, startDaemon } from "./rig.ts";

/** A daemon under a key that may only read. */
async function reading(...documents: readonly string[]): Promise<DaemonRig> {
  const rig = createRig(1);
  for (const path of ["other.md", ...documents]) rig.app.create(path, `${path}\n`);
  return startDaemon({ rig, mirror: rig.mirror({ key: rig.makeKey().key }) });
}

async function rename(rig: DaemonRig, from: string, to: string): Promise<void> {
  rig.rename(from, to);
  await rig.pass(30_000);
}

test("a new file that was refused, went elsewhere and came back is not sent again until it is asked for (I08)", async () => {
  const rig = await reading();
  rig.save("new.md", "new\n");
  await rig.pass(30_000);
  expect(rig.sent("POST")).toHaveLength(1);
  await rename(rig, "new.md", "elsewhere.md");
  expect(rig.sent("POST")).toHaveLength(1);
  await rename(rig, "elsewhere.md", "new.md");
  expect(rig.sent("POST")).toEqual([]);
  expect(rig.mirrored.state.blocks()).toEqual([expect.objectContaining({ path: "new.md", reason: "read-only" })]);
  await rig.daemon.request("sync");
  expect(rig.sent("POST")).toHaveLength(1);
});

test("a refused move into a folder is not sent again for another name there (I08)", async () => {
  // Each name is taken in the old folder, so that the folder is changed first.
  const rig = await reading("box/todo.md", "box/x.md", "box/y.md", "home/plan.md");
  await rename(rig, "box/todo.md", "home/x.md");
  expect(rig.sent("PATCH")).toHaveLength(1);
  await rename(rig, "home/x.md", "home/y.md");
  expect(rig.sent("PATCH")).toEqual([]);
  expect(rig.mirrored.state.blocks()).toEqual([expect.objectContaining({ path: "home/y.md", reason: "read-only" })]);
  await rig.daemon.request("sync");
  expect(rig.sent("PATCH")).toHaveLength(1);
});
