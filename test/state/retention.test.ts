import { expect, test } from "vitest";
import type { PrunedCounts, RetentionLimits } from "../../src/mirror/state/retention.ts";
import type { StoredState } from "../../src/mirror/state/state.ts";
import {
  change,
  conflictOf,
  DAY,
  doc,
  eventOf,
  blockOf,
  recordOf,
  memoryState,
  SettableClock,
  tombstoneOf,
  NAME,
} from "./fixture.ts";

const START = 1_800_000_000_000;
const KEEP: RetentionLimits = { days: 30, bytes: 500_000_000 };

function fixture() {
  const clock = new SettableClock(START);
  const state = memoryState(clock);
  /** Prunes once on each of these days, counted from the start. */
  const runDays = (from: number, to: number, keep = KEEP): PrunedCounts => {
    let total: PrunedCounts = { texts: 0, events: 0, runs: 0, versions: 0 };
    for (let day = from; day <= to; day++) {
      clock.set(START + day * DAY);
      const pruned = state.prune(clock.now(), keep);
      total = {
        texts: total.texts + pruned.texts,
        events: total.events + pruned.events,
        runs: total.runs + pruned.runs,
        versions: total.versions + pruned.versions,
      };
    }
    return total;
  };
  return { clock, state, runDays };
}

/** Stores one content for each kind of row that keeps a content. */
function nameAll(state: StoredState): string[] {
  const texts = "base local echo sent conflict shown stone hold post put-base put expect writes parked".split(" ");
  const [base, local, echo, sent, conflict, shown, stone, block, post, putBase, put, expected, writes, setAside] =
    texts.map((text) => state.putText(text, NAME)) as [
      ReturnType<StoredState["putText"]>,
      ...ReturnType<StoredState["putText"]>[],
    ] &
      Record<number, ReturnType<StoredState["putText"]>>;
  state.putRecord(
    recordOf("a", {
      digest: base,
      localDigest: local!,
      echoDigest: echo!,
      submissions: [{ digest: sent!, baseChangeId: change("a"), at: 1 }],
    }),
  );
  state.putConflict(
    conflictOf("a", { baseDigest: conflict!, shown: [{ changeId: change("s"), digest: shown!, ino: 1, dev: 1 }] }),
  );
  state.putTombstone(tombstoneOf("t", { digest: stone! }));
  state.putBlock(blockOf("h", { digest: block! }));
  const id = doc("a");
  const at = { id, baseChangeId: change("a") };
  const file = { localPath: "x", stamp: null, stampTrusted: false, why: "edited locally" } as const;
  state.openIntent(1, { kind: "post", ...file, remotePath: "x", digest: post!, replaces: null });
  state.openIntent(1, { kind: "put", ...file, ...at, baseDigest: putBase!, digest: put!, review: false });
  state.openIntent(1, {
    kind: "replace",
    ...at,
    path: "x",
    setAsideAt: "p",
    expect: expected!,
    writes: writes!,
    baseDigest: null,
    event: { kind: "write-local", side: "local", id, path: "x", detail: "edited on the service" },
  });
  state.openIntent(1, { kind: "set-aside", ...at, path: "x", setAsideAt: "p", expect: setAside!, baseDigest: null });
  return texts;
}

test("I03 a content that any row names is never pruned, at any age and any limit", () => {
  const { state, runDays } = fixture();
  const texts = nameAll(state);
  expect(runDays(0, 70, { days: 30, bytes: 0 }).texts).toBe(0);
  expect(state.missingTexts()).toEqual([]);
  for (const text of texts) expect(state.text(state.putText(text, NAME))).toBe(text);
});

test("I03 a content is kept for thirty days of running after the last row that names it", () => {
  const { state, runDays } = fixture();
  const old = state.putText("old", NAME);
  state.putRecord(recordOf("a", { digest: old }));
  runDays(0, 50);
  state.putRecord(recordOf("a", { digest: state.putText("new", NAME) }));
  expect(runDays(51, 81).texts).toBe(0);
  expect(state.text(old)).toBe("old");
  expect(runDays(82, 82).texts).toBe(1);
  expect([state.hasText(old), state.text(old)]).toEqual([false, null]);
  expect(state.storedOrigins({}).map(({ digest }) => digest)).toEqual(state.digests());
});

test("days on which nothing ran do not count", () => {
  const { state, runDays } = fixture();
  state.putText("old", NAME);
  runDays(0, 10);
  expect(runDays(400, 419).texts).toBe(0);
  expect(runDays(420, 422).texts).toBe(1);
});

test("I29 a clock that was wrong for a while prunes nothing early, and does not stop pruning for ever", () => {
  const { state, runDays } = fixture();
  state.putText("old", NAME);
  runDays(0, 2);
  expect(runDays(9_000, 9_003).texts).toBe(0);
  expect(runDays(3, 20).texts).toBe(0);
  expect(runDays(21, 40).texts).toBe(1);
});

test("content that is put or named again starts its time again", () => {
  const { clock, state, runDays } = fixture();
  const [again, named] = [state.putText("put again", NAME), state.putText("named again", NAME)];
  runDays(0, 20);
  clock.set(START + 20 * DAY);
  state.putText("put again", NAME);
  state.putRecord(recordOf("a", { digest: named }));
  runDays(21, 21);
  state.removeRecord(doc("a"));
  expect(runDays(22, 50).texts).toBe(0);
  expect([state.hasText(again), state.hasText(named)]).toEqual([true, true]);
  expect(runDays(51, 60).texts).toBe(2);
});

test("I03 over the cap superseded versions go first and oldest first; sole copies stay their time", () => {
  const { clock, state, runDays } = fixture();
  const sole = state.putText("only ever here", NAME);
  const orphan = state.putText("a version of what is not linked", NAME);
  state.addVersion({ id: doc("gone"), changeId: change("gone"), digest: orphan, at: 1 });
  const versions = Array.from({ length: 60 }, (_, n) => {
    clock.set(START + n * 60_000);
    const digest = state.putText(Array.from({ length: 300 }, (_, i) => Math.sin(n * 500 + i)).join(" "), NAME);
    state.addVersion({ id: doc("a"), changeId: change(n), digest, at: clock.now() });
    state.putRecord(recordOf("a", { digest, changeId: change(n) }));
    state.prune(clock.now(), KEEP);
    return digest;
  });
  expect(runDays(2, 2, { days: 30, bytes: 100_000 }).texts).toBeGreaterThan(20);
  const kept = versions.map((digest) => state.hasText(digest));
  const firstKept = kept.indexOf(true);
  expect(firstKept).toBeGreaterThan(20);
  expect(kept.slice(firstKept), "what came later stayed").not.toContain(false);
  expect(runDays(3, 3, { days: 30, bytes: 0 }).texts).toBe(59 - firstKept);
  expect(state.hasText(versions[59]!), "the base").toBe(true);
  expect([state.text(sole), state.text(orphan)]).toEqual(["only ever here", "a version of what is not linked"]);
});

test("events, runs and versions older than their time go; the newest twenty versions, a linked one and the last run stay", () => {
  const { state, runDays } = fixture();
  state.beginRun("sync", START);
  state.beginRun("sync", START);
  state.recordEvent(eventOf({ at: START, path: "old.md" }));
  for (let n = 0; n < 30; n++) {
    state.addVersion({ id: doc("a"), changeId: change(n), digest: state.putText(`${n}`, NAME), at: START });
  }
  state.putRecord(recordOf("a", { changeId: change(2) }));
  runDays(0, 30);
  state.recordEvent(eventOf({ at: START + 30 * DAY, path: "new.md" }));
  const pruned = runDays(31, 31);
  expect(pruned).toMatchObject({ events: 1, runs: 1, versions: 9 });
  expect(state.events({ limit: 9 }).map(({ path }) => path)).toEqual(["new.md"]);
  expect(state.runs(9).map(({ run }) => run)).toEqual([2]);
  expect(state.isEarlier(doc("a"), change(2), change(29))).toBe(true);
  expect(state.beginRun("sync", START + 31 * DAY), "numbers are not used again").toBe(3);
});
