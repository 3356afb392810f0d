import { describe, expect, test } from "vitest";
import { META } from "../../src/mirror/engine/run/meta.ts";
import type { Settings } from "../../src/mirror/engine/run/world.ts";
import { createRig } from "../simulator/rig.ts";
import { killAtEachCall } from "../simulator/moment.ts";
import { approveAndSettle, type Fixture, openFixture, openSynced, settle, stopReasons } from "./fixture.ts";

const paths = Array.from({ length: 6 }, (_, n) => `d/n${n}.md`);

const inSync = () => openSynced(Object.fromEntries(paths.map((path) => [path, `${path}\n`])));

/** Syncs the part `work` of a workspace. One of its six documents was then moved out of it. */
async function oneOutside(seed: number): Promise<Fixture> {
  const fixture = openFixture(seed, {}, { prefix: "work" });
  const { rig, mirror } = fixture;
  for (const path of paths) rig.app.create(`work/${path}`, `${path}\n`);
  await settle(mirror);
  rig.app.move("work/d/n0.md", null);
  await settle(mirror);
  expect(mirror.texts().size).toBe(5);
  return fixture;
}

describe("I21 I22 a stop because of an emptied side stays until the user approves, even if documents appear on either side meanwhile", () => {
  test("all documents removed locally, and new ones on the service", async () => {
    const fixture = await inSync();
    const { rig, mirror } = fixture;
    for (const path of paths) mirror.remove(path);
    rig.app.edit("d/n0.md", "edited there\n");
    rig.app.create("e/new.md", "new\n");
    for (let run = 0; run < 3; run++) expect(await mirror.sync()).toMatchObject({ state: "stopped" });
    expect(mirror.texts().size).toBe(0);
    expect(rig.app.files().size).toBe(7);
    await approveAndSettle(fixture.mirror, (await fixture.mirror.sync())!);
    expect(rig.app.files().size).toBe(2);
    expect(await mirror.sync()).toMatchObject({ state: "in-sync" });
  });

  test("all documents removed on the service, and new ones locally", async () => {
    const fixture = await inSync();
    const { rig, mirror } = fixture;
    rig.app.create("k.md", "k\n");
    await settle(mirror);
    for (const path of [...paths, "k.md"]) rig.app.remove(path);
    for (const path of ["new.md", "new-2.md"]) mirror.write(path, `${path}\n`);
    expect(await mirror.sync()).toMatchObject({ state: "stopped" });
    // The user approved that the workspace is the right one, but not that the local files are
    // deleted.
    mirror.state.setMeta(META.approved, JSON.stringify(["wrong-workspace"]));
    for (let run = 0; run < 3; run++) expect(await mirror.sync()).toMatchObject({ state: "stopped" });
    expect(rig.app.files().size).toBe(0);
    expect(mirror.texts().size).toBe(9);
    await approveAndSettle(fixture.mirror, (await fixture.mirror.sync())!);
    expect(mirror.texts().size).toBe(2);
    expect(await mirror.sync()).toMatchObject({ state: "in-sync" });
  });

  test("half removed locally and the other half on the service: nothing goes, on either side, and the message names each half", async () => {
    const { rig, mirror } = await inSync();
    for (const path of paths.slice(0, 3)) mirror.remove(path);
    for (const path of paths.slice(3)) rig.app.remove(path);
    const report = (await mirror.sync())!;
    expect(report.state).toBe("stopped");
    expect(report.safetyStop?.reasons.map(({ detail }) => detail)).toEqual([
      "3 linked documents are gone from the folder, and the other 3 are gone from the service: this sync would leave the folder without documents",
      "3 linked documents are gone from the service, and the other 3 are gone from the folder: this sync would leave the service without documents",
    ]);
    expect([...mirror.texts().keys()]).toEqual(paths.slice(3));
    expect([...rig.app.files().keys()]).toEqual(paths.slice(0, 3));
    await approveAndSettle(mirror, report);
    expect([mirror.texts().size, rig.app.files().size]).toEqual([0, 0]);
  });
});

test("I21 a file that a killed process had set aside, and that returns, does not show that the other deletions were intended", async () => {
  let times = 0;
  const start = await inSync();
  start.rig.app.edit(paths[0]!, "edited there\n");
  await killAtEachCall(start, {
    async judge({ mirror }) {
      // The old file is set aside and the new one is not at the path yet.
      if (mirror.texts().has(paths[0]!)) return;
      times++;
      for (const path of paths.slice(1)) mirror.remove(path);
      expect(stopReasons(await mirror.sync())).toEqual(["local-emptied"]);
      expect(mirror.writes("DELETE")).toEqual([]);
    },
  });
  expect(times).toBeGreaterThan(0);
});

describe("I22 an approved emptied service that leaves the local documents unchanged stops no later run", () => {
  test.each(["a mirror that only pushes", "all of them edited locally"])("%s", async (how) => {
    const { rig, mirror } = await inSync();
    const settings: Partial<Settings> = how.includes("pushes") ? { direction: "push" } : {};
    for (const path of paths) {
      rig.app.remove(path);
      if (settings.direction === undefined) mirror.write(path, `edited\n${path}\n`);
    }
    // A folder that is still known would prove that it is the same workspace.
    rig.app.removeFolder("d");
    expect(stopReasons(await mirror.sync(settings))).toEqual(["wrong-workspace"]);
    mirror.state.setMeta(META.approved, JSON.stringify(["wrong-workspace"]));
    const texts = [...mirror.texts()];
    for (let run = 0; run < 3; run++) {
      const { state, counts } = (await mirror.sync(settings))!;
      // A document that only the direction leaves unsynced is not a problem to fix.
      const isOneWay = settings.direction !== undefined;
      expect({ state, blocked: counts.blocked }).toEqual({
        state: isOneWay ? "in-sync" : "attention",
        blocked: paths.length,
      });
    }
    expect([...mirror.texts()]).toEqual(texts);
    expect(rig.app.files().size).toBe(0);
    expect(mirror.state.meta(META.approved)).toBeNull();
    // A known document is visible again, which ends the approval. The next time the sync stops
    // again.
    mirror.write("new.md", "new\n");
    expect(stopReasons(await mirror.sync(settings))).toEqual([]);
    expect(rig.app.files().size).toBe(1);
    expect(stopReasons(await mirror.sync(settings))).toEqual([]);
    rig.app.remove("new.md");
    expect(stopReasons(await mirror.sync(settings))).toEqual(["wrong-workspace"]);
    expect([...mirror.texts()]).toEqual([...texts, ["new.md", "new\n"]]);
  });
});

describe("I04 a linked part of the workspace that became empty knows by what left it whether this is its workspace", () => {
  test("that still exists: the others are gone, and are removed locally after an approval", async () => {
    const fixture = await oneOutside(27);
    for (const path of paths.slice(1)) fixture.rig.app.remove(`work/${path}`);
    expect(stopReasons(await fixture.mirror.sync())).toEqual(["remote-emptied"]);
    expect(fixture.mirror.texts().size).toBe(5);
    await approveAndSettle(fixture.mirror, (await fixture.mirror.sync())!);
    expect(fixture.mirror.texts().size).toBe(0);
    for (let run = 0; run < 3; run++) expect(stopReasons(await fixture.mirror.sync())).toEqual([]);
  });

  test("that is gone too: nothing is proven, and the user is asked", async () => {
    const { rig, mirror } = await oneOutside(28);
    for (const path of [...paths.slice(1).map((one) => `work/${one}`), "n0.md"]) rig.app.remove(path);
    rig.app.removeFolder("work/d");
    expect(stopReasons(await mirror.sync())).toEqual(["wrong-workspace"]);
    expect(mirror.texts().size).toBe(5);
  });

  test("an existing folder proves it too, and the user is asked whether all may be removed", async () => {
    const fixture = await oneOutside(29);
    for (const path of [...paths.slice(1).map((one) => `work/${one}`), "n0.md"]) fixture.rig.app.remove(path);
    expect(stopReasons(await fixture.mirror.sync())).toEqual(["remote-emptied"]);
    expect(fixture.mirror.texts().size).toBe(5);
    await approveAndSettle(fixture.mirror, (await fixture.mirror.sync())!);
    expect(fixture.mirror.texts().size).toBe(0);
  });
});

describe("I21 safety checks apply from the first document on", () => {
  test.each([1, 2, 4])(
    "I19 a key of another workspace removes none of %i documents, and sends nothing there",
    async (count) => {
      const rig = createRig(50 + count);
      for (let n = 0; n < count; n++) rig.app.create(`n${n}.md`, `${n}\n`);
      const mirror = rig.mirror();
      await settle(mirror);
      const other = createRig(60 + count);
      other.app.create("theirs.md", "of somebody else\n");
      mirror.alterWorld = (world) => ({ ...world, remote: other.mirror().world().remote });
      mirror.write("new.md", "new\n");
      expect(stopReasons(await mirror.sync())).toEqual(["wrong-workspace"]);
      expect(mirror.texts().size).toBe(count + 1);
      expect(other.app.files().size).toBe(1);
    },
  );
});
