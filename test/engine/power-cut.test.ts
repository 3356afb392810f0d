import { describe, expect, test } from "vitest";
import type { OpenedMirror } from "../../src/mirror/folder/open-mirror.ts";
import { resolve } from "../../src/mirror/operations/manual/resolve.ts";
import { carryOut } from "../../src/mirror/operations/run-operation.ts";
import { openSynced, settle, openConflicts } from "../promises/fixture.ts";
import { killAtEachCall } from "../simulator/moment.ts";
import type { Mirror } from "../simulator/mirror.ts";
import { createRig } from "../simulator/rig.ts";
import { cutPowerAtEachCall } from "./cut-power-at-each-call.ts";

const LAST = "and a last line\n";
const LINES = Array.from({ length: 12 }, (_, line) => `line ${line}\n\n`);

test("I19 a document that goes to the trash and comes back is no deletion of its user, wherever the power is cut", async () => {
  const rig = createRig(2);
  const id = rig.app.create("part/d/a.md", "a\n");
  rig.app.create("part/b.md", "b\n");
  rig.app.makeFolder("elsewhere");
  const begun = rig.mirror({ prefix: "part" });
  await begun.sync();
  await begun.sync();
  rig.app.move("part/d/a.md", "elsewhere");
  const calls = await killAtEachCall(
    { rig, mirror: begun },
    {
      open: (beginning) => beginning.open({}, { prefix: "part" }),
      async judge({ rig: later, mirror: cut }, at, lived) {
        if (lived) return;
        const mirror = later.mirror({ prefix: "part" }, cut.copyAfterPowerCut());
        later.app.move("elsewhere/a.md", "part/d");
        await mirror.syncTimes(3);
        expect({ at, remote: later.app.id("part/d/a.md") }).toEqual({ at, remote: id });
        expect({ at, local: mirror.texts().get("d/a.md") }).toEqual({ at, local: "a\n" });
        const deletions = mirror.writes("DELETE");
        expect({ at, deletions }).toEqual({ at, deletions: [] });
      },
    },
  );
  expect(calls).toBeGreaterThan(10);
});

const AFTER_CUT = {
  "and nobody saves": () => undefined,
  "and its user saves into the file that it left": (mirror, path, text) => mirror.write(path, text),
  "and its user replaces the file that it left": (mirror, path, text) =>
    mirror.disk.user.saveAtomically(mirror.path(path), text),
} satisfies Record<string, (mirror: Mirror, path: string, text: string) => void>;

describe.each([
  ["the service's edits are written", false],
  ["both sides' edits are merged", true],
])("I03 I06 I13 power is cut at any call while %s", (_, isMerged) => {
  test.each(Object.entries(AFTER_CUT))("%s: every edit stays", async (who, save) => {
    const rig = createRig(1);
    for (const name of ["a.md", "b.md"]) rig.app.create(name, LINES.join(""));
    const mirror = rig.mirror();
    await settle(mirror);
    for (const name of ["a.md", "b.md"]) {
      if (isMerged) mirror.write(name, LINES.with(1, "mine\n\n").join(""));
      rig.app.edit(name, LINES.with(7, "theirs\n\n").join(""));
    }
    const before = mirror.texts().get("a.md")!;
    const merged = (isMerged ? LINES.with(1, "mine\n\n") : LINES).with(7, "theirs\n\n").join("");
    const cuts = await cutPowerAtEachCall({ rig, mirror }, async (after, call) => {
      for (const path of ["a.md", "b.md"]) save(after.mirror, path, (after.mirror.texts().get(path) ?? before) + LAST);
      await settle(after.mirror);
      // The row of the second file flushes the record of the first file, but not its name in the
      // folder.
      const texts = [...after.mirror.texts().values(), ...after.rig.app.texts().values()];
      const end = who === "and nobody saves" ? merged : merged + LAST;
      expect([call, ...texts]).toEqual([call, end, end, end, end]);
    });
    expect(cuts).toBeGreaterThan(15);
  });
});

test("I06 I13 power is cut at any call while conflicts end with the service's version: it stays there", async () => {
  const contents = ["one\n", "mine\n", "theirs\n"] as const;
  const { rig, mirror } = await openConflicts({ "a.md": contents, "b.md": contents });
  const paths = ["a.md", "b.md"];
  const ended = new Set<number>();
  await cutPowerAtEachCall(
    { rig, mirror },
    async (after, call) => {
      await settle(after.mirror);
      expect([call, ...after.rig.app.texts().values()]).toEqual([call, "theirs\n", "theirs\n"]);
      const conflicts = after.mirror.state.load().conflicts.size;
      expect([...after.mirror.texts().values()].filter((text) => text === "mine\n")).toHaveLength(conflicts);
      ended.add(paths.length - conflicts);
    },
    async (pair) => {
      const opened = { world: pair.mirror.world() } as OpenedMirror;
      await carryOut(resolve, opened, { paths, way: "theirs", force: false, noSync: true });
    },
  );
  expect(ended).toEqual(new Set([0, 1, 2]));
});

test("I09 I13 power is cut at any call while a moved file is replaced, and its former path has another document's file: no document is doubled", async () => {
  const { rig, mirror } = await openSynced({ "a.md": LINES.join(""), "b.md": "b\n" });
  const ids = { [rig.app.id("a.md")!]: "b.md", [rig.app.id("b.md")!]: "a.md" };
  rig.app.edit("a.md", LINES.with(7, "theirs\n\n").join(""));
  for (const [from, to] of [
    ["a.md", "t.md"],
    ["b.md", "a.md"],
    ["t.md", "b.md"],
  ] as const)
    mirror.rename(from, to);
  mirror.disk.settle();
  const cuts = await killAtEachCall(
    { rig, mirror },
    {
      async judge(pair, call, lived) {
        if (lived) return;
        // After the power loss, the new file may have the name of its temporary file only.
        pair.mirror.disk.losePower(() => 0.5);
        const restarted = pair.rig.mirror({}, pair.mirror.copyAfterPowerCut());
        await settle(restarted);
        const live = Object.fromEntries(Array.from(pair.rig.app.files().values(), ({ id, path }) => [id, path]));
        expect([call, live, restarted.texts()]).toEqual([call, ids, pair.rig.app.texts()]);
      },
    },
  );
  expect(cuts).toBeGreaterThan(15);
});
