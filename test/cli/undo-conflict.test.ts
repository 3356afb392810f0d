import { beforeEach, describe, expect, test } from "vitest";
import { useRig } from "./rig.ts";

const TEXTS = { base: "one\n\ntwo\n", mine: "one\n\nmine\n", theirs: "one\n\ntheirs\n" } as const;

const rig = useRig();
const run = (...argv: string[]) => rig.run(argv, { cwd: rig.root });
const json = <Members>(...argv: string[]) => rig.json<Members>(argv, { cwd: rig.root });
type Dry = { readonly items: { readonly kind: string }[] };

type Shown = { readonly conflicts: { readonly path: string }[] };

/**
 * Returns the local content, the content on the service, the conflict copy and the open conflicts.
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
    await rig.init();
    rig.write("a.md", TEXTS.mine);
    rig.editRemotely("a.md", TEXTS.theirs);
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
  await rig.init();
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
