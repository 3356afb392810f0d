import { fc } from "../property.ts";
import { describe, expect, test } from "vitest";
import { BorrowedMap, borrow } from "../../src/model/borrowed-map.ts";
import { makePlan } from "../../src/planner/plan.ts";
import type { DirLink } from "../../src/model/link.ts";
import type { Signals } from "../../src/planner/plan-types.ts";
import { EXACT_DISK } from "../../src/model/path.ts";
import { planQuiet } from "../../src/planner/quiet-plan.ts";
import type { LocalFile, LocalFolder, RemoteFile, RemoteFolder, Trees } from "../../src/model/tree.ts";
import { applyChanges, baseWorld, scenarios } from "./arbitrary.ts";
import { POLICY, SIGNALS } from "./defaults.ts";
import { anyPolicy, anyTrees, lookups } from "./nonsense.ts";
import { World } from "./world.ts";
import { treesOf } from "./world-trees.ts";

const byPath = <T extends { readonly path: string }>(all: readonly T[]) => new Map(all.map((one) => [one.path, one]));

/**
 * Both sides as these rows of base have them, whatever nonsense the rows are: what a quiet look
 * would show.
 */
function agreeing(trees: Trees): Trees {
  const links = [...trees.base.links.values()];
  const dirs = [...trees.base.dirs.values()];
  const files = links.flatMap(({ localPath: path, stamp, localDigest: digest }): LocalFile[] =>
    stamp === null ? [] : [{ path, stamp, stampTrusted: true, digest, textFault: null, empty: false }],
  );
  const folders = dirs.map(({ localPath: path, dev, ino, birthMs }): LocalFolder => ({ path, dev, ino, birthMs }));
  const listed = links.map(
    ({ id, remotePath: path, changeId, protected: isProtected }): RemoteFile => ({
      id,
      path,
      changeId,
      protected: isProtected,
    }),
  );
  return {
    base: { ...trees.base, conflicts: new Map(), holds: new Map() },
    local: {
      ...trees.local,
      files: byPath(files),
      folders: byPath(folders),
      unseen: new Map(),
      inodesTrusted: true,
      disk: EXACT_DISK,
    },
    remote: {
      files: new Map(listed.map((file) => [file.id, file])),
      folders: new Map(dirs.map(({ id, remotePath: path }): [typeof id, RemoteFolder] => [id, { id, path }])),
      complete: true,
      foldersComplete: true,
      gone: new Set(),
      goneFolders: new Set(),
      outside: new Set(),
      unseen: new Map(),
    },
  };
}

/** The same trees, as the looks show them: what is as its link has it is borrowed of base. */
function borrowing(trees: Trees): Trees {
  const { base, local, remote } = trees;
  const lend = <K, V>(map: ReadonlyMap<K, V>, isLent: (key: K) => boolean) => {
    const own = new Map([...map].filter(([key]) => !isLent(key)));
    const keys = [...map.keys()].filter(isLent);
    return new BorrowedMap<K, V>(base.links, borrow([keys]), (key) => map.get(key)!, own);
  };
  const vouched = new Map([...base.links.values()].map((link) => [link.localPath, link]));
  const files = lend(local.files, (path) => {
    const [link, file] = [vouched.get(path), local.files.get(path)!];
    return (
      link !== undefined &&
      link.localDigest === file.digest &&
      JSON.stringify(link.stamp) === JSON.stringify(file.stamp)
    );
  });
  const listed = lend(remote.files, (id) => {
    const [link, file] = [base.links.get(id), remote.files.get(id)!];
    if (link === undefined || link.remotePath !== file.path) return false;
    return link.changeId === file.changeId && link.protected === file.protected;
  });
  return { base, local: { ...local, files }, remote: { ...remote, files: listed } };
}

const signals: fc.Arbitrary<Signals> = fc.record({
  root: fc.constantFrom("same" as const, "moved-or-copied" as const),
  lossesDone: fc.constant({ local: 0, remote: 0 }),
  earlierChangeIds: fc.nat(2),
  refusedBases: fc.nat(4),
  restored: fc.boolean(),
  conflictsOpened: fc.nat(20),
  emptied: fc.subarray(["local", "remote"] as const).map((sides) => new Set(sides)),
  approved: fc.constant(new Set<string>()),
});

/** Which parts are taken of other trees. */
const picks = fc.record({ base: fc.boolean(), local: fc.boolean(), remote: fc.boolean() });

describe("the quiet plan is the planner's", () => {
  test("I24 a folder's name is mapped as a folder's: one that fits as a document's alone is not at rest", () => {
    const dir = { id: "dir_1", localPath: "a\0.md", remotePath: "a.md", dev: 1, ino: 1, birthMs: 1 } as DirLink;
    const [odd] = fc.sample(anyTrees, { numRuns: 1, seed: 1 });
    const base = { ...odd!.base, links: new Map(), dirs: new Map([[dir.id, dir]]), tombstones: new Map() };
    const trees = agreeing({ ...odd!, base });
    expect(planQuiet(trees, POLICY, SIGNALS)).toBeNull();
    expect(makePlan(trees, POLICY, SIGNALS, lookups.lookup()).steps).not.toEqual([]);
  });

  test("I02 I24 whatever the rows of base are, where both sides agree with them", () => {
    let quiet = 0;
    fc.assert(
      fc.property(anyTrees, anyPolicy, signals, (odd, policy, facts) => {
        const trees = agreeing(odd);
        const found = planQuiet(trees, policy, facts);
        if (found === null) return;
        quiet++;
        expect(found).toEqual(makePlan(trees, policy, facts, lookups.lookup()));
        expect(planQuiet(borrowing(trees), policy, facts)).toEqual(found);
        expect(makePlan(borrowing(trees), policy, facts, lookups.lookup())).toEqual(found);
      }),
      { numRuns: 5_000 },
    );
    expect(quiet).toBeGreaterThan(50);
  });

  test("I02 I24 whatever one side or base is, where the others agree", () => {
    fc.assert(
      fc.property(anyTrees, anyTrees, picks, anyPolicy, (odd, other, pick, policy) => {
        const all = agreeing(odd);
        const trees = {
          base: pick.base ? other.base : all.base,
          local: pick.local ? { ...all.local, ...other.local } : all.local,
          remote: pick.remote ? other.remote : all.remote,
        };
        const found = planQuiet(trees, policy, SIGNALS);
        expect(planQuiet(borrowing(trees), policy, SIGNALS)).toEqual(found);
        const plan = makePlan(trees, policy, SIGNALS, lookups.lookup());
        if (found !== null) expect(found).toEqual(plan);
        expect(makePlan(borrowing(trees), policy, SIGNALS, lookups.lookup())).toEqual(plan);
      }),
      { numRuns: 5_000 },
    );
  });

  test("I02 I24 in a world that was synced and then changed", () => {
    let quiet = 0;
    fc.assert(
      fc.property(scenarios(), (scenario) => {
        const world = baseWorld(scenario);
        expect(planQuiet(treesOf(world), POLICY, SIGNALS)).not.toBeNull();
        applyChanges(world, scenario);
        const trees = treesOf(world);
        const found = planQuiet(trees, POLICY, SIGNALS);
        expect(planQuiet(borrowing(trees), POLICY, SIGNALS)).toEqual(found);
        const plan = makePlan(trees, POLICY, SIGNALS, world.lookup());
        expect(makePlan(borrowing(trees), POLICY, SIGNALS, world.lookup())).toEqual(plan);
        if (found === null) return;
        quiet++;
        expect(found).toEqual(plan);
      }),
      { numRuns: 1_000 },
    );
    expect(quiet).toBeGreaterThan(5);
  });
});

/** Of one document and one folder, in sync. */
function synced(): World {
  const world = new World();
  world.makeFolder("d");
  world.newDir("d");
  world.linkFolders();
  world.synced("d/n.md", "text");
  return world;
}

describe("a look is not quiet", () => {
  test("but when nothing has changed", () => {
    expect(planQuiet(treesOf(synced()), POLICY, SIGNALS)?.verdict).toEqual({ kind: "run" });
  });

  test.each<[string, (world: World) => void]>([
    ["a file is new", (world) => world.write("new.md", "new")],
    ["a folder is new", (world) => world.makeFolder("new")],
    ["a file is gone", (world) => world.files.delete("d/n.md")],
    ["a text was edited", (world) => Object.assign(world.files.get("d/n.md")!, { text: "edited" })],
    ["a file was replaced by another inode", (world) => Object.assign(world.files.get("d/n.md")!, { ino: 99 })],
    ["a document is new on the service", (world) => world.newDocument("new.md", "new")],
    ["a document is not listed", (world) => world.documents.clear()],
    ["a folder is not listed", (world) => world.dirs.clear()],
    [
      "a document has another version",
      (world) => Object.assign([...world.documents.values()][0]!, { changeId: world.newChange() }),
    ],
    ["a document became protected", (world) => Object.assign([...world.documents.values()][0]!, { protected: true })],
    ["the listing was torn", (world) => (world.complete = false)],
    ["the folders were not listed to the end", (world) => (world.foldersComplete = false)],
    ["a part of the folder was not seen", (world) => world.unseen.set("d", "EACCES")],
    ["the disk makes one of several names", (world) => (world.disk = { ...world.disk, foldsCase: true })],
    ["inodes are no evidence", (world) => (world.inodesTrusted = false)],
  ])("when %s", (_what, change) => {
    const world = synced();
    change(world);
    expect(planQuiet(treesOf(world), POLICY, SIGNALS)).toBeNull();
  });
});
