import { fc } from "../property.ts";
import { describe, expect, test } from "vitest";
import type { ChangeId, DirId, DocId } from "../../src/contract/ids.ts";
import { ancestorsOf, EXACT_DISK } from "../../src/model/path.ts";
import type { LocalOther, RemoteFile, RemoteFolder, Trees } from "../../src/model/tree.ts";
import { planClone } from "../../src/planner/clone-plan.ts";
import { makePlan } from "../../src/planner/plan.ts";
import { POLICY, SIGNALS } from "./defaults.ts";
import { anyPolicy, anyTrees, lookups } from "./nonsense.ts";

const BLANK: Trees["base"] = {
  links: new Map(),
  dirs: new Map(),
  tombstones: new Map(),
  conflicts: new Map(),
  holds: new Map(),
};

/** An empty folder, but for what the mirror leaves alone at these paths. */
function emptyHere(others: readonly string[], ignored: string | null, foldsCase = false): Trees["local"] {
  const kept = others.map((path): LocalOther => ({ path, kind: "other-file", stamp: null }));
  return {
    files: new Map(),
    folders: new Map(),
    others: new Map(kept.map((one) => [one.path, one])),
    unseen: new Map(),
    disk: { ...EXACT_DISK, foldsCase },
    inodesTrusted: true,
    ignores: (path) => path === ignored,
  };
}

/** A workspace with these documents, and the folders above them and these. */
function thereIs(documents: readonly string[], empty: readonly string[] = [], unlisted?: string): Trees["remote"] {
  const folders = new Set([...documents, ...empty.map((path) => `${path}/`)].flatMap((path) => ancestorsOf(path)));
  if (unlisted !== undefined) folders.delete(unlisted);
  const dirs = [...folders].map((path, n): RemoteFolder => ({ id: `dir_${n}` as DirId, path }));
  const files = documents.map((path, n): RemoteFile => {
    return { id: `doc_${n}` as DocId, path, changeId: `chg_${n}` as ChangeId, protected: n % 3 === 0 };
  });
  return {
    files: new Map(files.map((file) => [file.id, file])),
    folders: new Map(dirs.map((dir) => [dir.id, dir])),
    complete: true,
    foldersComplete: true,
    gone: new Set(),
    goneFolders: new Set(),
    outside: new Set(),
    unseen: new Map(),
  };
}

const LONG = "n".repeat(260);
const folderName = fc.constantFrom("a", "b", "B", "é", "c d", ".git", "a.md", "x-mdmirror-01234567", LONG);
const fileName = fc.constantFrom("a.md", "A.md", "b.md", "x (theirs).md", "y-0123abcd.md", ".#z.md", "z.txt", ".md");
const plain = fc.constantFrom("a", "b", "e\u0301");
const folderPath = (name: fc.Arbitrary<string>) => fc.array(name, { maxLength: 3 }).map((names) => names.join("/"));
const below = (folder: fc.Arbitrary<string>, name: fc.Arbitrary<string>) =>
  fc.tuple(folderPath(folder), name).map(([above, last]) => (above === "" ? last : `${above}/${last}`));
const documentPath = fc.oneof(
  { weight: 9, arbitrary: below(plain, fc.constantFrom("a.md", "b.md", "c.md", "y-0123abcd.md")) },
  { weight: 1, arbitrary: below(folderName, fileName) },
);
const workspace = fc.record({
  documents: fc.array(documentPath, { maxLength: 8 }),
  empty: fc.array(folderPath(plain), { maxLength: 2 }),
  others: fc.array(fc.constantFrom("a", "c.md", "readme.txt", ".git"), { maxLength: 1 }),
  ignored: fc.option(fc.constantFrom("a/a.md", "b", "c.md"), { freq: 8 }),
  unlisted: fc.option(fc.constantFrom("a", "b/a"), { freq: 8, nil: undefined }),
  foldsCase: fc.boolean(),
});

describe("the plan of a clone is the planner's", () => {
  test("I24 whatever a workspace holds, in an empty folder", () => {
    let cloned = 0;
    fc.assert(
      fc.property(workspace, anyPolicy, (given, policy) => {
        const { documents, empty, others, ignored, unlisted, foldsCase } = given;
        const remote = thereIs(documents, empty, unlisted);
        const trees = { base: BLANK, local: emptyHere(others, ignored, foldsCase), remote };
        const found = planClone(trees, policy, SIGNALS);
        if (found === null) return;
        cloned++;
        expect(found).toEqual(makePlan(trees, policy, SIGNALS, lookups.lookup()));
      }),
      { numRuns: 4_000 },
    );
    expect(cloned).toBeGreaterThan(500);
  });

  test("I24 whatever nonsense the trees are", () => {
    fc.assert(
      fc.property(anyTrees, anyPolicy, fc.boolean(), fc.boolean(), (odd, policy, isBlank, isEmpty) => {
        const { others } = odd.local;
        const here = emptyHere([...others.keys()], null);
        const trees = { ...odd, base: isBlank ? BLANK : odd.base, local: isEmpty ? here : odd.local };
        const found = planClone(trees, policy, SIGNALS);
        if (found !== null) expect(found).toEqual(makePlan(trees, policy, SIGNALS, lookups.lookup()));
      }),
      { numRuns: 4_000 },
    );
  });
});

describe("a first look is left to the planner", () => {
  const simple = () => ({ base: BLANK, local: emptyHere([], null), remote: thereIs(["a/b.md", "c.md"]) });

  test("but for a workspace whose names the disk can hold, in an empty folder", () => {
    expect(planClone(simple(), POLICY, SIGNALS)?.steps.map(({ action }) => action.kind)).toEqual([
      "make-folder-local",
      "create-local",
      "create-local",
    ]);
  });

  test.each<[string, Partial<Trees>]>([
    ["two documents have one path", { remote: thereIs(["c.md", "c.md"]) }],
    ["the disk takes two names for one", { local: emptyHere([], null, true), remote: thereIs(["c.md", "C.md"]) }],
    ["something else is at a document's path", { local: emptyHere(["c.md"], null) }],
    ["something else is at a folder's path", { local: emptyHere(["a"], null) }],
    ["a document is ignored", { local: emptyHere([], "c.md") }],
    ["a folder is not listed", { remote: thereIs(["a/b.md"], [], "a") }],
    ["a name cannot be used here", { remote: thereIs(["c.txt"]) }],
    ["a name is too long for the disk", { remote: thereIs([`${LONG}.md`]) }],
    ["a name only broke a cycle", { remote: thereIs(["c-mdmirror-01234567.md"]) }],
    ["the listing was torn", { remote: { ...thereIs(["c.md"]), complete: false } }],
    ["the folders were not listed to the end", { remote: { ...thereIs(["c.md"]), foldersComplete: false } }],
  ])("when %s", (_what, other) => {
    expect(planClone({ ...simple(), ...other }, POLICY, SIGNALS)).toBeNull();
  });

  test("when nothing may be written here", () => {
    expect(planClone(simple(), { ...POLICY, direction: "push-only" }, SIGNALS)).toBeNull();
  });
});
