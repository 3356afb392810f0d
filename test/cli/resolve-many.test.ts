import { beforeEach, describe, expect, test } from "vitest";
import { snapshot, useSyncedRig } from "./rig.ts";

const PATHS = ["a.md", "d/b.md", "d/e/c.md"] as const;
const text = (name: string, two: string, four = "four") => `# ${name}\n\none\n\n${two}\n\nthree\n\n${four}\n`;

const documents = [...PATHS, "k.md"].map((path) => [path, text(path, "two")]);
const { rig, run, json } = useSyncedRig(Object.fromEntries(documents));
beforeEach(async () => {
  for (const path of PATHS) {
    rig.write(path, text(path, "mine"));
    rig.editRemotely(path, text(path, "theirs"));
  }
  expect((await run("sync")).code).toBe(3);
});

async function inConflict(): Promise<string[]> {
  const { conflicts } = await json<{ conflicts: { path: string }[] }>("conflicts");
  return conflicts.map(({ path }) => path);
}

describe("resolve of many", () => {
  test.each([
    ["--mine", "mine"],
    ["--theirs", "theirs"],
  ])("--all %s ends every conflict as one run, and its undo opens them again", async (way, word) => {
    const { code, out } = await run("resolve", "--all", way);
    expect([code, out]).toEqual([0, expect.arrayContaining([`3 resolved, ${word}`])]);
    for (const path of PATHS)
      expect([rig.read(path), rig.remote(path)!.content]).toEqual([text(path, word), text(path, word)]);
    expect([await inConflict(), rig.exists("a (theirs).md")]).toEqual([[], false]);
    const [line] = out.filter((one) => one.includes("undo it:"));
    const number = /mdmirror undo (\d+)$/.exec(line!)![1]!;
    expect((await run("undo", number, "--yes")).code).toBe(3);
    for (const path of PATHS)
      expect([rig.read(path), rig.remote(path)!.content]).toEqual([text(path, "mine"), text(path, "theirs")]);
    expect([await inConflict(), rig.read("a (theirs).md")]).toEqual([[...PATHS], text("a.md", "theirs")]);
  });

  test("--dry-run prints the plan, in lines and as JSON, and writes nothing (I23)", async () => {
    const before = snapshot(rig.root);
    const { code, out } = await run("resolve", "d", "--mine", "--dry-run");
    expect(out).toEqual([
      "  d/b.md  will be resolved, mine",
      "  d/e/c.md  will be resolved, mine",
      "2 would be resolved, mine; nothing was done",
    ]);
    expect(code).toBe(0);
    const plan = await json("resolve", "--all", "--theirs", "--dry-run");
    expect(plan).toMatchObject({ way: "theirs", run: null, items: Array(3).fill({ end: "planned" }), sync: null });
    expect(snapshot(rig.root)).toEqual(before);
  });

  test("folders, globs, (theirs) files and paths that a shell expanded; the others stay", async () => {
    expect(await json("resolve", "k.md", "a (theirs).md", "d/*.md", "--mine")).toMatchObject({
      exit: 0,
      items: [
        { path: "a.md", end: "done" },
        { path: "d/b.md", end: "done" },
      ],
    });
    expect(await inConflict()).toEqual(["d/e/c.md"]);
    expect((await run("resolve", "**/c.md", "--mine")).code).toBe(0);
    expect(await inConflict()).toEqual([]);
  });

  test("--merged-where-clean takes what merges by now, with the (theirs) file as it is, and leaves the rest", async () => {
    rig.write("a.md", text("a.md", "two", "four, mine"));
    rig.write("d/b (theirs).md", text("The b", "two"));
    const ended = await rig.json(["resolve", "--all", "--merged-where-clean"], { cwd: rig.root });
    expect(ended).toMatchObject({ exit: 3, items: [{ end: "done" }, { end: "done" }, { end: "left" }] });
    expect(rig.remote("a.md")!.content).toBe(text("a.md", "theirs", "four, mine"));
    expect(rig.remote("d/b.md")!.content).toBe(text("The b", "mine"));
    expect([rig.read("d/e/c.md"), await inConflict()]).toEqual([text("d/e/c.md", "mine"), ["d/e/c.md"]]);
  });

  test("a merge that keeps conflict markers is left and named, too", async () => {
    rig.write("a.md", `${text("a.md", "two")}\n<<<<<<< a\nmine\n=======\nb\n>>>>>>> b\n`);
    const { code, err } = await run("resolve", "a.md", "--merged-where-clean");
    expect([code, err]).toEqual([3, [expect.stringMatching(/^a\.md: /)]]);
    expect(rig.remote("a.md")!.content).toBe(text("a.md", "theirs"));
    expect(await inConflict()).toEqual([...PATHS]);
  });

  test("a review is ended by its own path alone", async () => {
    rig.protectRemotely("k.md");
    await run("sync");
    rig.write("k.md", text("k.md", "for review"));
    await rig.run(["sync"], { cwd: rig.root, terminal: true });
    await run("resolve", "k.md", "a.md", "--theirs");
    expect([rig.read("k.md"), rig.read("a.md")]).toEqual([text("k.md", "for review"), text("a.md", "theirs")]);
    expect((await run("resolve", "k.md", "--theirs")).out[0]).toBe("k.md: resolved, theirs");
    expect(rig.read("k.md")).toBe(text("k.md", "two"));
  });

  test("the service not reached: nothing is taken from it, each says why, and the rest can be done later", async () => {
    await rig.stopService();
    const { code, err } = await run("resolve", "--all", "--theirs");
    expect([code, err]).toEqual([5, expect.arrayContaining([expect.stringMatching(/^a\.md: not done: /)])]);
    expect(await inConflict()).toEqual([...PATHS]);
    expect((await run("resolve", "d", "--mine")).code).toBe(5);
    expect(await inConflict()).toEqual(["a.md"]);
  });

  test("what names nothing, or does not go together, is a usage error, and nothing is done", async () => {
    const wrong = [
      ["nothing/*.md", "--mine"],
      ["a.md", "nothing.md", "--mine"],
      ["k.md", "--merged-where-clean"],
      ["k*", "--mine"],
      ["--mine"],
      ["--all", "--keep"],
      ["a.md", "d/b.md", "--merged", "x"],
      ["a.md", "--keep", "--dry-run"],
      ["--all", "a", "b", "--mine"],
      ["a/**/b/**/c/**/d.md", "--mine"],
    ];
    for (const argv of wrong) expect([argv, (await run("resolve", ...argv)).code]).toEqual([argv, 2]);
    expect(await inConflict()).toEqual([...PATHS]);
    await run("resolve", "--all", "--mine");
    expect(await run("resolve", "--all", "--mine")).toMatchObject({
      code: 0,
      out: ["nothing to do"],
    });
  });
});
