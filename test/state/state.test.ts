import { describe, expect, test } from "vitest";
import type { Intent } from "../../src/mirror/ports/state.ts";
import {
  change,
  conflictOf,
  dir,
  dirOf,
  doc,
  eventOf,
  blockOf,
  linkOf,
  memoryState,
  openIn,
  tempFolder,
  textDigest,
  tombstoneOf,
} from "./fixture.ts";

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
    const folder = tempFolder();
    const links = [
      linkOf("plain"),
      linkOf("bare", { stamp: null, stampTrusted: false, durable: false, state: "outside" }),
      linkOf("full", {
        localPath: "other/Ünïcode 😀.md",
        localDigest: textDigest("crlf"),
        protected: true,
        echoDigest: textDigest("echo"),
        submissions: [{ digest: textDigest("sent"), baseChangeId: change("x"), at: 9.5 }],
        state: "suspended",
      }),
    ];
    const state = openIn(folder);
    for (const link of links) state.putLink(link);
    state.close();
    const again = openIn(folder);
    for (const link of links) expect(again.link(link.id)).toEqual(link);
    expect([...again.load().links.values()]).toEqual(links);
  });

  test("a row put again is replaced, and one removed is gone", () => {
    const state = memoryState();
    state.putLink(linkOf("a"));
    state.putLink(linkOf("a", { localPath: "b.md" }));
    expect(state.link(doc("a"))?.localPath).toBe("b.md");
    state.putDir(dirOf("d"));
    state.putDir(dirOf("d", "e"));
    state.putTombstone(tombstoneOf("t"));
    state.putTombstone(tombstoneOf("t", { trashPath: null }));
    state.putConflict(conflictOf("c"));
    state.putConflict(conflictOf("c", { baseDigest: null, baseChangeId: null, looksGone: 1 }));
    state.putBlock(blockOf("h"));
    state.putBlock(blockOf("h", { code: null, requestId: null, digest: null, changeId: null }));
    expect(state.load()).toEqual({
      links: new Map([[doc("a"), linkOf("a", { localPath: "b.md" })]]),
      dirs: new Map([[dir("d"), dirOf("d", "e")]]),
      tombstones: new Map([[doc("t"), tombstoneOf("t", { trashPath: null })]]),
      conflicts: new Map([[doc("c"), conflictOf("c", { baseDigest: null, baseChangeId: null, looksGone: 1 })]]),
      blocks: new Map([["h", blockOf("h", { code: null, requestId: null, digest: null, changeId: null })]]),
    });
    expect(state.conflict(doc("c"))?.looksGone).toBe(1);
    state.removeLink(doc("a"));
    state.removeDir(dir("d"));
    state.removeTombstone(doc("t"));
    state.removeConflict(doc("c"));
    state.removeBlock("h");
    expect(Object.values(state.load()).map((rows) => rows.size)).toEqual([0, 0, 0, 0, 0]);
    expect([state.link(doc("a")), state.conflict(doc("c"))]).toEqual([null, null]);
  });

  test("links and folders are found by local path, links by inode too", () => {
    const state = memoryState();
    const [one, two] = [linkOf("a", { localPath: "x.md" }), linkOf("b", { localPath: "x.md" })];
    state.putLink(one);
    expect(state.linksAt("x.md")).toEqual([one]);
    state.putLink(two);
    expect(state.linksAt("x.md")).toEqual([one, two]);
    expect(state.linksAt("y.md")).toEqual([]);
    const { dev, ino } = one.stamp!;
    expect(state.localPaths()).toContain(state.load().links.values().next().value!.localPath);
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
    const folder = tempFolder();
    const state = openIn(folder);
    const first = state.openIntent(3, put);
    const second = state.openIntent(4, setAside);
    state.close();
    const again = openIn(folder);
    expect(again.intents()).toEqual([
      { intentId: first, run: 3, intent: put },
      { intentId: second, run: 4, intent: setAside },
    ]);
    again.closeIntent(first);
    expect(again.intents().map(({ intentId }) => intentId)).toEqual([second]);
  });

  test("an intent has a number never used before", () => {
    const state = memoryState();
    const first = state.openIntent(3, put);
    state.closeIntent(first);
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
    for (const event of events) state.record(event);
    const expected = found.map((index) => events[index]);
    expect(state.events({ limit: 10, ...query })).toEqual(expected);
    expect(state.events({ limit: 10, ...query }), "the same from a cached statement").toEqual(expected);
    expect(state.events({ limit: 1, ...query })).toEqual(expected.slice(0, 1));
  });

  test("deletions are counted by side, when they were done, in runs after a run", () => {
    const state = memoryState();
    const deletion = (kind: string, run: number, outcome = "done") => state.record(eventOf({ kind, run, outcome }));
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
