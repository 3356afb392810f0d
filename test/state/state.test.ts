import { describe, expect, test } from "vitest";
import type { Intent } from "../../src/mirror/ports/state.ts";
import { isWithin, joinPath, rebase } from "../../src/contract/path.ts";
import type { BaseTree } from "../../src/mirror/model/tree.ts";
import type { Block } from "../../src/mirror/model/record.ts";
import {
  blockOf,
  change,
  changesSeen,
  conflictOf,
  dir,
  dirOf,
  doc,
  eventOf,
  memoryState,
  openIn,
  recordOf,
  textDigest,
  tombstoneOf,
} from "./fixture.ts";
import { fc } from "../property.ts";
import { temporaryFolder } from "../temporary-folder.ts";

const put: Intent = {
  kind: "put",
  id: doc("a"),
  localPath: "a.md",
  baseChangeId: change("a"),
  baseDigest: textDigest("a"),
  digest: textDigest("b"),
  review: false,
  stamp: null,
  stampTrusted: false,
  why: "edited locally",
};
const setAside: Intent = {
  kind: "set-aside",
  id: doc("a"),
  path: "a.md",
  setAsideAt: "tmp/1",
  expect: textDigest("a"),
  baseChangeId: null,
  baseDigest: null,
};

describe("rows", () => {
  test("a link comes back as it was put, one by one and loaded, after a restart", () => {
    const folder = temporaryFolder();
    const records = [
      recordOf("plain"),
      recordOf("bare", { stamp: null, stampTrusted: false, durable: false, state: "outside" }),
      recordOf("full", {
        localPath: "other/Ünïcode 😀.md",
        localDigest: textDigest("crlf"),
        protected: true,
        echoDigest: textDigest("echo"),
        submissions: [{ digest: textDigest("sent"), baseChangeId: change("x"), at: 9.5 }],
        state: "suspended",
      }),
    ];
    const state = openIn(folder);
    for (const record of records) state.putRecord(record);
    state.close();
    const again = openIn(folder);
    for (const record of records) expect(again.record(record.id)).toEqual(record);
    expect([...again.load().records.values()]).toEqual(records);
  });

  test("a row put again is replaced, and one removed is gone", () => {
    const state = memoryState();
    state.putRecord(recordOf("a"));
    state.putRecord(recordOf("a", { localPath: "b.md" }));
    expect(state.record(doc("a"))?.localPath).toBe("b.md");
    state.putDir(dirOf("d"));
    state.putDir(dirOf("d", "e"));
    state.putTombstone(tombstoneOf("t"));
    state.putTombstone(tombstoneOf("t", { trashPath: null }));
    state.putConflict(conflictOf("c"));
    state.putConflict(conflictOf("c", { baseDigest: null, baseChangeId: null, looksGone: 1 }));
    state.putBlock(blockOf("h"));
    state.putBlock(blockOf("h", { code: null, requestId: null, digest: null, changeId: null }));
    expect(state.load()).toEqual({
      records: new Map([[doc("a"), recordOf("a", { localPath: "b.md" })]]),
      dirs: new Map([[dir("d"), dirOf("d", "e")]]),
      tombstones: new Map([[doc("t"), tombstoneOf("t", { trashPath: null })]]),
      conflicts: new Map([[doc("c"), conflictOf("c", { baseDigest: null, baseChangeId: null, looksGone: 1 })]]),
      blocks: new Map([["h", blockOf("h", { code: null, requestId: null, digest: null, changeId: null })]]),
    });
    expect(state.conflict(doc("c"))?.looksGone).toBe(1);
    state.removeRecord(doc("a"));
    state.removeDir(dir("d"));
    state.removeTombstone(doc("t"));
    state.removeConflict(doc("c"));
    state.removeBlock("h");
    expect(Object.values(state.load()).map((rows) => rows.size)).toEqual([0, 0, 0, 0, 0]);
    expect([state.record(doc("a")), state.conflict(doc("c"))]).toEqual([null, null]);
  });

  test("links and folders are found by local path, links by inode too", () => {
    const state = memoryState();
    const [one, two] = [recordOf("a", { localPath: "x.md" }), recordOf("b", { localPath: "x.md" })];
    state.putRecord(one);
    expect(state.recordsAt("x.md")).toEqual([one]);
    state.putRecord(two);
    expect(state.recordsAt("x.md")).toEqual([one, two]);
    expect(state.recordsAt("y.md")).toEqual([]);
    const { dev, ino } = one.stamp!;
    expect(state.localPaths()).toContain(state.load().records.values().next().value!.localPath);
    expect(state.hasInode(dev, ino)).toBe(true);
    expect(state.hasInode(dev + 1, ino)).toBe(false);
    state.putDir(dirOf("d", "folder"));
    expect(state.dirAt("folder")).toEqual(dirOf("d", "folder"));
    expect(state.dirAt("other")).toBeNull();
  });

  test("meta values are kept, replaced and removed", () => {
    const state = memoryState();
    expect(state.meta("root")).toBeNull();
    state.setMeta("root", "1");
    state.setMeta("root", "2");
    expect(state.meta("root")).toBe("2");
    state.setMeta("root", null);
    expect(state.meta("root")).toBeNull();
  });
});

describe("journal", () => {
  test("open intents are listed in their order, and survive a restart", () => {
    const folder = temporaryFolder();
    const state = openIn(folder);
    const first = state.openIntent(3, put);
    const second = state.openIntent(4, setAside);
    state.close();
    const again = openIn(folder);
    expect(again.intents()).toEqual([
      { intentId: first, run: 3, intent: put },
      { intentId: second, run: 4, intent: setAside },
    ]);
    again.removeIntent(first);
    expect(again.intents().map(({ intentId }) => intentId)).toEqual([second]);
  });

  test("an intent has a number never used before", () => {
    const state = memoryState();
    const first = state.openIntent(3, put);
    state.removeIntent(first);
    expect(state.openIntent(4, put)).toBe(first + 1);
  });

  test("versions are listed newest first by arrival, and one seen again keeps its place", () => {
    const state = memoryState();
    const version = (name: string, at: number, text = name) =>
      state.addVersion({ id: doc("a"), changeId: change(name), digest: textDigest(text), at });
    version("one", 50);
    version("two", 40);
    version("one", 60, "one again");
    state.addVersion({ id: doc("b"), changeId: change("three"), digest: textDigest("x"), at: 1 });
    expect(state.versions(doc("a"))).toEqual([
      { id: doc("a"), changeId: change("two"), digest: textDigest("two"), at: 40 },
      { id: doc("a"), changeId: change("one"), digest: textDigest("one again"), at: 50 },
    ]);
    expect(state.isEarlier(doc("a"), change("one"), change("two"))).toBe(true);
    expect(state.isEarlier(doc("a"), change("two"), change("one"))).toBe(false);
    expect(state.isEarlier(doc("a"), change("one"), change("one"))).toBe(false);
    expect(state.isEarlier(doc("a"), change("three"), change("two"))).toBe(false);
    expect(state.isEarlier(doc("a"), change("one"), change("three"))).toBe(false);
  });
});

describe("log", () => {
  test("runs are numbered and listed newest first, with their end where they have one", () => {
    const state = memoryState();
    const first = state.beginRun("sync", 10);
    const second = state.beginRun("watch", 20);
    expect(second).toBeGreaterThan(first);
    state.endRun(first, 15, "in sync");
    expect(state.runs(5)).toEqual([
      { run: second, kind: "watch", startedAt: 20, endedAt: null, summary: null },
      { run: first, kind: "sync", startedAt: 10, endedAt: 15, summary: "in sync" },
    ]);
    expect(state.runs(1)).toHaveLength(1);
  });

  const events = [
    eventOf({ at: 100, run: 1, kind: "put", path: "a.md", id: "doc_a" }),
    eventOf({ at: 200, run: 1, kind: "safety-stop", path: "", id: null, before: null, after: null, requestId: null }),
    eventOf({ at: 300, run: 2, kind: "put", path: "b.md", id: "doc_b" }),
    eventOf({ at: 400, run: 2, kind: "trash-local", path: "a.md", id: "doc_a", side: "local" }),
  ] as const;

  test.each<[string, Omit<Parameters<ReturnType<typeof memoryState>["events"]>[0], "limit">, number[]]>([
    ["all", {}, [3, 2, 1, 0]],
    ["by path", { path: "a.md" }, [3, 0]],
    ["by id", { id: "doc_b" }, [2]],
    ["by run", { run: 1 }, [1, 0]],
    ["by kinds", { kinds: ["safety-stop", "trash-local"] }, [3, 1]],
    ["by no kind", { kinds: [] }, []],
    ["since a time", { since: 200 }, [3, 2, 1]],
    ["by all of these", { path: "a.md", id: "doc_a", run: 2, kinds: ["trash-local"], since: 400 }, [3]],
  ])("events are found %s, newest first", (_, query, found) => {
    const state = memoryState();
    for (const event of events) state.recordEvent(event);
    const expected = found.map((index) => events[index]);
    expect(state.events({ limit: 10, ...query })).toEqual(expected);
    expect(state.events({ limit: 10, ...query }), "the same from a cached statement").toEqual(expected);
    expect(state.events({ limit: 1, ...query })).toEqual(expected.slice(0, 1));
  });

  test("deletions are counted by side, when they were done, in runs after a run", () => {
    const state = memoryState();
    const deletion = (kind: string, run: number, outcome = "done") =>
      state.recordEvent(eventOf({ kind, run, outcome }));
    deletion("trash-local", 10);
    deletion("trash-local", 20);
    deletion("trash-local", 21, "stale");
    deletion("delete-remote", 20);
    deletion("put", 20);
    expect(state.lossesAfter("local", 0)).toBe(2);
    expect(state.lossesAfter("local", 10)).toBe(1);
    expect(state.lossesAfter("remote", 10)).toBe(1);
    expect(state.lossesAfter("remote", 20)).toBe(0);
  });
});

/**
 * Names that patterns and ranges often get wrong: wildcards, neighbours of "/" in the character
 * set, case, and names with more bytes than UTF-16 units.
 */
const name = fc.constantFrom("a", "A", "a.b", "a0", "a-b", "a%", "a_", "ab", "%", "_", "é", "😀", "[a]", "a'b", "\\");
const path = fc.array(name, { minLength: 1, maxLength: 3 }).map((names) => names.join("/"));

function fill(state: ReturnType<typeof openIn>, paths: readonly string[]): void {
  for (const [n, at] of paths.entries()) {
    const other = paths[(n + 1) % paths.length]!;
    state.putRecord(recordOf(n, { localPath: at, remotePath: other }));
    state.putDir(dirOf(String(n), at, { remotePath: other }));
    state.putConflict(conflictOf(String(n), { newestCopyPath: at }));
    state.putTombstone(tombstoneOf(`t${n}`, { localPath: at, remotePath: other }));
    state.putBlock(blockOf(doc(n), { path: at }));
    state.putBlock(blockOf(at, { path: at }));
  }
}

function moved(tree: BaseTree, side: "local" | "remote", from: string, to: string) {
  const on = (which: "local" | "remote", at: string) =>
    which === side && isWithin(at, from) ? rebase(at, from, to) : at;
  const both = <T extends { localPath: string; remotePath: string }>(row: T): T => ({
    ...row,
    localPath: on("local", row.localPath),
    remotePath: on("remote", row.remotePath),
  });
  const map = <K, V>(rows: ReadonlyMap<K, V>, change: (row: V) => V) =>
    new Map([...rows].map(([key, row]) => [key, change(row)]));
  const stays = [...tree.blocks.values()].filter((block) => on("local", block.path) === block.path);
  const goes = [...tree.blocks.values()].filter((block) => on("local", block.path) !== block.path);
  const blocks = new Map(stays.map((block) => [block.key, block]));
  for (const block of goes) {
    const at = on("local", block.path);
    const key = block.key === block.path ? at : block.key;
    blocks.set(key, { ...block, path: at, key });
  }
  return {
    records: map(tree.records, both),
    dirs: map(tree.dirs, both),
    tombstones: map(tree.tombstones, (row) => ({ ...row, localPath: on("local", row.localPath) })),
    conflicts: map(tree.conflicts, (row) => ({ ...row, newestCopyPath: on("local", row.newestCopyPath) })),
    blocks,
  };
}

test("moveSubtree rewrites what is the folder or below it, on that side, and nothing else", () => {
  fc.assert(
    fc.property(
      fc.array(path, { minLength: 1, maxLength: 12 }),
      fc.constantFrom("local" as const, "remote" as const),
      path,
      path,
      (paths, side, from, to) => {
        fc.pre(from !== to);
        const state = openIn(":memory:");
        fill(state, paths);
        const expected = moved(state.load(), side, from, to);
        state.moveSubtree(side, from, to);
        expect(state.load()).toEqual(expected);
        state.close();
      },
    ),
    { numRuns: 80 },
  );
});

test("the root is not a folder that moves", () => {
  const state = memoryState();
  expect(() => state.moveSubtree("local", "", "a")).toThrow(RangeError);
  expect(() => state.moveSubtree("local", "a", "")).toThrow(RangeError);
});

const someBlock: fc.Arbitrary<Block> = fc
  .record({
    key: fc.constantFrom("doc_a", "doc_b", "c.md"),
    path: fc.constantFrom("x.md", "y.md"),
    reason: fc.constantFrom("refused" as const, "read-only" as const),
    detail: fc.constantFrom("one", "two"),
    code: fc.constantFrom(null, "forbidden"),
    since: fc.integer({ min: 0, max: 9 }),
  })
  .map((some) => blockOf(some.key, some));

test("replaceBlocks leaves exactly the given blocks, and keeps the age of those with equal reason and detail", () => {
  fc.assert(
    fc.property(fc.array(fc.array(someBlock)), (rounds) => {
      const state = openIn(":memory:");
      let model = new Map<string, Block>();
      for (const blocks of rounds) {
        state.replaceBlocks(blocks);
        const next = new Map<string, Block>();
        for (const block of new Map(blocks.map((one) => [one.key, one])).values()) {
          const known = model.get(block.key);
          const isSame = known !== undefined && known.reason === block.reason && known.detail === block.detail;
          next.set(block.key, isSame ? { ...block, since: known.since } : block);
        }
        model = next;
        expect(state.load().blocks).toEqual(model);
      }
      state.close();
    }),
    { numRuns: 30 },
  );
});

test("I02 replaceHolds writes nothing when they are the same but for their age", () => {
  const folder = temporaryFolder();
  const state = openIn(folder);
  const blocks = [blockOf("doc_a"), blockOf("b.md", { digest: null, changeId: null })];
  state.replaceBlocks(blocks);
  const before = changesSeen(folder);
  state.replaceBlocks(blocks.map((block) => ({ ...block, since: 99 })).reverse());
  expect(before.moved()).toBe(false);
  state.replaceBlocks(blocks.slice(1));
  expect(before.moved(), "the probe sees a write").toBe(true);
  before.close();
});

test("removing a block leaves the others", () => {
  const state = memoryState();
  state.replaceBlocks([blockOf("doc_a"), blockOf("doc_b")]);
  state.removeBlock("doc_a");
  expect([...state.load().blocks.keys()]).toEqual(["doc_b"]);
});

const notePath = "notes/1.md";
const spelling = (bytes: string, text: string, at = notePath) => ({
  path: at,
  id: null,
  bytes: textDigest(bytes),
  text: textDigest(text),
  spelledAt: at,
  leads: [],
});

test("of each path the last few spellings stay, and the last few of its text of now", () => {
  const state = memoryState();
  const record = recordOf(1);
  state.putRecord(record);
  for (let n = 0; n < 20; n++) state.spellings.put({ ...spelling(`now ${n}`, "-"), text: record.localDigest! });
  for (let n = 0; n < 20; n++) state.spellings.put(spelling(`bytes ${n}`, `text ${n}`));
  state.spellings.put(spelling("other", "other", "notes/2.md"));
  state.spellings.removeOld();
  const digests = (word: string) => Array.from({ length: 8 }, (_, n) => textDigest(`${word} ${19 - n}`));
  expect(state.spellings.atPath(notePath).map(({ bytes }) => bytes)).toEqual([...digests("bytes"), ...digests("now")]);
  expect(state.spellings.atPath("notes/2.md")).toHaveLength(1);
  state.spellings.removeOld();
  expect(state.spellings.all()).toHaveLength(17);
});

test("spellings at and below a folder are copied to its new path, and those elsewhere are not", () => {
  fc.assert(
    fc.property(fc.array(path, { minLength: 1, maxLength: 8 }), path, path, (paths, from, to) => {
      fc.pre(!isWithin(to, from) && !isWithin(from, to));
      const state = openIn(":memory:");
      for (const at of [...paths, joinPath(from, paths[0]!)]) state.spellings.put(spelling(at, at, at));
      const before = state.spellings.all().map((row) => row.path);
      state.spellings.copy(from, to);
      const copies = before.filter((at) => isWithin(at, from)).map((at) => rebase(at, from, to));
      const after = new Set(state.spellings.all().map((row) => row.path));
      expect(after).toEqual(new Set([...before, ...copies]));
      state.close();
    }),
    { numRuns: 80 },
  );
});
