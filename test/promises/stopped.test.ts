import { describe, expect, test } from "vitest";
import { guardKey } from "../../src/mirror/planner/verdict/guard-key.ts";
import { META } from "../../src/mirror/engine/run/meta.ts";
import { type Fixture, isWrite, remoteTexts, settle, openSynced } from "./fixture.ts";

const notes = Array.from({ length: 14 }, (_, n) => `d/n${n}.md`);

/** Both sides go on to change these. */
const kept = ["kept/a.md", "kept/b.md", "kept/c.md", "kept/d.md"];

const inSync = () =>
  openSynced(Object.fromEntries([...notes, ...kept].map((path) => [path, `${path}\n\na text of its own\n`])));

/** Everything that a sync would carry over if nothing stopped it. */
function changeBothSides({ rig, mirror }: Fixture): void {
  mirror.write("kept/a.md", "edited locally\n");
  mirror.write("new/local.md", "new locally\n");
  mirror.disk.user.rename(mirror.path("kept/b.md"), mirror.path("kept/renamed.md"));
  mirror.disk.user.makeFolder(mirror.path("empty"));
  rig.app.edit("kept/c.md", "edited on the service\n");
  rig.app.create("new/remote.md", "new on the service\n");
  rig.app.rename("kept/d.md", "moved.md");
}

const STOPS: readonly (readonly [reason: string, remove: (fixture: Fixture, path: string) => void])[] = [
  ["delete-budget-remote", ({ mirror }, path) => mirror.disk.user.remove(mirror.path(path))],
  ["delete-budget-local", ({ rig }, path) => rig.app.remove(path)],
];

describe("I21 nothing changes on either side between a stop and its answer", () => {
  test.each(STOPS)("%s", async (reason, remove) => {
    const fixture = await inSync();
    const { rig, mirror, seen } = fixture;
    for (const path of notes.slice(1)) remove(fixture, path);
    changeBothSides(fixture);
    const [local, remote] = [mirror.disk.user.texts(mirror.path("."), true), remoteTexts(rig)];
    let report = (await mirror.sync())!;
    for (let run = 0; run < 2; run++) report = (await mirror.sync())!;
    expect([report.state, report.safetyStop?.reasons.map((one) => one.reason)]).toEqual(["stopped", [reason]]);
    expect(seen.filter(isWrite)).toEqual([]);
    expect(remoteTexts(rig)).toEqual(remote);
    expect(mirror.disk.user.texts(mirror.path("."), true)).toEqual(local);

    mirror.state.setMeta(META.approved, JSON.stringify(report.stopped.map(guardKey)));
    await settle(mirror);
    expect(mirror.texts()).toEqual(remoteTexts(rig));
    expect([...mirror.texts().keys()].toSorted()).toEqual([
      "d/n0.md",
      "kept/a.md",
      "kept/c.md",
      "kept/moved.md",
      "kept/renamed.md",
      "new/local.md",
      "new/remote.md",
    ]);
  });
});
