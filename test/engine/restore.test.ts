import { describe, expect, test } from "vitest";
import { restoreVersion } from "../../src/mirror/operations/history/restore.ts";
import { readUndo, undoRun } from "../../src/mirror/operations/history/undo.ts";
import { digestOf } from "../../src/contract/digest.ts";
import { Leftovers, Moment } from "../simulator/moment.ts";
import { Killed, type Mirror, ROOT } from "../simulator/mirror.ts";
import { createRig, type Rig } from "../simulator/rig.ts";

const TEXTS = ["first\n", "second\n", "third\n"] as const;

/** One document that had three texts, and another in a folder. */
async function edited(): Promise<{ rig: Rig; mirror: Mirror }> {
  const rig = createRig(1);
  const mirror = rig.mirror();
  rig.app.create("plan.md", TEXTS[0]);
  rig.app.create("k/other.md", "other\n");
  await mirror.sync();
  for (const text of TEXTS.slice(1)) {
    mirror.write("plan.md", text);
    await mirror.sync();
  }
  return { rig, mirror };
}

/** @returns false: it died at that call */
async function live(mirror: Mirror, call: number, work: (world: ReturnType<Mirror["world"]>) => Promise<void>) {
  const world = mirror.world();
  mirror.killAt(call);
  try {
    await work(world);
    return true;
  } catch (error) {
    if (!(error instanceof Killed)) throw error;
    return false;
  } finally {
    mirror.killAt(null);
  }
}

/** I03: live on a side, in the text store, or a file in the trash. */
function expectKept(rig: Rig, mirror: Mirror, call: number, ...texts: readonly string[]): void {
  const found = new Set([
    ...[...rig.app.files().values()].map(({ text }) => text),
    ...mirror.texts().values(),
    ...mirror.disk.user.texts(`${ROOT}/.mdmirror`, true).values(),
  ]);
  for (const text of texts)
    expect(found.has(text) || mirror.state.hasText(digestOf(text)), `${text} killed at ${call}`).toBe(true);
}

type Case = {
  readonly what: string;
  readonly begin?: (rig: Rig, mirror: Mirror) => Promise<void> | void;
  readonly work: (world: ReturnType<Mirror["world"]>) => Promise<void>;
  /** What plan.md may be in the end when it was killed, and what it is when it was not. */
  readonly may: readonly string[];
  readonly must: string;
};

const restore =
  (n: number | null): Case["work"] =>
  async (world) => {
    const end = await restoreVersion(world, "plan.md", n);
    if (end.kind === "trouble") throw new Error(end.trouble.what);
  };

const undo: Case["work"] = async (world) => {
  const plan = readUndo(world, null);
  if (plan.kind === "trouble") throw new Error(plan.trouble.what);
  const { ends } = await undoRun(world, plan.value);
  expect(ends.filter(({ done }) => !done)).toEqual([]);
};

const CASES: readonly Case[] = [
  { what: "restore of the text before", work: restore(null), may: ["third\n", "second\n"], must: "second\n" },
  { what: "restore of a numbered text", work: restore(1), may: ["third\n", "first\n"], must: "first\n" },
  {
    what: "restore over an edit that was never sent",
    begin: (_, mirror) => mirror.write("plan.md", "never sent\n"),
    work: restore(1),
    may: ["never sent\n", "first\n"],
    must: "first\n",
  },
  { what: "undo of an edit", work: undo, may: ["third\n", "second\n"], must: "second\n" },
];

describe("I13 killed at any call, then synced", () => {
  test.each(CASES)("$what: the text is one of the two, on both sides, and none is lost", async (one) => {
    const start = await edited();
    await one.begin?.(start.rig, start.mirror);
    const beginning = new Moment(start);
    const before = start.mirror.texts().get("plan.md")!;
    const { id } = start.rig.app.files().get("plan.md")!;
    const leftovers = new Leftovers();
    for (let call = 1; ; call++) {
      const { rig, mirror } = beginning.open();
      const lived = await live(mirror, call, one.work);
      if (leftovers.areAgain({ rig, mirror }) && !lived) continue;
      for (let run = 0; run < 3; run++) await mirror.sync();
      const here = mirror.texts().get("plan.md");
      expect(lived ? [one.must] : one.may, `killed at ${call}`).toContain(here);
      expect(rig.app.files().get("plan.md"), `killed at ${call}`).toMatchObject({ id, text: here });
      expect([...mirror.texts().keys()].toSorted()).toEqual(["k/other.md", "plan.md"]);
      expect(mirror.state.intents().filter(({ intent }) => intent.kind !== "set-aside")).toEqual([]);
      expectKept(rig, mirror, call, ...TEXTS, before);
      if (!lived) continue;
      expect(call).toBeGreaterThan(5);
      break;
    }
  });

  test("restore of a deleted document: it is there once or not at all, and its text is kept", async () => {
    const start = await edited();
    start.rig.app.remove("plan.md");
    await start.mirror.sync();
    const beginning = new Moment(start);
    const leftovers = new Leftovers();
    for (let call = 1; ; call++) {
      const { rig, mirror } = beginning.open();
      const lived = await live(mirror, call, restore(1));
      if (leftovers.areAgain({ rig, mirror }) && !lived) continue;
      for (let run = 0; run < 3; run++) await mirror.sync();
      const there = [...rig.app.files().values()].filter(({ text }) => text === "first\n");
      expect(there.length, `killed at ${call}`).toBeLessThanOrEqual(1);
      expect(mirror.texts().get("plan.md"), `killed at ${call}`).toBe(there[0]?.text);
      expectKept(rig, mirror, call, ...TEXTS);
      if (!lived) continue;
      expect(there).toHaveLength(1);
      break;
    }
  });

  test("undo of moves, a swap among them: both sides agree, and each document is there with its id", async () => {
    const start = await edited();
    start.rig.app.create("a.md", "a\n");
    start.rig.app.create("b.md", "b\n");
    await start.mirror.sync();
    const ids = new Map([...start.rig.app.files().values()].map(({ id, text }) => [text, id]));
    const { user } = start.mirror.disk;
    const move = (from: string, to: string) => user.rename(`${ROOT}/${from}`, `${ROOT}/${to}`);
    for (const [from, to] of [
      ["a.md", "t.md"],
      ["b.md", "a.md"],
      ["t.md", "b.md"],
      ["k", "kk"],
    ] as const)
      move(from, to);
    await start.mirror.sync();
    const beginning = new Moment(start);
    const leftovers = new Leftovers();
    for (let call = 1; ; call++) {
      const { rig, mirror } = beginning.open();
      const lived = await live(mirror, call, undo);
      if (leftovers.areAgain({ rig, mirror }) && !lived) continue;
      for (let run = 0; run < 3; run++) await mirror.sync();
      const texts = [...mirror.texts()].toSorted();
      expect([...rig.app.files()].map(([path, { text }]) => [path, text]).toSorted(), `killed at ${call}`).toEqual(
        texts,
      );
      for (const [text, id] of ids) {
        const found = [...rig.app.files().values()].filter((file) => file.text === text);
        expect(found.length, `${text} killed at ${call}`).toBeGreaterThanOrEqual(1);
        expect(
          found.map((file) => file.id),
          `${text} killed at ${call}`,
        ).toContain(id);
      }
      if (!lived) continue;
      expect(new Map(texts)).toEqual(
        new Map([
          ["a.md", "a\n"],
          ["b.md", "b\n"],
          ["k/other.md", "other\n"],
          ["plan.md", "third\n"],
        ]),
      );
      break;
    }
  });
});

test("I09 a linked document whose file is missing comes back under its id, and no note speaks of another", async () => {
  const { mirror } = await edited();
  mirror.disk.user.remove(mirror.path("plan.md"));
  const restored = await restoreVersion(mirror.world(), "plan.md", 1);
  expect(restored).toMatchObject({ kind: "ok", value: { path: "plan.md", asNew: false, notes: [] } });
  expect(mirror.texts().get("plan.md")).toBe(TEXTS[0]);
});
