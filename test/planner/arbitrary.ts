import { isBelow, isWithin, joinPath } from "../../src/contract/path.ts";
import type { ChangeId, DirId, DocId } from "../../src/contract/ids.ts";
import { BLOCK_REASONS, type BlockReason } from "../../src/mirror/model/block.ts";
import type { Policy } from "../../src/mirror/model/policy.ts";
import { makeUnreadable, STILL_WRITTEN_REASON, type Trees } from "../../src/mirror/model/tree.ts";
import { fc } from "../property.ts";
import { World } from "./world.ts";
import { POLICY } from "./table.ts";

/**
 * Draws random worlds: a synced tree, then random changes of existing documents and folders on both
 * sides.
 */

const NAMES = ["a", "b", "c"];

export type Change = {
  readonly side: "local" | "remote";
  readonly kind: "new" | "edit" | "save" | "rm" | "mv" | "mkdir" | "mvdir" | "rmdir";
  readonly what: number;
  readonly where: number;
  readonly name: number;
};

export type Scenario = {
  readonly folders: readonly (readonly [number, number])[];
  readonly files: readonly (readonly [number, number])[];
  readonly changes: readonly Change[];
};

const change = (sides: readonly ("local" | "remote")[]): fc.Arbitrary<Change> =>
  fc.record({
    side: fc.constantFrom(...sides),
    kind: fc.constantFrom("new", "edit", "save", "rm", "mv", "mv", "mkdir", "mvdir", "mvdir", "rmdir"),
    what: fc.nat(20),
    where: fc.nat(20),
    name: fc.nat(2),
  });

export function scenarios(sides: readonly ("local" | "remote")[] = ["local", "remote"]): fc.Arbitrary<Scenario> {
  return fc.record({
    folders: fc.array(fc.tuple(fc.nat(5), fc.nat(2)), { maxLength: 5 }),
    files: fc.array(fc.tuple(fc.nat(5), fc.nat(2)), { maxLength: 6 }),
    changes: fc.array(change(sides), { maxLength: 8 }),
  });
}

/** Returns the synced world before the changes. */
export function baseWorld({ folders, files }: Scenario): World {
  const world = new World();
  const paths = [""];
  for (const [above, name] of folders) {
    const path = joinPath(paths[above % paths.length]!, NAMES[name]!);
    if (paths.includes(path) || path.split("/").length > 3) continue;
    paths.push(path);
    world.makeFolder(path);
    world.newDir(path);
  }
  world.recordFolders();
  for (const [above, name] of files) {
    const path = joinPath(paths[above % paths.length]!, `${NAMES[name]}.md`);
    if (!world.files.has(path)) world.synced(path, textOf(world.next()));
  }
  return world;
}

/** Returns a document with unique lines, so that no other document is similar by chance. */
export function textOf(number: number): string {
  return `text ${number}\nline ${number} one\nline ${number} two\nline ${number} three\n`;
}

export function applyChanges(world: World, { changes }: Scenario): string[] {
  return changes.map((one) => `${one.side} ${(one.side === "local" ? changeLocally : changeOnService)(world, one)}`);
}

function pick<T>(list: readonly T[], number: number): T | undefined {
  return list.length === 0 ? undefined : list[number % list.length];
}

function changeLocally(world: World, { kind, what, where, name }: Change): string {
  const folders = ["", ...[...world.folders.keys()].sort()];
  const parent = pick(folders, where)!;
  const file = pick([...world.files.keys()].sort(), what);
  const folder = pick(folders.slice(1), what);
  const toFile = joinPath(parent, `${NAMES[name]}.md`);
  const toFolder = joinPath(parent, NAMES[name]!);
  switch (kind) {
    case "new":
      if (world.files.has(toFile)) return "-";
      world.write(toFile, textOf(world.next()));
      return `new ${toFile}`;
    case "edit":
      if (file === undefined) return "-";
      world.files.get(file)!.text += `edit ${world.next()}\n`;
      return `edit ${file}`;
    case "save": {
      if (file === undefined) return "-";
      const { text } = world.files.get(file)!;
      world.write(file, `${text}save ${world.next()}\n`);
      return `save ${file}`;
    }
    case "rm":
      if (file === undefined) return "-";
      world.files.delete(file);
      return `rm ${file}`;
    case "mv":
      if (file === undefined || file === toFile) return "-";
      world.moveLocal(file, toFile);
      return `mv ${file} ${toFile}`;
    case "mkdir":
      world.makeFolder(toFolder);
      return `mkdir ${toFolder}`;
    case "mvdir":
      if (folder === undefined || isWithin(toFolder, folder) || world.folders.has(toFolder)) return "-";
      world.moveLocal(folder, toFolder);
      return `mvdir ${folder} ${toFolder}`;
    case "rmdir":
      if (folder === undefined) return "-";
      for (const map of [world.files, world.folders] as Map<string, unknown>[])
        for (const path of [...map.keys()]) if (isWithin(path, folder)) map.delete(path);
      return `rmdir ${folder}`;
  }
}

function changeOnService(world: World, { kind, what, where, name }: Change): string {
  const folders = ["", ...[...world.dirs.values()].sort()];
  const parent = pick(folders, where)!;
  const id = pick([...world.documents.keys()].sort(), what);
  const document = id === undefined ? undefined : world.documents.get(id)!;
  const dir = pick([...world.dirs.keys()].sort(), what);
  const toFile = joinPath(parent, `${NAMES[name]}.md`);
  const toFolder = joinPath(parent, NAMES[name]!);
  const taken = [...world.documents.values()].some(({ path }) => path === toFile);
  switch (kind) {
    case "new":
      if (taken) return "-";
      world.newDocument(toFile, textOf(world.next()));
      return `new ${toFile}`;
    case "edit":
    case "save":
      if (document === undefined) return "-";
      document.text += `edit ${world.next()}\n`;
      document.changeId = world.newChange();
      return `edit ${document.path}`;
    case "rm":
      if (document === undefined) return "-";
      world.documents.delete(id!);
      return `rm ${document.path}`;
    case "mv": {
      if (document === undefined || taken) return "-";
      const from = document.path;
      document.path = toFile;
      return `mv ${from} ${toFile}`;
    }
    case "mkdir":
      world.newDir(toFolder);
      return `mkdir ${toFolder}`;
    case "mvdir": {
      const from = dir === undefined ? undefined : world.dirs.get(dir);
      if (from === undefined || isWithin(toFolder, from) || folders.includes(toFolder)) return "-";
      world.moveDir(dir!, toFolder);
      return `mvdir ${from} ${toFolder}`;
    }
    case "rmdir": {
      const path = dir === undefined ? undefined : world.dirs.get(dir);
      if (path === undefined) return "-";
      for (const [one, { path: at }] of world.documents) if (isBelow(at, path)) world.documents.delete(one);
      for (const [one, at] of world.dirs) if (isWithin(at, path)) world.dirs.delete(one);
      return `rmdir ${path}`;
    }
  }
}

/**
 * Nonsense: any trees, with paths and names that neither a scan nor the service would contain, and
 * with records that contradict each other.
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

const record = fc.record({
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
    records: mapBy(record, ({ id }) => id),
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
      .array(fc.tuple(path, fc.constantFrom(makeUnreadable("EACCES"), STILL_WRITTEN_REASON)), { maxLength: 2 })
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
    canMoveFolders: fc.boolean(),
    canMoveToRoot: fc.boolean(),
    retryRefused: fc.boolean(),
    absentTwice: fc.option(fc.constant(new Set<string>())),
  } satisfies { [K in keyof Policy]?: fc.Arbitrary<Policy[K]> })
  .map((patch) => ({ ...POLICY, ...patch }));
