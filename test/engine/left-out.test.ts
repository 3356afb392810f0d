import { expect, test } from "vitest";
import type { ChangeId, DocId } from "../../src/contract/ids.ts";
import type { Link } from "../../src/mirror/model/link.ts";
import { runCycle } from "../../src/mirror/engine/run/cycle.ts";
import { EXACT_DISK } from "../../src/contract/path.ts";
import { remoteFileOf } from "../../src/mirror/model/left-out.ts";
import { Records } from "../../src/mirror/model/records.ts";
import { type Mirror, SETTINGS } from "../simulator/mirror.ts";
import { createRig, type Rig } from "../simulator/rig.ts";

const PATHS = ["a.md", "b.md", "f/c.md", "f/d.md", "g/e.md"];

/** Returns a mirror in sync, whose files have stamps that are trusted. */
async function inSync(seed: number): Promise<{ rig: Rig; mirror: Mirror }> {
  const rig = createRig(seed);
  for (const path of PATHS) rig.app.create(path, `text of ${path}`);
  const mirror = rig.mirror();
  await mirror.sync();
  mirror.disk.advance(5_000);
  await mirror.sync();
  return { rig, mirror };
}

/** Runs a cycle. Returns the local paths of base and the paths of both sides in its trees. */
async function cycle(mirror: Mirror) {
  const run = { number: mirror.state.beginRun("sync", 0) };
  const common = { run, settings: SETTINGS, retryRefused: false, unchangedContents: null };
  const end = await runCycle(mirror.world(), { ...common, dry: false, leavesOut: true });
  if (end.kind === "offline") throw new Error(end.fault.detail);
  const { base, local, remote, leftOut } = end.trees;
  return {
    base: Array.from(base.links.values(), ({ localPath }) => localPath).sort(),
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
  const [link] = mirror.state.load().links.values();
  const records = new Records(EXACT_DISK, (id) => mirror.state.link(id));
  mirror.state.load((one) => records.add(one));
  records.beginList();
  const file = remoteFileOf(link!);
  const protectedOne = { ...file, protected: true };
  expect([records.takeListed(file), records.takeListed(file), records.takeListed(protectedOne)]).toEqual([
    "taken",
    "again",
    "left",
  ]);
  expect(records.unlisted([file.id]).has(file.id)).toBe(true);
});

test("I04 I33 a document that the list does not show is in the trees, beside one that proves the key", async () => {
  const { rig, mirror } = await inSync(62);
  rig.app.remove("b.md");
  const { base, remote, actions } = await cycle(mirror);
  expect([base.includes("b.md"), base.length, remote.includes("b.md"), actions]).toEqual([
    true,
    2,
    false,
    ["trash-local"],
  ]);
});

test("I33 thousands of records keep their own stamps and versions", async () => {
  const { mirror } = await inSync(65);
  const [link] = mirror.state.load().links.values();
  const linkOf = (n: number): Link => {
    const [id, changeId, path] = [`doc_${n}` as DocId, `chg_${n}` as ChangeId, `n${n}.md`];
    return { ...link!, id, changeId, localPath: path, remotePath: path, stamp: { ...link!.stamp!, ino: n } };
  };
  const all = Array.from({ length: 5_000 }, (_, n) => linkOf(n));
  const records = new Records(EXACT_DISK, (id) => all[Number(id.slice(4))]!);
  for (const one of all) records.add(one);
  expect(all.map(({ localPath, stamp }) => records.numberOf(localPath, stamp!))).toEqual([...all.keys()]);
  expect(all.filter(({ localPath }, n) => records.numberOf(localPath, linkOf(n + 1).stamp!) !== null)).toEqual([]);
  expect(new Set(all.map((one) => records.takeListed(remoteFileOf(one))))).toEqual(new Set(["taken"]));
});
