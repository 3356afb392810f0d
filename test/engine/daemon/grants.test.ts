import { expect, test } from "vitest";
import { createRig } from "../../simulator/rig.ts";
import { startDaemon, type DaemonRig } from "./rig.ts";

/** Starts a daemon with a key of its own, in sync, with a document that is alone in its folder. */
async function alone() {
  const service = createRig(17);
  service.app.create("f/note.md", "was\n");
  service.app.create("g/other.md", "other\n");
  const own = service.makeKey({ on: null, level: "full" });
  const mirror = service.mirror({ key: own.key });
  const rig = await startDaemon({ rig: service, mirror });
  await rig.until(() => mirror.texts().size === 2);
  await rig.pass(60_000);
  return { rig, mirror, own };
}

test("I06 an edit beats a deletion of a document that is alone in its folder", async () => {
  const { rig, mirror } = await alone();
  rig.app.remove("f/note.md");
  rig.save("f/note.md", "edited locally\n");
  await rig.until(() => rig.app.files().get("f/note.md")?.text === "edited locally\n", 300_000);
  expect(mirror.texts().get("f/note.md")).toBe("edited locally\n");
  expect(mirror.state.blocks()).toEqual([]);
});

test("I19 a folder that is hidden since the last list of folders is not readable: its edited document is not sent as new", async () => {
  const { rig, mirror, own } = await alone();
  const other = [...mirror.state.load().dirs.values()].find(({ remotePath }) => remotePath === "g")!;
  rig.service.admin.setGrants(own.id, [{ on: other.id, level: "full" }]);
  rig.save("f/note.md", "edited locally\n");
  await rig.until(() => mirror.state.blocks().some(({ reason }) => reason === "gone-or-unreadable"), 300_000);
  rig.service.admin.setGrants(own.id, [{ on: null, level: "full" }]);
  await rig.until(() => rig.app.files().get("f/note.md")?.text === "edited locally\n", 300_000);
  expect([rig.app.files().size, mirror.state.blocks()]).toEqual([2, []]);
});

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
