import { renameSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { useSyncedRig } from "./synced-rig.ts";

const { rig, run, sync, edit } = useSyncedRig();

/** What the last run is planned to lose, and how many of it `undo --yes` then takes back. */
async function plannedAndDone(): Promise<readonly [string[], number | null, number]> {
  const dry = await run("undo", "2", "--dry-run", "--json");
  const { items } = JSON.parse(dry.out[0]!) as { items: { path: string; kind: string; why: string }[] };
  const done = await run("undo", "2", "--yes", "--no-sync", "--json");
  const ends = (JSON.parse(done.out[0]!) as { items: { end: string }[] }).items;
  return [
    items.map(({ path, kind, why }) => why || `${path} ${kind}`),
    dry.code,
    ends.filter(({ end }) => end === "done").length,
  ];
}

describe("what undo shows is what it can do", () => {
  test("an edit that was not sent stays, and it says so before it asks", async () => {
    await edit("second\n");
    rig.write("a.md", "second, and more\n");
    expect(await plannedAndDone()).toEqual([["it was edited since"], 3, 0]);
    expect(rig.read("a.md")).toBe("second, and more\n");
  });

  test("a move whose old place somebody took, and one whose file moved on", async () => {
    renameSync(join(rig.root, "a.md"), join(rig.root, "b.md"));
    renameSync(join(rig.root, "k.md"), join(rig.root, "m.md"));
    rig.pass(60_000);
    await sync();
    rig.write("a.md", "another\n");
    renameSync(join(rig.root, "m.md"), join(rig.root, "n.md"));
    expect(await plannedAndDone()).toEqual([["a.md is taken now", "no file is at m.md"], 3, 0]);
  });

  test("without a number, a newer run of which nothing is left to take back is passed over, and said", async () => {
    await edit("second\n");
    rig.write("k.md", "kk\n");
    rig.pass(60_000);
    await sync();
    rig.write("k.md", "kkk\n");
    const { out, code } = await run("undo", "--dry-run");
    expect([code, out[1], out.at(-2)]).toEqual([
      0,
      "  k.md  left alone: it was edited since",
      "  a.md  restore the content",
    ]);
    expect(out[0]).toMatch(/^run 3 \(sync, .*\) cannot be undone and is skipped:$/);
  });

  test("what is saved between the plan and its effect is left alone as well", async () => {
    await edit("second\n");
    const { code, err } = await rig.run(["undo", "--yes", "--no-sync"], {
      cwd: rig.root,
      onOut: (line) => {
        if (line === "  a.md  restore the content") rig.write("a.md", "saved meanwhile\n");
      },
    });
    expect([code, err]).toEqual([3, ["a.md: not done: it was edited since"]]);
    expect(rig.read("a.md")).toBe("saved meanwhile\n");
  });
});
