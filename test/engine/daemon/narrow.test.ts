import { describe, expect, test } from "vitest";
import type { DocId } from "../../../src/contract/ids.ts";
import { EXACT_DISK } from "../../../src/contract/path.ts";
import { makePlan } from "../../../src/mirror/planner/plan.ts";
import type { Action } from "../../../src/mirror/model/action.ts";
import type { LocalTree, RemoteTree } from "../../../src/mirror/model/tree.ts";
import { makeNarrowTrees } from "../../../src/mirror/engine/daemon/known-trees.ts";
import { planOnly } from "../../../src/mirror/engine/run/converge.ts";
import { DirtyPaths, findEmptiedFiles, PendingDeletions } from "../../../src/mirror/engine/daemon/unsettled.ts";
import { DEFAULT_TIMING } from "../../../src/mirror/engine/daemon/interface.ts";
import { ROOT, SETTINGS } from "../../simulator/mirror.ts";
import { createRig } from "../../simulator/rig.ts";
import { rollDice } from "../../simulator/dice.ts";
import { type DaemonRig, withNotes, startDaemon } from "./rig.ts";
import { treesOf, World } from "../../planner/world.ts";

const notesInSync = (count = 3, options: Parameters<typeof withNotes>[2] = {}): Promise<DaemonRig> =>
  withNotes(count, (n) => `area/topic/note-${n}.md`, options);

describe("while all is in sync", () => {
  test("simultaneous edits of several documents, one saved by rename, are their PUTs alone", async () => {
    const rig = await notesInSync();
    rig.save("area/topic/note-0.md", "# Note 0\n\nanother text\n");
    rig.mirrored.disk.user.saveAtomically(`${ROOT}/area/topic/note-1.md`, "# Note 1\n\nanother text\n");
    rig.hint({ kind: "path", path: "area/topic/note-1.md" });
    await rig.pass(400);
    expect(rig.sent()).toHaveLength(2);
    expect(rig.app.text("area/topic/note-0.md")).toBe("# Note 0\n\nanother text\n");
    expect(rig.app.text("area/topic/note-1.md")).toBe("# Note 1\n\nanother text\n");
  });

  test("a simultaneous edit and deletion are both planned, the deletion after its grace period", async () => {
    const rig = await notesInSync();
    rig.save("area/topic/note-0.md", "# Note 0\n\nanother text\n");
    rig.remove("area/topic/note-1.md");
    await rig.pass(1_000);
    expect(rig.sent("PUT")).toHaveLength(1);
    expect(rig.daemon.status().pendingDeletions.map(({ path }) => path)).toEqual(["area/topic/note-1.md"]);
    // The next edit ends neither the delay nor its report.
    rig.save("area/topic/note-2.md", "# Note 2\n\nanother text\n");
    await rig.pass(1_000);
    expect(rig.daemon.status().pendingDeletions).toHaveLength(1);
    await rig.pass(40_000);
    expect(rig.app.text("area/topic/note-1.md")).toBeUndefined();
  });

  test("I09 a swap of two documents is two moves and no PUT", async () => {
    const rig = await notesInSync();
    const before = rig.app.files();
    rig.rename("area/topic/note-0.md", "area/topic/swap.md");
    rig.rename("area/topic/note-1.md", "area/topic/note-0.md");
    rig.rename("area/topic/swap.md", "area/topic/note-1.md");
    await rig.pass(2_000);
    expect(rig.sent("PUT")).toEqual([]);
    expect(rig.app.id("area/topic/note-0.md")).toBe(before.get("area/topic/note-1.md")?.id);
    expect(rig.app.id("area/topic/note-1.md")).toBe(before.get("area/topic/note-0.md")?.id);
  });

  test("I22 an edit leaves the blocks of other documents, and their reports", async () => {
    const rig = await notesInSync(3, { settings: { names: "block" } });
    rig.save("area/My note.md", "# Held\n");
    await rig.pass(1_000);
    const [problem] = rig.daemon.status().lastReport!.attention;
    expect(problem).toMatchObject({ path: "area/My note.md", kind: "name-refused" });
    rig.sent();
    rig.save("area/topic/note-0.md", "# Note 0\n\nanother text\n");
    await rig.pass(400);
    expect(rig.sent()).toEqual([expect.stringMatching(/^PUT /)]);
    const report = rig.daemon.status().lastReport!;
    expect(report.attention).toEqual([problem]);
    expect(report.counts).toMatchObject({ uploaded: 1, blocked: 1 });
    expect(report.state).toBe("attention");
    expect([...rig.mirrored.state.load().blocks.keys()]).toEqual(["area/My note.md"]);
  });

  test("I07 an edit that the service was ahead of is merged", async () => {
    const rig = await notesInSync();
    rig.app.edit("area/topic/note-0.md", "# Note 0, from the app\n\nits own text, number 0\n");
    rig.save("area/topic/note-0.md", "# Note 0\n\nits own text, number 0\n\nand a line from here\n");
    const both = "# Note 0, from the app\n\nits own text, number 0\n\nand a line from here\n";
    await rig.until(() => rig.app.text("area/topic/note-0.md") === both);
    await rig.until(() => rig.mirrored.texts().get("area/topic/note-0.md") === both);
  });
});

const byId = (steps: readonly { readonly action: Action }[]) =>
  steps.map(({ action }) => action).sort((a, b) => (JSON.stringify(a) < JSON.stringify(b) ? -1 : 1));

const withoutEntries = (local: LocalTree): LocalTree => ({
  ...local,
  files: new Map(),
  folders: new Map(),
  others: new Map(),
});

const TEXT = (n: number) => `# Note ${n}\n\nits own text, number ${n}\n`;

describe("a narrow view of both sides", () => {
  test("gives the same steps as the whole trees", async () => {
    for (let seed = 1; seed <= 12; seed++) {
      const rig = createRig(seed);
      const dice = rollDice(seed);
      for (let n = 0; n < 12; n++) rig.app.create(`area-${n % 3}/topic/note-${n}.md`, TEXT(n));
      const mirror = rig.mirror();
      await mirror.syncTimes(2);
      const world = mirror.world();
      const options = { settings: SETTINGS, retryRefused: false, kind: "test" };
      const still = await planOnly(world, options);
      if (still.kind !== "planned") throw new Error(still.kind);
      const seen = { local: withoutEntries(still.trees.local), remote: still.trees.remote };
      const paths: string[] = [];
      for (let n = 0; n < 12; n++) {
        if (dice.below(3) > 0) continue;
        const path = `area-${n % 3}/topic/note-${n}.md`;
        paths.push(path);
        // Only one file is saved by rename. A second would get the first one's old inode, and only
        // a scan of the whole tree may match that.
        if (paths.length > 1) mirror.write(path, `${TEXT(n)}edited\n`);
        else mirror.disk.user.saveAtomically(`${ROOT}/${path}`, `${TEXT(n)}edited\n`);
      }
      const part = makeNarrowTrees(world.state, seen, paths)!;
      const local = world.disk.scanFiles(part.local, paths, () => undefined)!;
      const whole = await planOnly(world, options);
      if (whole.kind !== "planned") throw new Error(whole.kind);
      const policy = {
        ...SETTINGS,
        refusedCharacters: "",
        remoteFolding: EXACT_DISK,
        canMoveFolders: true,
        canMoveToRoot: true,
      };
      const signals = {
        root: "same",
        lossesDone: { local: 0, remote: 0 },
        earlierVersions: new Set<never>(),
        restored: false,
        conflictsOpened: 0,
        emptied: new Set<never>(),
        approved: new Set<string>(),
      } as const;
      const plan = makePlan(
        { ...part, local },
        { ...policy, unchangedContents: null, absentTwice: null },
        signals,
        () => null,
      );
      expect(byId(plan.steps), `seed ${seed}`).toEqual(byId(whole.plan.steps));
      expect(plan.steps.every(({ action }) => action.kind === "put")).toBe(true);
      expect(plan.steps).toHaveLength(paths.length);
    }
  });

  test("is not made if anything but content has changed", async () => {
    const rig = createRig(1);
    for (let n = 0; n < 3; n++) rig.app.create(`area/note-${n}.md`, TEXT(n));
    const mirror = rig.mirror();
    await mirror.sync();
    const { state, ...world } = mirror.world();
    const still = await planOnly({ state, ...world }, { settings: SETTINGS, retryRefused: false, kind: "test" });
    if (still.kind !== "planned") throw new Error(still.kind);
    const { local, remote } = still.trees;
    const path = "area/note-0.md";
    const id = rig.app.id(path)!;
    const cut = (at: string, seen: RemoteTree = remote) => makeNarrowTrees(state, { local, remote: seen }, [at]);
    expect(cut(path)).not.toBeNull();
    expect(cut("area"), "a known folder").toBeNull();
    expect(cut("area/note-0 (theirs).md"), "a conflict copy").toBeNull();
    expect(cut(""), "everything").toBeNull();
    expect(cut(path, { ...remote, folders: new Map() }), "a folder that was not listed").toBeNull();
    expect(cut(path, { ...remote, files: new Map() }), "a document that was not listed").toBeNull();
    const shown = { ...remote.files.get(id)!, id: "doc_00000000000new" as DocId, path: "area/new.md" };
    const cutShown = () => makeNarrowTrees(state, { local, remote }, [shown.path], [shown]);
    expect(cutShown()).not.toBeNull();
    const { localDigest: digest, changeId } = state.record(id)!;
    const placed = { id: shown.id, localPath: "area/New note.md", remotePath: shown.path, changeId };
    state.putTombstone({ ...placed, digest, trashPath: null, at: 1 });
    expect(cutShown(), "a document that comes back").toBeNull();
    const block = { reason: "not-seen", detail: "", since: 1 } as const;
    state.putBlock({ ...block, key: id, path: "elsewhere.md" } as never);
    expect(cut(path), "a blocked document").toBeNull();
    state.replaceBlocks([{ ...block, key: path, path }] as never);
    expect(cut(path), "a blocked path").toBeNull();
  });
});

/**
 * Returns the documents that a daemon supposes an editor is writing, because they are empty now.
 */
function emptied(change: (world: World) => void): readonly string[] {
  const world = new World();
  world.synced("a.md", "text");
  world.synced("empty.md", "");
  change(world);
  const { base, local } = treesOf(world);
  return [...findEmptiedFiles(local, base).keys()];
}

function exchange(world: World): void {
  const [a, empty] = [world.files.get("a.md")!, world.files.get("empty.md")!];
  world.files.set("a.md", empty);
  world.files.set("empty.md", a);
}

describe("dirty paths", () => {
  test("a bulk change is due when its last path has settled, 30 s after its first at most", () => {
    const dirty = new DirtyPaths(DEFAULT_TIMING);
    for (let n = 0; n < 100; n++) dirty.note(`note-${n}.md`, false, n * 200);
    expect(dirty.dueAt()).toBe(99 * 200 + 300);
    for (let n = 100; n < 200; n++) dirty.note(`note-${n}.md`, false, n * 200);
    expect(dirty.dueAt()).toBe(30_000);
    expect(dirty.take(30_000).paths).toHaveLength(149);
    expect(dirty.dueAt()).toBe(199 * 200 + 300);
  });

  test("LIMIT: very many paths are one full scan", () => {
    const dirty = new DirtyPaths(DEFAULT_TIMING);
    for (let n = 0; n < 10_000; n++) dirty.note(`note-${n}.md`, false, 5);
    expect(dirty.count()).toBeLessThanOrEqual(2_000);
    expect(dirty.take(1_000)).toMatchObject({ whole: true, many: true });
    expect(dirty.dueAt()).toBeNull();
  });

  test("what has not settled stays, and is named", () => {
    const dirty = new DirtyPaths(DEFAULT_TIMING);
    dirty.note("early.md", false, 0);
    dirty.note("late.md", false, 4_900);
    expect([...dirty.unsettled(5_000).keys()]).toEqual(["late.md"]);
    expect(dirty.take(5_000)).toEqual({ paths: ["early.md"], whole: false, many: false });
    expect(dirty.paths(9)).toEqual(["late.md"]);
  });

  test.each<[string, readonly string[], (world: World) => void]>([
    ["a document that was empty before", [], () => undefined],
    [
      "one whose text went, in its own file",
      ["a.md"],
      (world) => Object.assign(world.files.get("a.md")!, { text: "" }),
    ],
    ["one that an editor creates again", ["a.md"], (world) => world.write("a.md", "")],
    ["the place to which an empty document was moved", [], exchange],
    [
      "that, where inodes prove nothing",
      ["a.md"],
      (world) => {
        exchange(world);
        world.inodesTrusted = false;
      },
    ],
    [
      "a file that got an empty document's inode number, later",
      ["a.md"],
      (world) => {
        exchange(world);
        Object.assign(world.files.get("a.md")!, { birthMs: 9_999 });
      },
    ],
  ])("%s: %j", (_what, content, change) => {
    expect(emptied(change)).toEqual(content);
  });
});

const inRoot = (n: number): string => `note-${n}.md`;

describe("watches", () => {
  test.each(["ENOSPC", "EMFILE"] as const)("%s is reported once, and each poll scans the folder", async (limit) => {
    const rig = createRig(1);
    rig.app.create("note.md", "# Note\n");
    const made = await startDaemon({ rig, limit });
    await made.pass(60_000);
    made.mirrored.write("note.md", "# Note\n\nedited unseen\n");
    await made.pass(40_000);
    expect(made.app.text("note.md")).toBe("# Note\n\nedited unseen\n");
    expect(made.daemon.status()).toMatchObject({ watching: "polling", limit: { code: limit } });
    await made.pass(3_600_000);
    expect(made.events.filter(({ kind }) => kind === "watch-limit")).toHaveLength(1);
    expect(made.watched.starts).toBe(1);
  });

  test("an overflow causes a full scan", async () => {
    const rig = await withNotes(8, inRoot);
    rig.mirrored.write("note-2.md", "# Note 2\n\nedited without a notice\n");
    rig.hint({ kind: "overflow", why: "queue full" });
    await rig.pass(1_000);
    expect(rig.app.text("note-2.md")).toBe("# Note 2\n\nedited without a notice\n");
  });

  test("the periodic scan finds a change without a notice", async () => {
    const rig = await withNotes(8, inRoot);
    rig.mirrored.write("note-2.md", "# Note 2\n\nedited without a notice\n");
    await rig.pass(605_000);
    expect(rig.app.text("note-2.md")).toBe("# Note 2\n\nedited without a notice\n");
  });

  test("after very many notices the folder is walked once more: the last ones may have been dropped", async () => {
    const rig = await withNotes(8, inRoot);
    for (let n = 0; n < 600; n++) rig.save(`bulk/new-${n}.md`, `# New ${n}\n`);
    await rig.pass(310);
    rig.mirrored.write("bulk/dropped.md", "# Dropped\n");
    await rig.pass(2_000);
    expect(rig.app.text("bulk/dropped.md")).toBe("# Dropped\n");
    expect(rig.app.files().size).toBe(609);
  });

  test("changed ignore rules restart the watch", async () => {
    const rig = await withNotes(8, inRoot);
    rig.mirrored.write(".mdmirrorignore", "drafts/\n");
    rig.hint({ kind: "path", path: ".mdmirrorignore" });
    await rig.pass(2_000);
    expect(rig.watched.starts).toBe(2);
  });
});

test("a pending deletion is listed as in conflict while its document is", () => {
  const deletions = new PendingDeletions(DEFAULT_TIMING);
  for (const inConflict of [false, true, false]) {
    deletions.update(new Map([["a.md", inConflict]]), new Set(), 0, () => false);
    expect(deletions.list()).toMatchObject([{ path: "a.md", inConflict }]);
  }
});
