import { expect, test, it } from "vitest";
import { observeRemote, observeLocalAsync } from "../../src/mirror/engine/observe/observe.ts";
import type { Remote } from "../../src/mirror/ports/remote.ts";
import { CONCURRENCY } from "../../src/mirror/remote/queue.ts";
import { makeLocalContentStore } from "../../src/mirror/engine/apply/effect.ts";
import type { ChangeId, DocId } from "../../src/contract/ids.ts";
import { createLocal } from "../../src/mirror/engine/apply/download.ts";
import { CycleContext } from "../../src/mirror/engine/run/cycle-context.ts";
import { type DocumentRecord, isAway, indexRecordsByPath } from "../../src/mirror/model/record.ts";
import { runCycle } from "../../src/mirror/engine/run/cycle.ts";
import { EXACT_DISK } from "../../src/contract/path.ts";
import { RecordColumns, toRemoteFile } from "../../src/mirror/model/left-out.ts";
import { createRig, type Rig } from "../simulator/rig.ts";
import { SETTINGS, type Mirror, withCalls } from "../simulator/mirror.ts";
import { settle } from "../promises/fixture.ts";

test("I20 the document that is read to prove that the key works is in the observation once, beside a deleted one", async () => {
  const rig = createRig(50);
  const ids = ["a.md", "b.md", "c.md", "d.md"].map((path) => rig.app.create(path, path));
  const mirror = rig.mirror();
  await mirror.sync();
  rig.app.edit("a.md", "edited");
  rig.app.remove("d.md");
  const world = mirror.world();
  const { kind, ...look } = await observeRemote(world, world.state.load(), false);
  const { files, gone } = ("tree" in look && look.tree) || { files: new Map(), gone: new Set() };
  expect(kind).toBe("seen");
  expect(files.size).toBe(3);
  expect([...files.keys()].sort()).toEqual(ids.slice(0, 3).sort());
  expect([...gone]).toEqual(ids.slice(3));
});

test("I01 a document that is gone on the service is not taken for one that rests, beside one that changed", async () => {
  const rig = createRig(51);
  for (const path of ["a.md", "b.md", "c.md", "d.md"]) rig.app.create(path, path);
  const mirror = rig.mirror();
  // The second cycle reads each file again, and trusts its stamp from then on.
  await mirror.sync();
  mirror.disk.advance(5_000);
  await mirror.sync();
  rig.app.edit("a.md", "edited");
  rig.app.remove("d.md");
  const report = await mirror.sync();
  expect(report!.state).toBe("in-sync");
  expect(report!.counts.deletedLocal).toBe(1);
  expect([...mirror.texts().keys()].sort()).toEqual(["a.md", "b.md", "c.md"]);
});

test("I33 contents in flight fill the service's request limit, and hardly exceed it", async () => {
  const mirror = createRig(5).mirror({});
  for (let n = 0; n < 500; n++) mirror.write(`${n}.md`, `text ${n}\n`);
  let [waiting, most] = [0, 0];
  mirror.alterWorld = ({ remote, ...world }) => {
    const createFile: Remote["createFile"] = async (...file) => {
      most = Math.max(most, ++waiting);
      await world.clock.sleep(1_000);
      waiting--;
      return remote.createFile(...file);
    };
    return { ...world, remote: withCalls(remote, { createFile }) };
  };
  await mirror.sync();
  expect(most).toBeGreaterThanOrEqual(CONCURRENCY.most);
  expect(most).toBeLessThanOrEqual(CONCURRENCY.most + 8);
});

test("a scan of the folder reports between its parts how many files it has read", async () => {
  const mirror = createRig(1).mirror({});
  for (let n = 0; n < 1_500; n++) mirror.write(`${n % 30}/${n}.md`, `text ${n}\n`);
  const world = mirror.world();
  const base = world.state.load();
  const calls: (readonly [number, number | null])[] = [];
  const report = (_: string, done: number, total: number | null) => calls.push([done, total]);
  const turns = async () => undefined;
  await observeLocalAsync(
    { ...world, progress: { report } },
    base,
    true,
    makeLocalContentStore(world.state, base),
    turns,
  );
  expect(calls[0]).toEqual([0, null]);
  expect(calls.at(-1)).toEqual([1_500, 1_500]);
  const between = calls.slice(1, -1);
  expect(between.length).toBeGreaterThan(0);
  for (const [index, [done, total]] of between.entries()) {
    expect(total).toBeNull();
    expect(done).toBeGreaterThan(calls[index]![0]);
  }
});

test("I12 a new file that is made outside of a plan has its base when its effect ends", async () => {
  const rig = createRig(11);
  const id = rig.app.create("a.md", "text\n");
  const world = rig.mirror({}).world();
  const ctx = new CycleContext(world, { run: { number: 1 }, settings: SETTINGS });
  const others = Promise.withResolvers<void>();
  const running = ctx.group.during(() => others.promise);
  const outcome = await createLocal(ctx, {
    kind: "create-local",
    why: "a manual change",
    id,
    localPath: "a.md",
    remotePath: "a.md",
    changeId: rig.app.files().get("a.md")!.changeId as ChangeId,
  });
  expect([outcome.kind, world.state.record(id)?.localPath]).toEqual(["done", "a.md"]);
  others.resolve();
  await running;
});

const PATHS = ["a.md", "b.md", "f/c.md", "f/d.md", "g/e.md"];

/** Returns a mirror in sync whose files have trusted stamps. */
async function inSync(seed: number): Promise<{ rig: Rig; mirror: Mirror }> {
  const rig = createRig(seed);
  for (const path of PATHS) rig.app.create(path, `text of ${path}`);
  const mirror = rig.mirror();
  await mirror.sync();
  mirror.disk.advance(5_000);
  await mirror.sync();
  return { rig, mirror };
}

/**
 * Runs a cycle. Returns the local paths in base, and the paths of both sides in the cycle's trees.
 */
async function cycle(mirror: Mirror) {
  const run = { number: mirror.state.beginRun("sync", 0) };
  const common = { run, settings: SETTINGS, retryRefused: false, unchangedContents: null };
  const end = await runCycle(mirror.world(), { ...common, dry: false, leavesOut: true });
  if (end.kind === "offline") throw new Error(end.fault.detail);
  const { base, local, remote, leftOut } = end.trees;
  return {
    base: Array.from(base.records.values(), ({ localPath }) => localPath).sort(),
    local: [...local.files.keys()].sort(),
    remote: Array.from(remote.files.values(), ({ path }) => path).sort(),
    leftOut: leftOut?.count,
    actions: end.plan.steps.map(({ action }) => action.kind).sort(),
  };
}

test("I33 the trees of a sync with nothing to do contain no document", async () => {
  const { mirror } = await inSync(60);
  expect(await cycle(mirror)).toEqual({ base: [], local: [], remote: [], leftOut: PATHS.length, actions: [] });
});

test("I33 the trees contain a document that one side has edited, and no other", async () => {
  const { rig, mirror } = await inSync(61);
  mirror.write("a.md", "edited locally");
  rig.app.edit("f/c.md", "edited on the service");
  const changed = ["a.md", "f/c.md"];
  expect(await cycle(mirror)).toEqual({
    base: changed,
    local: changed,
    remote: changed,
    leftOut: PATHS.length - changed.length,
    actions: ["put", "write-local"],
  });
});

test("I20 I33 a document that is listed twice counts as it was listed last", async () => {
  const { mirror } = await inSync(64);
  const [record] = mirror.state.load().records.values();
  const columns = new RecordColumns(EXACT_DISK, (id) => mirror.state.record(id));
  mirror.state.load((one) => columns.add(one));
  columns.beginList();
  const file = toRemoteFile(record!);
  const protectedOne = { ...file, protected: true };
  expect(columns.markListed(file)).toBe("taken");
  expect(columns.markListed(file)).toBe("again");
  expect(columns.markListed(protectedOne)).toBe("left");
  expect(columns.unlisted([file.id]).has(file.id)).toBe(true);
});

test("I04 I33 a document that the list does not show is in the trees, beside one that proves the key", async () => {
  const { rig, mirror } = await inSync(62);
  rig.app.remove("b.md");
  const { base, remote, actions } = await cycle(mirror);
  expect(base).toContain("b.md");
  expect(base).toHaveLength(2);
  expect(remote).not.toContain("b.md");
  expect(actions).toEqual(["trash-local"]);
});

test("I33 thousands of records keep their own stamps and versions", async () => {
  const { mirror } = await inSync(65);
  const [record] = mirror.state.load().records.values();
  const recordOf = (n: number): DocumentRecord => {
    const [id, changeId, path] = [`doc_${n}` as DocId, `chg_${n}` as ChangeId, `n${n}.md`];
    return { ...record!, id, changeId, localPath: path, remotePath: path, stamp: { ...record!.stamp!, ino: n } };
  };
  const all = Array.from({ length: 5_000 }, (_, n) => recordOf(n));
  const columns = new RecordColumns(EXACT_DISK, (id) => all[Number(id.slice(4))]!);
  for (const one of all) columns.add(one);
  expect(all.map(({ localPath, stamp }) => columns.numberOf(localPath, stamp!))).toEqual([...all.keys()]);
  expect(all.filter(({ localPath }, n) => columns.numberOf(localPath, recordOf(n + 1).stamp!) !== null)).toEqual([]);
  expect(new Set(all.map((one) => columns.markListed(toRemoteFile(one))))).toEqual(new Set(["taken"]));
});

/**
 * Returns a folder linked to `part` of the workspace. A document was moved out of `part`, so its
 * local file is in the trash.
 */
async function withOneOutside(seed: number, path: string): Promise<{ rig: Rig; mirror: Mirror }> {
  const rig = createRig(seed);
  rig.app.create("part/stays.md", "stays\n");
  rig.app.create(`part/${path}`, "left\n");
  rig.app.makeFolder("elsewhere");
  const mirror = rig.mirror({ prefix: "part" });
  await settle(mirror);
  rig.app.move(`part/${path}`, "elsewhere");
  await settle(mirror);
  expect(mirror.texts()).toEqual(new Map([["stays.md", "stays\n"]]));
  return { rig, mirror };
}

it("a file restored from the trash to its path, after its document left the linked part, is a new document and stays", async () => {
  const { rig, mirror } = await withOneOutside(31, "note.md");
  mirror.write("note.md", "left\n");
  // Old enough that the first scan trusts its stamp.
  mirror.disk.advance(10_000);
  await settle(mirror);
  expect(mirror.texts().get("note.md")).toBe("left\n");
  expect(Object.fromEntries(rig.app.texts())).toEqual({
    "elsewhere/note.md": "left\n",
    "part/note.md": "left\n",
    "part/stays.md": "stays\n",
  });
});

it("I09 a document at the path of one that left the subtree keeps its id after any save", async () => {
  const { rig, mirror } = await withOneOutside(32, "note.md");
  const id = rig.app.create("part/note.md", "left\n");
  await settle(mirror);
  mirror.disk.advance(10_000);
  await settle(mirror);
  // A save by rename, so the inode is another.
  mirror.remove("note.md");
  mirror.write("note.md", "left, and edited locally\n");
  mirror.disk.advance(10_000);
  await settle(mirror);
  expect(rig.app.files().get("part/note.md")).toMatchObject({ id, text: "left, and edited locally\n" });
  expect(rig.app.text("elsewhere/note.md")).toBe("left\n");
});

it("I11 I18 a document blocked outside whose file is removed frees its path, and is restored when it is moved back", async () => {
  const rig = createRig(36);
  rig.app.create("part/stays.md", "stays\n");
  const left = rig.app.create("part/note.md", "left\n");
  rig.app.makeFolder("elsewhere");
  const mirror = rig.mirror({ prefix: "part" });
  await settle(mirror);
  mirror.write("note.md", "left, and edited locally\n");
  rig.app.move("part/note.md", "elsewhere");
  expect((await mirror.sync())?.state).toBe("attention");
  mirror.remove("note.md");
  const other = rig.app.create("part/note.md", "another one\n");
  await settle(mirror);
  expect((await mirror.sync())?.state).toBe("in-sync");
  const { records } = mirror.state.load();
  expect(indexRecordsByPath(records.values()).get("note.md")?.id).toBe(other);
  expect(isAway(records.get(left)!)).toBe(true);
  expect(Object.fromEntries(rig.app.texts())).toEqual({
    "elsewhere/note.md": "left\n",
    "part/note.md": "another one\n",
    "part/stays.md": "stays\n",
  });
  rig.app.rename("part/note.md", "other.md");
  rig.app.move("elsewhere/note.md", "part");
  await settle(mirror);
  expect(Object.fromEntries(mirror.texts())).toEqual({
    "note.md": "left\n",
    "other.md": "another one\n",
    "stays.md": "stays\n",
  });
});
