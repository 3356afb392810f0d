import { unwrap } from "../../src/common/trouble.ts";
import { describe, expect, test } from "vitest";
import { readUndoPlan, undoRun } from "../../src/mirror/operations/history/undo.ts";
import { actLocally } from "../simulator/commands.ts";
import { killAtEachCall } from "../simulator/moment.ts";
import type { Mirror } from "../simulator/mirror.ts";
import type { Rig } from "../simulator/rig.ts";
import { restoreVersion } from "../simulator/versions.ts";
import { expectKept, resolve } from "./resolution.ts";
import { settle, openSynced } from "../promises/fixture.ts";

const TEXTS = ["first\n", "second\n", "third\n"] as const;

/** Creates a document that had three versions, and another document in a folder. */
async function edited(): Promise<{ rig: Rig; mirror: Mirror }> {
  const { rig, mirror } = await openSynced({ "plan.md": TEXTS[0], "k/other.md": "other\n" });
  for (const text of TEXTS.slice(1)) {
    mirror.write("plan.md", text);
    await mirror.sync();
  }
  return { rig, mirror };
}

type Case = {
  readonly what: string;
  readonly begin?: (rig: Rig, mirror: Mirror) => Promise<void> | void;
  readonly work: (world: ReturnType<Mirror["world"]>) => Promise<void>;
  /** Possible contents of plan.md after a kill, and its content without a kill. */
  readonly may: readonly string[];
  readonly must: string;
};

const restore =
  (n: number | null): Case["work"] =>
  async (world) => {
    unwrap(await restoreVersion(world, "plan.md", n));
  };

const undo: Case["work"] = async (world) => {
  const plan = unwrap(readUndoPlan(world, null));
  const ended = await undoRun(world, plan);
  expect(ended.kind === "ok" && ended.value.items.filter(({ end }) => end !== "done")).toEqual([]);
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
    const before = start.mirror.texts().get("plan.md")!;
    const id = start.rig.app.id("plan.md")!;
    const calls = await killAtEachCall(start, {
      work: ({ mirror }) => one.work(mirror.world()),
      async judge({ rig, mirror }, call, lived) {
        await settle(mirror);
        const local = mirror.texts().get("plan.md");
        expect(lived ? [one.must] : one.may, `killed at ${call}`).toContain(local);
        expect(rig.app.files().get("plan.md"), `killed at ${call}`).toMatchObject({ id, text: local });
        expect([...mirror.texts().keys()].toSorted()).toEqual(["k/other.md", "plan.md"]);
        expect(mirror.state.intents().filter(({ intent }) => intent.kind !== "set-aside")).toEqual([]);
        expectKept(rig, mirror, ...TEXTS, before);
      },
    });
    expect(calls).toBeGreaterThan(5);
  });

  test("restore of a deleted document: it exists once or not at all, and its content is kept", async () => {
    const start = await edited();
    start.rig.app.remove("plan.md");
    await start.mirror.sync();
    await killAtEachCall(start, {
      work: ({ mirror }) => restore(1)(mirror.world()),
      async judge({ rig, mirror }, call, lived) {
        await settle(mirror);
        const found = [...rig.app.files().values()].filter(({ text }) => text === "first\n");
        expect(lived ? [1] : [0, 1], `killed at ${call}`).toContain(found.length);
        expect(mirror.texts().get("plan.md"), `killed at ${call}`).toBe(found[0]?.text);
        expectKept(rig, mirror, ...TEXTS);
      },
    });
  });

  test("undo of moves, a swap among them: both sides agree, and each document has its id", async () => {
    const start = await edited();
    start.rig.app.create("a.md", "a\n");
    start.rig.app.create("b.md", "b\n");
    await start.mirror.sync();
    const ids = new Map([...start.rig.app.files().values()].map(({ id, text }) => [text, id]));
    actLocally(start.mirror, "mv a.md t.md; mv b.md a.md; mv t.md b.md; mv k kk");
    await start.mirror.sync();
    const undone = { "a.md": "a\n", "b.md": "b\n", "k/other.md": "other\n", "plan.md": "third\n" };
    await killAtEachCall(start, {
      work: ({ mirror }) => undo(mirror.world()),
      async judge({ rig, mirror }, call, lived) {
        await settle(mirror);
        const texts = Object.fromEntries(mirror.texts());
        const files = [...rig.app.files()];
        expect(Object.fromEntries(files.map(([path, { text }]) => [path, text])), `killed at ${call}`).toEqual(texts);
        const found = files.map(([, { id, text }]) => [text, id]);
        expect(found, `killed at ${call}`).toEqual(expect.arrayContaining([...ids]));
        if (lived) expect(texts).toEqual(undone);
      },
    });
  });
});

test("I09 a linked document whose file is missing comes back under its id, and no note speaks of another", async () => {
  const { mirror } = await edited();
  mirror.remove("plan.md");
  const restored = await restoreVersion(mirror.world(), "plan.md", 1);
  expect(restored).toMatchObject({
    kind: "ok",
    value: { result: { items: [{ path: "plan.md", asNew: false, notes: [] }] } },
  });
  expect(mirror.texts().get("plan.md")).toBe(TEXTS[0]);
});

const VERSIONS = { base: "one\n\ntwo\n", mine: "one\n\nmine\n", theirs: "one\n\ntheirs\n" } as const;

async function undoResolution(mirror: Mirror): Promise<void> {
  const { run } = mirror.state.runs(10).find(({ kind }) => kind === "resolve")!;
  const plan = unwrap(readUndoPlan(mirror.world(), run));
  const ended = await undoRun(mirror.world(), plan);
  expect(ended).toMatchObject({ kind: "ok", value: { items: [{ kind: "conflict-back", end: "done" }] } });
}

test.each(["mine", "theirs"] as const)(
  "I03 I13 undo of %s, killed at any call: one version or a conflict",
  async (way) => {
    const made = await openSynced({ "note.md": VERSIONS.base, "k.md": "k\n" });
    made.mirror.write("note.md", VERSIONS.mine);
    made.rig.app.edit("note.md", VERSIONS.theirs);
    await made.mirror.sync();
    await resolve(made.mirror, "note.md", way);
    await made.mirror.sync();
    const calls = await killAtEachCall(made, {
      work: ({ mirror }) => undoResolution(mirror),
      async judge({ rig, mirror }, call, lived) {
        await mirror.syncTimes(3);
        const sides = [mirror.texts().get("note.md"), rig.app.text("note.md")];
        const isOpen = mirror.state.load().conflicts.size === 1;
        const open = [VERSIONS.mine, VERSIONS.theirs];
        if (isOpen) expect(sides, `killed at ${call}`).toEqual(open);
        else expect([open[0], open[1]], `killed at ${call}`).toContain(sides[0]);
        if (!isOpen) expect(sides[1], `killed at ${call}`).toBe(sides[0]);
        expect(isOpen || !lived, `killed at ${call}`).toBe(true);
        expect(mirror.state.intents().filter(({ intent }) => intent.kind !== "set-aside")).toEqual([]);
        expectKept(rig, mirror, ...Object.values(VERSIONS));
      },
    });
    expect(calls).toBeGreaterThan(5);
  },
);
