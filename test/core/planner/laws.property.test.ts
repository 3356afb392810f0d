import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { ChangeId, DirId, DocId } from "../../../src/contract/ids.ts";
import { CONTENT_RULES, type ContentRule } from "../../../src/core/decide/table.ts";
import type { LocalContent, RemoteContent } from "../../../src/core/drift/drift.ts";
import { explainPath } from "../../../src/core/explain.ts";
import { HOLD_REASONS, type HoldReason } from "../../../src/core/hold.ts";
import { makePlan } from "../../../src/core/plan.ts";
import type { Policy } from "../../../src/core/policy.ts";
import type { Trees } from "../../../src/core/tree.ts";
import { applyChanges, baseWorld, scenarios } from "./arbitrary.ts";
import { execute } from "./executor.ts";
import { planOf } from "./table.ts";
import { POLICY, SIGNALS, World } from "./world.ts";

/** Nonsense: any trees at all, paths and names that no walk and no service would show, rows that contradict each other. */
const name = fc.constantFrom(
  "a.md",
  "b.md",
  "A.md",
  "a",
  "b",
  "..",
  ".git",
  "a b.md",
  "x (theirs).md",
  "",
  "a\0.md",
  "é.md",
);
const path = fc.array(name, { maxLength: 3 }).map((names) => names.join("/"));
const docId = fc.constantFrom("doc_1", "doc_2", "doc_3", "doc_4") as fc.Arbitrary<DocId>;
const dirId = fc.constantFrom("dir_1", "dir_2", "dir_3") as fc.Arbitrary<DirId>;
const changeId = fc.constantFrom("chg_1", "chg_2") as fc.Arbitrary<ChangeId>;
const texts = ["", "one\ntwo", "one\ntwo\nthree", "<<<<<<< a\n=======\n>>>>>>> b"];
const lookups = new World();
const digest = fc.constantFrom(...texts).map((text) => lookups.digest(text));
const stamp = fc.record({
  dev: fc.constantFrom(1, 2),
  ino: fc.nat(3),
  birthMs: fc.nat(1),
  nlink: fc.constantFrom(1, 2),
  size: fc.constant(1),
  mtimeMs: fc.constant(1),
  ctimeMs: fc.constant(1),
});

function mapBy<K, V>(value: fc.Arbitrary<V>, key: (value: V) => K, maxLength = 4): fc.Arbitrary<ReadonlyMap<K, V>> {
  return fc.array(value, { maxLength }).map((values) => new Map(values.map((one) => [key(one), one])));
}

const link = fc.record({
  id: docId,
  localPath: path,
  remotePath: path,
  changeId,
  digest,
  localDigest: digest,
  stamp: fc.option(stamp),
  stampTrusted: fc.boolean(),
  protected: fc.boolean(),
  durable: fc.boolean(),
  echoDigest: fc.option(digest),
  submissions: fc.array(fc.record({ digest, baseChangeId: changeId, at: fc.nat() }), { maxLength: 1 }),
  standing: fc.constantFrom("linked" as const, "outside" as const, "suspended" as const),
});
const anyTrees: fc.Arbitrary<Trees> = fc.record({
  base: fc.record({
    links: mapBy(link, ({ id }) => id),
    dirs: mapBy(
      fc.record({ id: dirId, localPath: path, remotePath: path, dev: fc.nat(1), ino: fc.nat(3), birthMs: fc.nat(2) }),
      ({ id }) => id,
    ),
    tombstones: mapBy(
      fc.record({
        id: docId,
        localPath: path,
        remotePath: path,
        changeId,
        digest,
        trashPath: fc.constant(null),
        at: fc.nat(),
      }),
      ({ id }) => id,
    ),
    conflicts: mapBy(
      fc.record({
        id: docId,
        baseDigest: fc.option(digest),
        baseChangeId: fc.option(changeId),
        sidecarPath: path,
        sidecarIno: fc.nat(3),
        sidecarDev: fc.constant(1),
        shown: fc.array(fc.record({ changeId, digest, at: fc.nat() }), { minLength: 1, maxLength: 2 }),
        looksGone: fc.nat(2),
        since: fc.nat(),
      }),
      ({ id }) => id,
    ),
    holds: mapBy(
      fc.record({
        key: fc.oneof(docId, dirId, path),
        path,
        reason: fc.constantFrom(...(Object.keys(HOLD_REASONS) as HoldReason[])),
        code: fc.constant(null),
        detail: fc.constant(""),
        requestId: fc.constant(null),
        digest: fc.option(digest),
        changeId: fc.option(changeId),
        since: fc.nat(),
      }),
      ({ key }) => key,
    ),
  }),
  local: fc.record({
    files: mapBy(
      fc.record({
        path,
        stamp,
        stampTrusted: fc.boolean(),
        digest,
        textFault: fc.constantFrom(null, null, "too-large" as const),
        empty: fc.boolean(),
      }),
      ({ path: at }) => at,
      6,
    ),
    folders: mapBy(fc.record({ path, dev: fc.nat(1), ino: fc.nat(3), birthMs: fc.nat(2) }), ({ path: at }) => at),
    others: mapBy(
      fc.record({
        path,
        kind: fc.constantFrom("sidecar" as const, "litter" as const, "ignored" as const),
        stamp: fc.option(stamp),
      }),
      ({ path: at }) => at,
    ),
    unseen: fc
      .array(fc.tuple(path, fc.constantFrom("EACCES", "still-being-written")), { maxLength: 2 })
      .map((all) => new Map(all)),
    disk: fc.record({ foldsCase: fc.boolean(), foldsUnicode: fc.boolean() }),
    inodesTrusted: fc.boolean(),
    ignores: fc.constantFrom(
      (at: string) => at.startsWith("b"),
      () => false,
    ),
  }),
  remote: fc.record({
    files: mapBy(fc.record({ id: docId, path, changeId, protected: fc.boolean() }), ({ id }) => id),
    folders: mapBy(fc.record({ id: dirId, path }), ({ id }) => id),
    complete: fc.boolean(),
    foldersComplete: fc.boolean(),
    gone: fc.array(docId, { maxLength: 3 }).map((ids) => new Set(ids)),
    goneFolders: fc.array(dirId, { maxLength: 3 }).map((ids) => new Set(ids)),
    outside: fc.array(docId, { maxLength: 2 }).map((ids) => new Set(ids)),
    unseen: fc.array(fc.tuple(docId, fc.constant("x")), { maxLength: 2 }).map((all) => new Map(all)),
  }),
});
const anyPolicy: fc.Arbitrary<Policy> = fc
  .record({
    names: fc.constantFrom("map" as const, "hold" as const),
    direction: fc.constantFrom("both" as const, "pull-only" as const, "push-only" as const),
    folderMoves: fc.boolean(),
    movesToRoot: fc.boolean(),
    retryRefused: fc.boolean(),
    absentTwice: fc.option(fc.constant(new Set<string>())),
  })
  .map((patch) => ({ ...POLICY, ...patch }));

function freeze<T>(value: T): T {
  if (typeof value !== "object" || value === null || Object.isFrozen(value)) return value;
  Object.freeze(value);
  const inside = value instanceof Map || value instanceof Set ? [...value].flat() : Object.values(value);
  for (const one of inside) freeze(one);
  return value;
}

/** A map or set whose contents cannot change unnoticed. */
function copyOf(trees: Trees): string {
  const plain = (_: string, value: unknown): unknown =>
    value instanceof Map || value instanceof Set ? [...value] : value;
  return JSON.stringify(trees, plain);
}

describe("laws", () => {
  test("I24 it is pure and total: any trees, even nonsense, give the same plan again, and stay as they were", () => {
    fc.assert(
      fc.property(anyTrees, anyPolicy, (trees, policy) => {
        const before = copyOf(trees);
        freeze(trees);
        const plan = makePlan(trees, policy, SIGNALS, lookups.lookup());
        expect(makePlan(trees, policy, SIGNALS, lookups.lookup())).toEqual(plan);
        expect(copyOf(trees)).toBe(before);
        for (const [index, { after }] of plan.steps.entries()) for (const one of after) expect(one).toBeLessThan(index);
        for (const at of trees.local.files.keys()) explainPath(trees, policy, lookups.lookup(), at);
      }),
      { numRuns: 3000 },
    );
  });

  test("I32 the order of the input is nothing", () => {
    fc.assert(
      fc.property(scenarios(), (scenario) => {
        const world = baseWorld(scenario);
        applyChanges(world, scenario);
        const trees = world.trees();
        const reversed = <K, V>(map: ReadonlyMap<K, V>): ReadonlyMap<K, V> => new Map([...map].reverse());
        const other: Trees = {
          base: { ...trees.base, links: reversed(trees.base.links), dirs: reversed(trees.base.dirs) },
          local: { ...trees.local, files: reversed(trees.local.files), folders: reversed(trees.local.folders) },
          remote: { ...trees.remote, files: reversed(trees.remote.files), folders: reversed(trees.remote.folders) },
        };
        const kinds = (one: Trees) =>
          makePlan(one, POLICY, SIGNALS, world.lookup())
            .steps.map(({ action }) => JSON.stringify(action))
            .sort();
        expect(kinds(other)).toEqual(kinds(trees));
      }),
      { numRuns: 500 },
    );
  });

  test("I05 without links nothing is deleted or overwritten, on either side", () => {
    const harmless = new Set([
      "meet",
      "create-local",
      "create-remote",
      "make-folder-local",
      "make-folder-remote",
      "link-folder",
    ]);
    fc.assert(
      fc.property(anyTrees, anyPolicy, (trees, policy) => {
        const base = { ...trees.base, links: new Map(), dirs: new Map(), conflicts: new Map() };
        const plan = makePlan({ ...trees, base }, policy, SIGNALS, lookups.lookup());
        for (const { action } of plan.steps) expect(harmless).toContain(action.kind);
      }),
      { numRuns: 1000 },
    );
  });

  test("I04 I20 nothing is trashed that is not proven gone, nothing deleted there that was only not seen here", () => {
    fc.assert(
      fc.property(anyTrees, anyPolicy, (trees, policy) => {
        for (const { action } of makePlan(trees, policy, SIGNALS, lookups.lookup()).steps) {
          if (action.kind === "trash-local") {
            const proven = trees.remote.complete && trees.remote.gone.has(action.id);
            expect(proven || trees.remote.outside.has(action.id)).toBe(true);
          }
          if (action.kind === "delete-remote") {
            const { localPath } = trees.base.links.get(action.id)!;
            expect(trees.local.unseen.has(localPath)).toBe(false);
            expect(trees.local.ignores(localPath, "file")).toBe(false);
          }
        }
      }),
      { numRuns: 2000 },
    );
  });

  test("I06 content is decided the same way round: what wins here wins there", () => {
    const mirror: Record<"unchanged" | "edited" | "deleted", RemoteContent> = {
      unchanged: "unchanged",
      edited: "edited",
      deleted: "gone",
    };
    const mirrored: Partial<Record<ContentRule, readonly ContentRule[]>> = {
      nothing: ["nothing"],
      "write-local": ["put"],
      put: ["write-local"],
      merge: ["merge"],
      "delete-remote": ["trash-local"],
      "trash-local": ["delete-remote"],
      "come-back": ["post-as-new"],
      "post-as-new": ["come-back"],
      forget: ["forget"],
    };
    const back: Partial<Record<RemoteContent, LocalContent>> = {
      unchanged: "unchanged",
      edited: "edited",
      gone: "deleted",
    };
    for (const [here, there] of Object.entries(mirror) as ["unchanged" | "edited" | "deleted", RemoteContent][])
      for (const other of ["unchanged", "edited", "gone"] as const) {
        const rule = CONTENT_RULES[`${here}/${other}`];
        const turned = CONTENT_RULES[`${back[other]!}/${there as "unchanged" | "edited" | "gone"}`];
        expect(mirrored[rule]).toContain(turned);
      }
  });

  test("I17 independent documents do not wait for each other", () => {
    const world = new World();
    for (let i = 0; i < 200; i++) world.synced(`d/n${i}.md`, `text ${i}`);
    for (const [path, file] of world.files) file.text += path;
    for (let i = 0; i < 200; i++) world.write(`new${i}.md`, `new ${i}`);
    const { steps } = planOf(world);
    expect(steps).toHaveLength(400);
    expect(steps.every(({ after }) => after.length === 0)).toBe(true);
  });

  test("I17 I01 after any step failed, the next passes bring the rest about", () => {
    fc.assert(
      fc.property(scenarios(), fc.nat(30), fc.infiniteStream(fc.nat(1000)), (scenario, failing, picks) => {
        const world = baseWorld(scenario);
        applyChanges(world, scenario);
        const first = planOf(world);
        const pick = (n: number): number => (picks.next().value as number) % n;
        execute(world, first.steps, pick, new Set(first.steps.length === 0 ? [] : [failing % first.steps.length]));
        for (let pass = 0; pass < 6; pass++) execute(world, planOf(world).steps, pick);
        expect(planOf(world).steps).toEqual([]);
      }),
      { numRuns: 1500 },
    );
  });
});
