import { describe, expect, it } from "vitest";
import type { ChangeId } from "../../src/contract/ids.ts";
import type { ShownVersion } from "../../src/mirror/model/record.ts";
import { gatherSignals } from "../../src/mirror/engine/run/guard-facts.ts";
import { observeRemote } from "../../src/mirror/engine/observe/observe.ts";
import { CycleContext } from "../../src/mirror/engine/run/cycle-context.ts";
import { SETTINGS } from "../simulator/mirror.ts";
import { settle, openSynced } from "../promises/fixture.ts";

/**
 * Returns how many earlier versions the facts for the safety checks name. Base is a document's
 * second version; the service was restored from a backup and shows the first.
 */
async function countEarlier(shown: (first: ChangeId, second: ChangeId) => readonly ChangeId[]): Promise<number> {
  const { rig, mirror } = await openSynced({ "plan.md": "first\n" });
  const id = rig.app.id("plan.md")!;
  const first = mirror.state.record(id)!.changeId;
  rig.app.edit("plan.md", "second\n");
  await mirror.sync();
  const { digest, changeId: second } = mirror.state.record(id)!;
  const versions = shown(first, second).map((changeId): ShownVersion => ({ changeId, digest, ino: 0, dev: 0 }));
  if (versions.length > 0)
    mirror.state.putConflict({
      id,
      baseDigest: digest,
      baseChangeId: second,
      newestCopyPath: "plan (theirs).md",
      shown: versions,
      looksGone: 0,
      since: 0,
    });
  const world = mirror.world();
  const base = world.state.load();
  const look = await observeRemote(world, base, false);
  if (look.kind !== "seen") throw new Error(look.kind);
  const files = new Map([...look.tree.files].map(([key, file]) => [key, { ...file, changeId: first }]));
  const input = {
    run: { number: 1 },
    settings: SETTINGS,
    retryRefused: false,
    unchangedContents: null,
    dry: true,
  };
  return gatherSignals(new CycleContext(world, input), base, { ...look.tree, files }, "same").earlierVersions.size;
}

describe("a document that shows a version which was superseded", () => {
  it("speaks for a service that was put back", async () => {
    expect(await countEarlier(() => [])).toBe(1);
  });

  it("I17 says so once: as the other version of an open conflict it stops nothing more", async () => {
    expect(await countEarlier((first) => [first])).toBe(0);
  });

  it("speaks for it all the same where its conflict has gone on to a later version", async () => {
    expect(await countEarlier((first, second) => [first, second])).toBe(1);
  });
});

describe("where change ids move with a rename", () => {
  it.each(["here", "by another mirror"])(
    "I03 after an edit, the id of a rename %s is an earlier one",
    async (where) => {
      const { rig, mirror } = await openSynced({ "plan.md": "first\n" }, {}, { changeIdMovesOnRename: true });
      const id = rig.app.id("plan.md")!;
      const created = mirror.state.record(id)!.changeId;
      const by = where === "here" ? mirror : rig.mirror();
      await settle(by);
      by.rename("plan.md", "other.md");
      await settle(by);
      await settle(mirror);
      const renamed = mirror.state.record(id)!.changeId;
      expect(renamed).not.toBe(created);
      rig.app.edit("other.md", "second\n");
      await settle(mirror);
      const edited = mirror.state.record(id)!.changeId;
      expect(mirror.state.isEarlier(id, renamed, edited)).toBe(true);
      expect(mirror.state.isEarlier(id, edited, edited)).toBe(false);
    },
  );
});
