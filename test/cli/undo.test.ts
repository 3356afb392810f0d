import { describe, expect, test } from "vitest";
import { useSyncedRig } from "./rig.ts";

const { rig, run, json, sync, edit } = useSyncedRig();

type Plan = {
  readonly runs: number[];
  readonly passedOver: number[];
  readonly items: { path: string; kind: string; why: string; end: string }[];
};

describe("undo", () => {
  test("takes a run's edits, deletions, new documents and moves back on both sides", async () => {
    const { id } = rig.remote("a.md")!;
    rig.createRemotely("gone.md", "gone\n");
    rig.createRemotely("moved.md", "moved\n");
    await sync();
    rig.write("a.md", "edited\n");
    rig.write("new.md", "new\n");
    rig.remove("gone.md");
    rig.rename("moved.md", "elsewhere.md");
    await sync();
    const { items } = await json<Plan>("undo", "--dry-run");
    expect(items.map(({ path, kind }) => [path, kind])).toEqual([
      ["a.md", "text-back"],
      ["elsewhere.md", "move-back"],
      ["gone.md", "bring-back"],
      ["new.md", "take-away"],
    ]);
    expect((await run("undo", "--yes")).code).toBe(0);
    expect(rig.remote("a.md")).toMatchObject({ id, content: "first\n" });
    expect(rig.remote("gone.md")!.content).toBe("gone\n");
    expect(rig.remote("moved.md")!.content).toBe("moved\n");
    expect([rig.remote("elsewhere.md"), rig.remote("new.md")]).toEqual([null, null]);
    expect((await run("verify")).code).toBe(0);
  });

  test("says which newer run it passes over, since nothing of it can be taken back, and why", async () => {
    await edit("second\n");
    rig.protectRemotely("k.md");
    await sync();
    rig.write("k.md", "kk\n");
    rig.pass(60_000);
    await sync();
    rig.pass(60_000);
    expect(await rig.syncCounts()).toEqual({ submitted: 1 });
    const { out } = await run("undo", "--dry-run");
    expect(out).toEqual([
      expect.stringMatching(/^run \d+ \(sync, .*\) cannot be undone and is skipped:$/),
      expect.stringMatching(/^ {2}k\.md {2}left alone: .*review/),
      expect.stringMatching(/^run \d+ \(sync, /),
      "  a.md  restore the content",
      "1 would be undone; nothing was done",
    ]);
    const plan = await json<Plan>("undo", "--dry-run");
    expect(plan.passedOver).toEqual([Number(/^run (\d+)/.exec(out[0]!)![1])]);
    expect(plan.runs).toEqual([Number(/^run (\d+)/.exec(out[2]!)![1])]);
    expect((await json<Plan>("undo", String(plan.runs[0]), "--dry-run")).passedOver).toEqual([]);
  });

  test("of an edit in review says that the review remains, whose acceptance would bring the edit back", async () => {
    for (const text of ["kk\n", "k\n"]) {
      rig.write("k.md", text);
      await sync();
    }
    rig.protectRemotely("k.md");
    await sync();
    expect((await run("restore", "k.md@2", "--no-sync")).code).toBe(0);
    const { runs } = await json<Plan>("undo", "--dry-run");
    const [number] = runs;
    await sync();
    rig.pass(60_000);
    expect(await rig.syncCounts()).toEqual({ submitted: 1 });
    const undone = await run("undo", String(number), "--yes", "--no-sync");
    expect([undone.code, undone.out.join("\n")]).toEqual([0, expect.stringContaining("mdmirror reviews")]);
    expect(rig.read("k.md")).toBe("k\n");
    expect((await run("reviews")).out[0]).toMatch(/^k\.md: in review /);
  });

  test("I21 what it would delete on the service is checked: too many deletions stop it with 4", async () => {
    for (let n = 0; n < 15; n++) rig.write(`new-${n}.md`, `new ${n}\n`);
    await sync();
    const { code, err } = await run("undo", "--yes");
    expect([code, err.join("\n")]).toEqual([4, expect.stringContaining("delete-budget-remote")]);
    expect(rig.remote("new-7.md")!.content).toBe("new 7\n");
  });

  test("asks first; without a terminal or --yes nothing is done", async () => {
    await edit("second\n");
    expect((await run("undo")).code).toBe(2);
    const no = await rig.run(["undo"], { cwd: rig.root, terminal: true, answers: ["n"] });
    expect([no.code, no.asked.length]).toEqual([2, 1]);
    expect(rig.read("a.md")).toBe("second\n");
    expect((await run("undo", "99")).code).toBe(2);
    expect((await run("undo", "x")).code).toBe(2);
  });
});

/**
 * Plans the undo of run 2, then executes it. Returns the plan, the exit code and the number of
 * undone changes.
 */
async function plannedAndDone(): Promise<readonly [string[], number | null, number]> {
  const { items, exit } = await json<Plan>("undo", "2", "--dry-run");
  const { items: ends } = await json<Plan>("undo", "2", "--yes", "--no-sync");
  return [
    items.map(({ path, kind, why }) => why || `${path} ${kind}`),
    exit,
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

  test("so does a new document that was edited, and a file that is gone from its path", async () => {
    rig.write("new.md", "new\n");
    rig.write("a.md", "second\n");
    rig.pass(60_000);
    await sync();
    rig.write("new.md", "new, and more\n");
    rig.remove("a.md");
    expect(await plannedAndDone()).toEqual([["no file is at a.md", "it was edited since"], 3, 0]);
  });

  test("a move whose old path is taken, and a move whose file was moved again", async () => {
    rig.rename("a.md", "b.md");
    rig.rename("k.md", "m.md");
    rig.pass(60_000);
    await sync();
    rig.write("a.md", "another\n");
    rig.rename("m.md", "n.md");
    expect(await plannedAndDone()).toEqual([["a.md is taken now", "no file is at m.md"], 3, 0]);
  });

  test("without a number, a newer run of which nothing is left to take back is passed over, and said", async () => {
    await edit("second\n");
    rig.write("k.md", "kk\n");
    rig.pass(60_000);
    await sync();
    rig.write("k.md", "kkk\n");
    const { out, code } = await run("undo", "--dry-run");
    expect(out[1]).toBe("  k.md  left alone: it was edited since");
    expect(out.at(-2)).toBe("  a.md  restore the content");
    expect(code).toBe(0);
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
