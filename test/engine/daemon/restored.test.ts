import { expect, test } from "vitest";
import { META } from "../../../src/mirror/engine/run/meta.ts";
import type { LocalPath } from "../../../src/contract/path.ts";
import { findEmptied } from "../../../src/mirror/engine/daemon/unsettled.ts";
import { createRig } from "../../simulator/rig.ts";
import { DaemonRig, startDaemon, statesOf, waitForSync } from "./rig.ts";
import { World, treesOf } from "../../planner/world.ts";
import { withCalls } from "../../simulator/mirror.ts";

/** Starts an idle daemon in sync with documents of a service whose generation the test sets. */
async function resting(documents = 3) {
  const rig = createRig(1);
  for (let n = 0; n < documents; n++) rig.app.create(`note-${n}.md`, `text ${n}\n`);
  const mirror = rig.mirror();
  const service = { generation: "first" };
  const generation = () => service.generation;
  mirror.alterWorld = ({ remote, ...world }) => ({ ...world, remote: withCalls(remote, { generation }) });
  const daemon = await startDaemon({ rig, mirror });
  const known = () => mirror.state.meta(META.generation);
  await daemon.until(() => known() === "first");
  return { rig, mirror, daemon, service, known };
}

test("a list that shows nothing new settles another generation, and deletions need no approval", async () => {
  const { rig, mirror, daemon, service, known } = await resting();
  service.generation = "second";
  await daemon.until(() => known() === "second");
  rig.app.remove("note-1.md");
  await daemon.until(() => !mirror.texts().has("note-1.md"));
  expect(daemon.daemon.status().phase.kind).not.toBe("stopped");
});

test("I02 I04 documents that a restored service may lack stay local, and are not live, by name and with all", async () => {
  const { rig, mirror, daemon, service, known } = await resting();
  rig.app.remove("note-1.md");
  service.generation = "second";
  await daemon.until(() => daemon.daemon.status().phase.kind === "stopped");
  for (const scope of ["note-1.md", ""]) {
    const [, end] = await waitForSync(daemon, [scope]);
    expect([scope, statesOf(end)["note-1.md"]]).toEqual([scope, "waiting"]);
  }
  await daemon.pass(120_000);
  expect([[...mirror.texts().keys()].includes("note-1.md"), known()]).toEqual([true, "first"]);
});

test("I02 documents that a restored service lacks are not live while another check stops their approved changes", async () => {
  const { rig, mirror, daemon } = await resting(14);
  mirror.state.setMeta(META.approved, JSON.stringify(["service-restored"]));
  for (let n = 0; n < 12; n++) rig.app.remove(`note-${n}.md`);
  await daemon.until(() => daemon.daemon.status().phase.kind === "stopped");
  expect(mirror.state.meta(META.safetyStop)).not.toContain("service-restored");
  const [, end] = await waitForSync(daemon, ["note-1.md"]);
  expect(statesOf(end)).toEqual({ "note-1.md": "waiting" });
});

test("I02 a daemon that has just begun answers once it has looked at the service", async () => {
  const { rig, mirror, daemon, service } = await resting();
  await daemon.stop();
  rig.app.remove("note-1.md");
  service.generation = "second";
  const next = new DaemonRig({ rig, mirror });
  const early = await next.daemon.whenSynced(["note-0.md" as LocalPath], AbortSignal.abort());
  expect(statesOf(early)).toEqual({ "note-0.md": "waiting" });
  const [, end] = await waitForSync(next, [""]);
  expect(statesOf(end)["note-1.md"]).toBe("waiting");
});

/**
 * Returns the documents that a daemon supposes an editor is writing, because they are empty now.
 */
function emptied(change: (world: World) => void): readonly string[] {
  const world = new World();
  world.synced("a.md", "text");
  world.synced("empty.md", "");
  change(world);
  const { base, local } = treesOf(world);
  return [...findEmptied(local, base).keys()];
}

function exchange(world: World): void {
  const [a, empty] = [world.files.get("a.md")!, world.files.get("empty.md")!];
  world.files.set("a.md", empty);
  world.files.set("empty.md", a);
}

test.each<[string, readonly string[], (world: World) => void]>([
  ["a document that was empty before", [], () => undefined],
  ["one whose text went, in its own file", ["a.md"], (world) => Object.assign(world.files.get("a.md")!, { text: "" })],
  ["one that an editor creates again", ["a.md"], (world) => world.write("a.md", "")],
  ["the place to which an empty document was moved", [], exchange],
  [
    "that, where inodes prove nothing",
    ["a.md"],
    (world) => {
      exchange(world);
      world.inodesTrusted = false;
    },
  ],
  [
    "a file that got an empty document's inode number, later",
    ["a.md"],
    (world) => {
      exchange(world);
      Object.assign(world.files.get("a.md")!, { birthMs: 9_999 });
    },
  ],
])("%s: %j", (_what, content, change) => {
  expect(emptied(change)).toEqual(content);
});
