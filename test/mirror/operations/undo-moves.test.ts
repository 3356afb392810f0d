import { describe, expect, test } from "vitest";
import { spareName } from "../../../src/mirror/operations/history/undo-moves.ts";
import { readUndo, undoRun } from "../../../src/mirror/operations/history/undo.ts";
import { type Mirror, ROOT } from "../../simulator/mirror.ts";
import { createRig, type Rig } from "../../simulator/rig.ts";

const TREE = ["a/x.md", "a/s/y.md", "b/z.md", "c/q.md", "d/r.md", "one.md", "two.md"];

/** Each document's text is the path that it began at. */
async function begun(): Promise<{ rig: Rig; mirror: Mirror }> {
  const rig = createRig(3);
  const mirror = rig.mirror();
  for (const path of TREE) rig.app.create(path, `${path}\n`);
  await mirror.sync();
  return { rig, mirror };
}

const here = (path: string) => `${ROOT}/${path}`;

async function undo(mirror: Mirror, run: number | null = null) {
  const plan = readUndo(mirror.world(), run);
  if (plan.kind === "trouble") throw new Error(plan.trouble.what);
  return { items: plan.value.items, ends: (await undoRun(mirror.world(), plan.value)).ends };
}

function textsOf(rig: Rig): Map<string, string> {
  return new Map([...rig.app.files()].map(([path, { text }]) => [path, text]));
}

const BEGUN = new Map(TREE.map((path) => [path, `${path}\n`]));
const sorted = (map: Map<string, string>) => [...map].toSorted();

/** Swaps two places in the folder, as a person would. */
function swap(mirror: Mirror, a: string, b: string): void {
  const { user } = mirror.disk;
  user.rename(here(a), here("away"));
  user.rename(here(b), here(a));
  user.rename(here("away"), here(b));
}

type Way = readonly [what: string, change: (rig: Rig, mirror: Mirror) => void, items: number];

const WAYS: readonly Way[] = [
  ["a folder renamed locally", (_, { disk }) => disk.user.rename(here("a"), here("aa")), 1],
  ["a folder moved into another here", (_, { disk }) => disk.user.rename(here("a"), here("b/a")), 1],
  ["a folder renamed on the service", ({ app }) => app.renameFolder("a", "aa"), 1],
  ["a folder moved into another on the service", ({ app }) => app.moveFolder("a", "b"), 1],
  [
    "a folder, one in it and a document in it renamed locally",
    (_, { disk: { user } }) => {
      user.rename(here("a"), here("aa"));
      user.rename(here("aa/s"), here("aa/t"));
      user.rename(here("aa/x.md"), here("aa/x2.md"));
    },
    3,
  ],
  [
    "a folder, one in it and a document in it renamed on the service",
    ({ app }) => {
      app.renameFolder("a", "aa");
      app.renameFolder("aa/s", "t");
      app.rename("aa/x.md", "x2.md");
    },
    3,
  ],
  ["two documents that changed places here", (_, mirror) => swap(mirror, "one.md", "two.md"), 2],
  ["two folders that changed places here", (_, mirror) => swap(mirror, "b", "c"), 2],
  [
    "two folders that changed places here, and a document in one renamed",
    (_, mirror) => {
      swap(mirror, "b", "c");
      mirror.disk.user.rename(here("b/q.md"), here("b/q2.md"));
    },
    3,
  ],
  [
    "two documents that changed places on the service",
    ({ app }) => {
      app.rename("one.md", "t.md");
      app.rename("two.md", "one.md");
      app.rename("t.md", "two.md");
    },
    2,
  ],
  [
    "two folders that changed places on the service",
    ({ app }) => {
      app.renameFolder("b", "t");
      app.renameFolder("c", "b");
      app.renameFolder("t", "c");
    },
    2,
  ],
  [
    "a folder that came out of its own, which went into it",
    (_, { disk: { user } }) => {
      user.rename(here("a/s"), here("s"));
      user.rename(here("a"), here("s/a"));
    },
    2,
  ],
  [
    "a document taken out of a folder that was renamed locally",
    (_, { disk: { user } }) => {
      user.rename(here("a"), here("aa"));
      user.rename(here("aa/x.md"), here("d/x.md"));
    },
    2,
  ],
];

describe("undo of what a run moved", () => {
  test.each(WAYS)("%s: all is where it was, on both sides, with its id", async (_what, change, count) => {
    const { rig, mirror } = await begun();
    const ids = new Map([...rig.app.files()].map(([path, { id }]) => [path, id]));
    change(rig, mirror);
    const report = await mirror.sync();
    expect(report).toMatchObject({ state: "in-sync" });
    expect(sorted(textsOf(rig))).not.toEqual(sorted(BEGUN));
    const { items, ends } = await undo(mirror);
    expect(ends.filter(({ done }) => !done)).toEqual([]);
    expect(items).toHaveLength(count);
    expect(sorted(mirror.texts())).toEqual(sorted(BEGUN));
    expect(await mirror.sync()).toMatchObject({ state: "in-sync", attention: [] });
    expect(sorted(textsOf(rig))).toEqual(sorted(BEGUN));
    expect(sorted(mirror.texts())).toEqual(sorted(BEGUN));
    expect(new Map([...rig.app.files()].map(([path, { id }]) => [path, id]))).toEqual(ids);
    expect(rig.app.folders().toSorted()).toEqual(["a", "a/s", "b", "c", "d"]);
  });

  test("where the service cannot move a folder as one, its documents go back one by one", async () => {
    const rig = createRig(3, { noFolderPatchOrDelete: 405 });
    const mirror = rig.mirror();
    for (const path of TREE) rig.app.create(path, `${path}\n`);
    await mirror.sync();
    const ids = new Map([...rig.app.files()].map(([path, { id }]) => [path, id]));
    mirror.disk.user.rename(here("a"), here("aa"));
    const report = await mirror.sync();
    expect([...rig.app.files().keys()]).toContain("aa/s/y.md");
    expect((await undo(mirror, report!.run)).ends.filter(({ done }) => !done)).toEqual([]);
    await mirror.sync();
    expect(sorted(textsOf(rig))).toEqual(sorted(BEGUN));
    expect(new Map([...rig.app.files()].map(([path, { id }]) => [path, id]))).toEqual(ids);
  });

  test("what came into the folder since goes back with it", async () => {
    const { rig, mirror } = await begun();
    mirror.disk.user.rename(here("a"), here("aa"));
    await mirror.sync();
    mirror.write("aa/new.md", "new\n");
    expect((await undo(mirror)).ends).toMatchObject([{ done: true }]);
    await mirror.sync();
    expect(sorted(textsOf(rig))).toEqual(sorted(new Map([...BEGUN, ["a/new.md", "new\n"]])));
  });

  test("a document deleted in a folder that moved comes back into the old one", async () => {
    const { rig, mirror } = await begun();
    rig.app.renameFolder("a", "aa");
    rig.app.remove("aa/x.md");
    await mirror.sync();
    const { ends } = await undo(mirror);
    expect(ends.map(({ item, done }) => [item.kind, done])).toEqual([
      ["bring-back", true],
      ["move-folder-back", true],
    ]);
    await mirror.sync();
    expect(sorted(textsOf(rig))).toEqual(sorted(BEGUN));
  });
});

async function moved(): Promise<{ rig: Rig; mirror: Mirror; run: number }> {
  const { rig, mirror } = await begun();
  mirror.disk.user.rename(here("a"), here("aa"));
  const report = await mirror.sync();
  return { rig, mirror, run: report!.run };
}

describe("undo of a folder's move is refused", () => {
  test("when the folder was moved again since, synced", async () => {
    const { rig, mirror, run } = await moved();
    rig.app.renameFolder("aa", "ab");
    await mirror.sync();
    expect((await undo(mirror, run)).ends).toMatchObject([
      { item: { path: "ab" }, done: false, note: "the folder was moved again since" },
    ]);
  });

  test("when it is not there any more on the disk", async () => {
    const { mirror, run } = await moved();
    mirror.disk.user.rename(here("aa"), here("ab"));
    mirror.disk.user.makeFolder(here("aa"));
    expect((await undo(mirror, run)).ends).toMatchObject([{ done: false, note: "the folder does not exist any more" }]);
    expect(mirror.texts().get("ab/x.md")).toBe("a/x.md\n");
  });

  test("when its old path is taken, by a folder that is mirrored or by one that nobody has seen", async () => {
    const first = await moved();
    first.rig.app.makeFolder("a");
    await first.mirror.sync();
    expect((await undo(first.mirror, first.run)).ends).toMatchObject([
      { done: false, note: "another folder is at a now" },
    ]);
    const second = await moved();
    second.mirror.write("a/other.md", "other\n");
    expect((await undo(second.mirror, second.run)).ends).toMatchObject([{ done: false, note: "a is taken now" }]);
    expect(second.mirror.texts().get("aa/x.md")).toBe("a/x.md\n");
    expect(second.mirror.texts().get("a/other.md")).toBe("other\n");
  });

  test("of two that changed places, for the one that is not there any more; the other goes back", async () => {
    const { mirror } = await begun();
    swap(mirror, "one.md", "two.md");
    const report = await mirror.sync();
    mirror.disk.user.rename(here("one.md"), here("elsewhere.md"));
    expect((await undo(mirror, report!.run)).ends).toMatchObject([
      { item: { path: "one.md" }, done: false, note: "no file is at one.md" },
      { item: { path: "two.md" }, done: true },
    ]);
    expect([mirror.texts().get("one.md"), mirror.texts().get("elsewhere.md")]).toEqual(["one.md\n", "two.md\n"]);
  });

  test("of two that changed places, when something came to where one must wait: both stay", async () => {
    const { mirror } = await begun();
    swap(mirror, "b", "c");
    const report = await mirror.sync();
    const before = mirror.texts();
    for (const path of ["b", "c"]) mirror.write(`${spareName(path)}/x.md`, "here first\n");
    const { ends } = await undo(mirror, report!.run);
    expect(ends.map(({ done }) => done)).toEqual([false, false]);
    for (const [path, text] of before) expect(mirror.texts().get(path)).toBe(text);
  });
});
