import { unwrap } from "../../../src/common/trouble.ts";
import { describe, expect, test } from "vitest";
import { makeTemporaryName, readMove } from "../../../src/mirror/operations/history/undo-moves.ts";
import { readUndoPlan, undoRun } from "../../../src/mirror/operations/history/undo.ts";
import { planUndo } from "../../../src/mirror/operations/history/undo-plan.ts";
import { actLocally, actOnService } from "../../simulator/commands.ts";
import { type Mirror, ROOT } from "../../simulator/mirror.ts";
import { createRig, type Rig } from "../../simulator/rig.ts";

const TREE = ["a/x.md", "a/s/y.md", "b/z.md", "c/q.md", "d/r.md", "one.md", "two.md"];

/** Syncs documents whose content is their first path. */
async function begun(): Promise<{ rig: Rig; mirror: Mirror }> {
  const rig = createRig(3);
  const mirror = rig.mirror();
  for (const path of TREE) rig.app.create(path, `${path}\n`);
  await mirror.sync();
  return { rig, mirror };
}

const here = (path: string) => `${ROOT}/${path}`;

async function undo(mirror: Mirror, run: number | null = null, stop?: AbortSignal) {
  const plan = unwrap(readUndoPlan(mirror.world(), run));
  const ended = unwrap(await undoRun(mirror.world(), plan, stop));
  const ends = ended.items.map((item) => ({ item, done: item.end === "done", note: item.why }));
  return { items: plan.items, ends };
}

function textsOf(rig: Rig): Map<string, string> {
  return rig.app.texts();
}

const BEGUN = new Map(TREE.map((path) => [path, `${path}\n`]));
const sorted = (map: Map<string, string>) => [...map].toSorted();

const swapOf = (a: string, b: string): string => `mv ${a} away.md; mv ${b} ${a}; mv away.md ${b}`;

/** Local commands, commands on the service, and the number of moves to undo. */
type Way = readonly [local: string, remote: string, items: number];

const WAYS: readonly Way[] = [
  ["mv a aa", "", 1],
  ["mv a b/a", "", 1],
  ["", "mv a aa", 1],
  ["", "mv a b/a", 1],
  ["mv a aa; mv aa/s aa/t; mv aa/x.md aa/x2.md", "", 3],
  ["", "mv a aa; mv aa/s aa/t; mv aa/x.md aa/x2.md", 3],
  // Two documents or folders that exchanged their paths.
  [swapOf("one.md", "two.md"), "", 2],
  [swapOf("b", "c"), "", 2],
  [`${swapOf("b", "c")}; mv b/q.md b/q2.md`, "", 3],
  ["", swapOf("one.md", "two.md"), 2],
  ["", "mv b t; mv c b; mv t c", 2],
  // A folder that was moved out of its parent folder, which was then moved into it.
  ["mv a/s s; mv a s/a", "", 2],
  ["mv a aa; mv aa/x.md d/x.md", "", 2],
];

describe("undo of what a run moved", () => {
  test.each(WAYS)("local: %s, on the service: %s: all is where it was, with its id", async (local, remote, count) => {
    const { rig, mirror } = await begun();
    const ids = rig.app.ids();
    actLocally(mirror, local);
    actOnService(rig.app, remote);
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
    expect(rig.app.ids()).toEqual(ids);
    expect(rig.app.folders().toSorted()).toEqual(["a", "a/s", "b", "c", "d"]);
  });

  test("where the service cannot move a folder as one, its documents go back one by one", async () => {
    const rig = createRig(3, { noFolderPatchOrDelete: 405 });
    const mirror = rig.mirror();
    for (const path of TREE) rig.app.create(path, `${path}\n`);
    await mirror.sync();
    const ids = rig.app.ids();
    mirror.disk.user.rename(here("a"), here("aa"));
    const report = await mirror.sync();
    expect([...rig.app.files().keys()]).toContain("aa/s/y.md");
    expect((await undo(mirror, report!.run)).ends.filter(({ done }) => !done)).toEqual([]);
    await mirror.sync();
    expect(sorted(textsOf(rig))).toEqual(sorted(BEGUN));
    expect(rig.app.ids()).toEqual(ids);
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

  test("an entry whose place becomes free takes no temporary name", async () => {
    const { rig, mirror } = await begun();
    actLocally(mirror, "mv two.md three.md; mv one.md two.md; mv c d/c; mv b c");
    const report = await mirror.sync();
    for (const path of ["two.md", "c"]) mirror.write(`${makeTemporaryName(path)}/x.md`, "here first\n");
    expect((await undo(mirror, report!.run)).ends.filter(({ done }) => !done)).toEqual([]);
    for (const [path, text] of BEGUN) expect(mirror.texts().get(path)).toBe(text);
    await mirror.sync();
    for (const [path, text] of BEGUN) expect(textsOf(rig).get(path)).toBe(text);
  });

  test("a stop does not separate moves that depend on each other", async () => {
    const { mirror } = await begun();
    actLocally(mirror, swapOf("one.md", "two.md"));
    await mirror.sync();
    const isMoved = () => mirror.texts().get("one.md") === "one.md\n";
    const stop = {
      get aborted() {
        return isMoved();
      },
    } as AbortSignal;
    expect((await undo(mirror, null, stop)).ends.map(({ done }) => done)).toEqual([true, true]);
    expect(sorted(mirror.texts())).toEqual(sorted(BEGUN));
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
      { item: { path: "ab" }, done: false, note: expect.any(String) },
    ]);
  });

  test("when it is no longer on the disk", async () => {
    const { mirror, run } = await moved();
    mirror.disk.user.rename(here("aa"), here("ab"));
    mirror.disk.user.makeFolder(here("aa"));
    expect((await undo(mirror, run)).ends).toMatchObject([{ done: false, note: expect.any(String) }]);
    expect(mirror.texts().get("ab/x.md")).toBe("a/x.md\n");
  });

  test("when its old path is taken, by a folder that is mirrored or by one that nobody has seen", async () => {
    const first = await moved();
    first.rig.app.makeFolder("a");
    await first.mirror.sync();
    expect((await undo(first.mirror, first.run)).ends).toMatchObject([{ done: false, note: expect.any(String) }]);
    const second = await moved();
    second.mirror.write("a/other.md", "other\n");
    expect((await undo(second.mirror, second.run)).ends).toMatchObject([{ done: false, note: expect.any(String) }]);
    expect(second.mirror.texts().get("aa/x.md")).toBe("a/x.md\n");
    expect(second.mirror.texts().get("a/other.md")).toBe("other\n");
  });

  test("of two that changed places, for the removed one; the other goes back", async () => {
    const { mirror } = await begun();
    actLocally(mirror, swapOf("one.md", "two.md"));
    const report = await mirror.sync();
    mirror.disk.user.rename(here("one.md"), here("elsewhere.md"));
    expect((await undo(mirror, report!.run)).ends).toMatchObject([
      { item: { path: "one.md" }, done: false, note: expect.any(String) },
      { item: { path: "two.md" }, done: true },
    ]);
    expect([mirror.texts().get("one.md"), mirror.texts().get("elsewhere.md")]).toEqual(["one.md\n", "two.md\n"]);
  });

  test("of two that changed places, when something came to where one must wait: both stay", async () => {
    const { mirror } = await begun();
    actLocally(mirror, swapOf("b", "c"));
    const report = await mirror.sync();
    const before = mirror.texts();
    for (const path of ["b", "c"]) mirror.write(`${makeTemporaryName(path)}/x.md`, "here first\n");
    const { ends } = await undo(mirror, report!.run);
    expect(ends.map(({ done }) => done)).toEqual([false, false]);
    for (const [path, text] of before) expect(mirror.texts().get(path)).toBe(text);
  });
});

describe("what a run's events record of its moves", () => {
  test("a local move and a move on the service, each with both ends, without regard to the event's sentence", async () => {
    const rig = createRig(3);
    const mirror = rig.mirror();
    for (const path of ["here.md", "there.md", "f/k.md"]) rig.app.create(path, `${path}\n`);
    await mirror.sync();
    mirror.rename("here.md", "f/here (1).md");
    rig.app.rename("there.md", "moved.md");
    const report = await mirror.sync();
    const events = mirror.state.events({ limit: 50, run: report!.run }).toReversed();
    const moves = events.flatMap((event) => readMove({ ...event, detail: "" }) ?? []);
    expect(moves).toContainEqual({ side: "local", from: "there.md", to: "moved.md", localFrom: "there.md" });
    expect(moves.filter(({ side }) => side === "remote")[0]).toMatchObject({ from: "here.md" });
    expect(moves.findLast(({ side }) => side === "remote")).toMatchObject({ to: "f/here-(1).md" });
    expect(moves.at(-1)).toEqual({ side: "local", from: "here.md", to: "f/here (1).md", localFrom: "here.md" });
  });

  test("a document that moved again since is left alone", async () => {
    const rig = createRig(3);
    const mirror = rig.mirror();
    rig.app.create("a.md", "a\n");
    await mirror.sync();
    rig.app.rename("a.md", "b.md");
    const report = await mirror.sync();
    rig.app.rename("b.md", "c.md");
    await mirror.sync();
    const events = mirror.state.events({ limit: 50, run: report!.run }).toReversed();
    expect(planUndo(events, mirror.state.load(), mirror.world())).toMatchObject([
      { path: "c.md", kind: "left", why: "it was moved again since" },
    ]);
  });
});
