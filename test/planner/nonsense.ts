import { fc } from "../property.ts";
import type { ChangeId, DirId, DocId } from "../../src/contract/ids.ts";
import { BLOCK_REASONS, type BlockReason } from "../../src/mirror/model/block.ts";
import type { Policy } from "../../src/mirror/model/policy.ts";
import { STILL_WRITTEN, unreadable } from "../../src/mirror/model/seen.ts";
import type { Trees } from "../../src/mirror/model/tree.ts";
import { POLICY } from "./defaults.ts";
import { World } from "./world.ts";

/**
 * Nonsense: any trees at all, paths and names that no walk and no service would show, rows that
 * contradict each other.
 */
const name = fc.constantFrom(
  "a.md",
  "b.md",
  "A.md",
  "a",
  "b",
  "../core",
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
export const lookups = new World();
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
  state: fc.constantFrom("linked" as const, "outside" as const, "suspended" as const),
});
export const anyTrees: fc.Arbitrary<Trees> = fc.record({
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
        newestCopyPath: path,
        shown: fc.array(fc.record({ changeId, digest, ino: fc.nat(3), dev: fc.constant(1) }), {
          minLength: 1,
          maxLength: 2,
        }),
        looksGone: fc.nat(2),
        since: fc.nat(),
      }),
      ({ id }) => id,
    ),
    blocks: mapBy(
      fc.record({
        key: fc.oneof(docId, dirId, path),
        path,
        reason: fc.constantFrom(...(Object.keys(BLOCK_REASONS) as BlockReason[])),
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
        kind: fc.constantFrom("conflict-copy" as const, "litter" as const, "ignored" as const),
        stamp: fc.option(stamp),
      }),
      ({ path: at }) => at,
    ),
    unseen: fc
      .array(fc.tuple(path, fc.constantFrom(unreadable("EACCES"), STILL_WRITTEN)), { maxLength: 2 })
      .map((all) => new Map(all)),
    disk: fc.record({
      foldsCase: fc.boolean(),
      foldsUnicode: fc.boolean(),
      maxNameBytes: fc.constantFrom(255, 143, 24),
    }),
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
export const anyPolicy: fc.Arbitrary<Policy> = fc
  .record({
    names: fc.constantFrom("map" as const, "block" as const),
    direction: fc.constantFrom("both" as const, "pull" as const, "push" as const),
    folderMoves: fc.boolean(),
    movesToRoot: fc.boolean(),
    retryRefused: fc.boolean(),
    absentTwice: fc.option(fc.constant(new Set<string>())),
  })
  .map((patch) => ({ ...POLICY, ...patch }));
