import { beforeEach, describe, expect, test } from "vitest";
import { useSyncedRig } from "./rig.ts";

const ALL = ["a", "b", "c", "d", "f/x"];
const { rig, run, json } = useSyncedRig(Object.fromEntries(ALL.map((name) => [`${name}.md`, `first of ${name}\n`])));
beforeEach(() => rig.pass(3_600_000));

type Plan = { readonly runs: number[]; readonly items: { path: string; kind: string }[] };
const remote = (path: string) => rig.remote(path)?.content ?? null;

async function sync(): Promise<void> {
  rig.pass(60_000);
  expect((await run("sync")).code).toBe(0);
}

/** Makes three runs that together contain each kind of event, some of them twice. */
async function threeRuns(): Promise<void> {
  rig.write("a.md", "second\n");
  rig.write("b.md", "second\n");
  rig.write("new.md", "new\n");
  await sync();
  rig.write("a.md", "third\n");
  rig.write("new.md", "newer\n");
  rig.remove("c.md");
  rig.rename("f", "g");
  await sync();
  rig.remove("b.md");
  rig.rename("d.md", "g/d.md");
  await sync();
}

const asBefore = () => {
  for (const name of ALL) expect([name, remote(`${name}.md`)]).toEqual([name, `first of ${name}\n`]);
  expect([remote("new.md"), remote("g/d.md"), remote("g/x.md"), rig.exists("g")]).toEqual([null, null, null, false]);
};
const asAfter = () => {
  expect([remote("a.md"), remote("b.md"), remote("c.md"), remote("d.md")]).toEqual(["third\n", null, null, null]);
  expect([remote("g/d.md"), remote("g/x.md"), remote("new.md")]).toEqual(["first of d\n", "first of f/x\n", "newer\n"]);
};

describe("undo --since", () => {
  test("takes all runs since then back as one, and undoing that, by the last run or by its number, works", async () => {
    const { id } = rig.remote("a.md")!;
    await threeRuns();
    const plan = await json<Plan>("undo", "--since", "30m", "--dry-run");
    expect([plan.exit, plan.runs]).toEqual([0, [4, 3, 2]]);
    expect(plan.items.map(({ path, kind }) => `${path} ${kind}`)).toEqual([
      "a.md text-back",
      "b.md bring-back",
      "c.md bring-back",
      "g move-folder-back",
      "g/d.md move-back",
      "new.md take-away",
    ]);
    expect((await run("undo", "--since", "30m")).code).toBe(2);
    const done = await run("undo", "--since", "30m", "--yes");
    expect([done.code, done.out]).toEqual([0, expect.arrayContaining(["6 undone"])]);
    asBefore();
    expect(rig.remote("a.md")!.id).toBe(id);
    expect((await run("undo", "--yes")).code).toBe(0);
    asAfter();
    expect((await run("undo", "--since", "30m", "--yes")).code).toBe(0);
    asBefore();
    expect((await run("undo", "9", "--yes")).code).toBe(0);
    asAfter();
    expect((await run("verify")).code).toBe(0);
  });

  test("a document that was created again meanwhile keeps its id, and gets the earlier content", async () => {
    rig.write("a.md", "second\n");
    await sync();
    rig.remove("a.md");
    rig.remove("b.md");
    await sync();
    expect((await run("undo", "--yes")).code).toBe(0);
    const ids = ["a.md", "b.md"].map((path) => rig.remote(path)!.id);
    const dry = await run("undo", "--since", "30m", "--dry-run");
    expect(dry.out.slice(1, -1)).toEqual(["  a.md  restore the content"]);
    expect((await run("undo", "--since", "30m", "--yes")).code).toBe(0);
    expect(["a.md", "b.md"].map((path) => rig.remote(path)!.id)).toEqual(ids);
    expect([remote("a.md"), remote("b.md")]).toEqual(["first of a\n", "first of b\n"]);
  });

  test("edited since, only downloaded, created and deleted again: left alone and reported, or ignored", async () => {
    rig.write("a.md", "second\n");
    rig.write("short.md", "short\n");
    rig.createRemotely("brought.md", "brought\n");
    await sync();
    rig.remove("short.md");
    await sync();
    rig.write("a.md", "not sent yet\n");
    const { code, out, err } = await run("undo", "--since", "30m", "--yes", "--no-sync");
    expect([code, err]).toEqual([3, []]);
    expect(out.slice(1, 3).toSorted()).toEqual([
      "  a.md  left alone: it was edited since",
      "  brought.md  left alone: the run only downloaded it; delete the file yourself if you do not want it",
    ]);
    expect([rig.read("a.md"), remote("brought.md")]).toEqual(["not sent yet\n", "brought\n"]);
  });

  test.each(["--mine", "--theirs"])(
    "a conflict ended by %s: the content before both edits comes back",
    async (choice) => {
      rig.editBoth("a.md", "mine\n", "theirs\n");
      rig.pass(60_000);
      expect((await run("sync")).code).toBe(3);
      await run("resolve", "a.md", choice);
      await sync();
      expect(remote("a.md")).toBe(`${choice.slice(2)}\n`);
      const { items } = await json<Plan>("undo", "--since", "30m", "--dry-run");
      expect(items).toMatchObject([{ path: "a.md", kind: "text-back" }]);
      expect((await run("undo", "--since", "30m", "--yes")).code).toBe(0);
      expect([rig.read("a.md"), remote("a.md")]).toEqual(["first of a\n", "first of a\n"]);
    },
  );
});

describe("protect of many", () => {
  const protectedOnes = () => [...ALL].filter((name) => rig.remote(`${name}.md`)!.protected);

  test("folders, globs and paths, as one run, which one undo takes back", async () => {
    await run("protect", "b.md");
    const dry = await run("protect", "f", "[ab].md", "--dry-run");
    expect(dry.out).toEqual([
      "  a.md  will be protected",
      "  b.md  is already protected",
      "  f/x.md  will be protected",
      "2 would be protected, 1 already are; nothing was done",
    ]);
    expect(dry.code).toBe(0);
    expect(protectedOnes()).toEqual(["b"]);
    expect(await json("protect", "f", "[ab].md")).toMatchObject({
      exit: 0,
      items: Array(3).fill({ end: "done" }),
      isOffline: false,
    });
    expect(protectedOnes()).toEqual(["a", "b", "f/x"]);
    expect((await run("undo", "--yes")).code).toBe(0);
    expect(protectedOnes()).toEqual(["b"]);
    expect((await run("unprotect", ".")).out.at(-2)).toBe("5 not protected");
    expect(protectedOnes()).toEqual([]);
  });

  test("what matches nothing is exit 2, and nothing is done; a file that a shell named is passed over", async () => {
    for (const wrong of ["z*", "none.md"]) expect((await run("protect", "a.md", wrong)).code).toBe(2);
    expect(protectedOnes()).toEqual([]);
    rig.write("picture.png", "");
    expect((await run("protect", "a.md", "picture.png", "f")).code).toBe(0);
    expect(protectedOnes()).toEqual(["a", "f/x"]);
  });

  test("what the key may not do is said of each, the rest is done, and the exit code is 3", async () => {
    rig.deleteRemotely("a.md");
    const { code, err } = await run("protect", "a.md", "b.md");
    expect([code, err]).toEqual([3, [expect.stringMatching(/^a\.md: not done: file_not_found/)]]);
    expect(rig.remote("b.md")!.protected).toBe(true);
    await rig.stopService();
    expect((await run("protect", "c.md", "d.md")).code).toBe(5);
  });
});
