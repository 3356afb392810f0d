import { beforeEach, describe, expect, test } from "vitest";
import { useSyncedRig } from "./rig.ts";

describe("a folder of two documents", () => {
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
});

describe("conflicts", () => {
  const TEXTS = { base: "one\n\ntwo\n", mine: "one\n\nmine\n", theirs: "one\n\ntheirs\n" } as const;

  const { rig, run, json } = useSyncedRig({});
  type Dry = { readonly items: { readonly kind: string }[] };

  type Shown = { readonly conflicts: { readonly path: string }[] };

  /**
   * Returns the local content, the content on the service, the conflict copy and the open
   * conflicts.
   */
  async function sides(): Promise<readonly unknown[]> {
    const { conflicts } = await json<Shown>("conflicts");
    const copy = conflicts.length === 0 ? null : rig.read("a (theirs).md");
    return [rig.read("a.md"), rig.remote("a.md")?.content, copy, conflicts.map(({ path }) => path)];
  }

  const OPEN = [TEXTS.mine, TEXTS.theirs, TEXTS.theirs, ["a.md"]];

  /** Resolves the conflict. Returns the run's number. */
  async function resolve(...choice: string[]): Promise<string> {
    return String((await json<{ run: number }>("resolve", "a.md", ...choice)).run);
  }

  describe("undo of the resolution of a conflict", () => {
    beforeEach(async () => {
      rig.createRemotely("a.md", TEXTS.base);
      await run("sync");
      rig.editBoth("a.md", TEXTS.mine, TEXTS.theirs);
      await run("sync");
      expect(await sides()).toEqual(OPEN);
    });

    test.each([
      ["theirs", ["--theirs"], TEXTS.theirs],
      ["mine, which was uploaded", ["--mine"], TEXTS.mine],
      ["theirs, before a sync", ["--theirs", "--no-sync"], TEXTS.theirs],
    ])("by %s opens the conflict again with both versions (I03)", async (_, choice, chosen) => {
      const number = await resolve(...choice);
      expect((await sides()).slice(0, 2)).toEqual([chosen, chosen]);
      const dry = await json<Dry>("undo", number, "--dry-run");
      expect(dry.items.map(({ kind }) => kind)).toEqual(["conflict-back"]);
      await run("undo", number, "--yes");
      expect(await sides()).toEqual(OPEN);
      await run("sync");
      expect(await sides()).toEqual(OPEN);
    });

    test("by mine, before its upload: the service keeps its version, and nothing is sent", async () => {
      const number = await resolve("--mine", "--no-sync");
      const { lastChangeId } = rig.remote("a.md")!;
      await run("undo", number, "--yes");
      expect(await sides()).toEqual(OPEN);
      expect(rig.remote("a.md")!.lastChangeId).toBe(lastChangeId);
    });

    test("by content that the user merged: the merged version stays in the history", async () => {
      rig.write("merged.txt", "one\n\nboth\n");
      const number = await resolve("--merged", "merged.txt");
      expect((await sides()).slice(0, 2)).toEqual(["one\n\nboth\n", "one\n\nboth\n"]);
      await run("undo", number, "--yes");
      expect(await sides()).toEqual(OPEN);
      expect((await run("history", "a.md")).out.join("\n")).toContain("you merged both versions");
    });

    test("can be resolved again by either version", async () => {
      const first = await resolve("--mine");
      await run("undo", first, "--yes");
      const second = await resolve("--theirs");
      expect((await sides()).slice(0, 2)).toEqual([TEXTS.theirs, TEXTS.theirs]);
      await run("undo", second, "--yes");
      await resolve("--mine");
      expect((await sides()).slice(0, 2)).toEqual([TEXTS.mine, TEXTS.mine]);
      expect((await run("verify")).code).toBe(0);
    });

    test("leaves it alone if the document was edited since, on either side", async () => {
      const number = await resolve("--mine");
      rig.editRemotely("a.md", "one\n\nlater\n");
      expect((await run("undo", number, "--yes", "--no-sync")).code).toBe(3);
      expect([rig.read("a.md"), rig.remote("a.md")?.content]).toEqual([TEXTS.mine, "one\n\nlater\n"]);
      rig.write("a.md", "one\n\nlocal\n");
      const dry = await json<Dry>("undo", number, "--dry-run");
      expect(dry.items.map(({ kind }) => kind)).toEqual(["left"]);
    });

    test("leaves a protected document alone whose earlier version would go to review", async () => {
      const number = await resolve("--mine");
      rig.protectRemotely("a.md");
      await run("sync");
      const dry = await json<Dry>("undo", number, "--dry-run");
      expect(dry.items.map(({ kind }) => kind)).toEqual(["left"]);
    });
  });

  test("a conflict of two new documents opens again without a base", async () => {
    rig.createRemotely("a.md", TEXTS.theirs);
    rig.write("a.md", TEXTS.mine);
    await run("sync");
    expect(await sides()).toEqual(OPEN);
    for (const way of ["--mine", "--theirs"]) {
      const number = await resolve(way);
      await run("undo", number, "--yes");
      expect(await sides()).toEqual(OPEN);
    }
  });
});
