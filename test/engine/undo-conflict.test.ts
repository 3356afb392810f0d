import { expect, test } from "vitest";
import { readUndo, undoRun } from "../../src/mirror/operations/history/undo.ts";
import { killAtEachCall } from "../simulator/kill-at-each-call.ts";
import type { Mirror } from "../simulator/mirror.ts";
import { expectKept, resolve, start } from "./resolving.ts";

const TEXTS = { base: "one\n\ntwo\n", mine: "one\n\nmine\n", theirs: "one\n\ntheirs\n" } as const;

async function undoResolution(mirror: Mirror): Promise<void> {
  const { run } = mirror.state.runs(10).find(({ kind }) => kind === "resolve")!;
  const plan = readUndo(mirror.world(), run);
  if (plan.kind === "trouble") throw new Error(plan.trouble.what);
  const ended = await undoRun(mirror.world(), plan.value);
  expect(ended).toMatchObject({ kind: "ok", value: { items: [{ kind: "conflict-back", end: "done" }] } });
}

test.each(["mine", "theirs"] as const)(
  "I03 I13 undo of %s, killed at any call: the conflict is open, or both sides have one of its versions",
  async (way) => {
    const made = await start({ "note.md": TEXTS.base, "k.md": "k\n" });
    made.mirror.write("note.md", TEXTS.mine);
    made.rig.app.edit("note.md", TEXTS.theirs);
    await made.sync();
    await resolve(made.mirror, "note.md", way);
    await made.sync();
    const calls = await killAtEachCall(made, {
      work: ({ mirror }) => undoResolution(mirror),
      async judge({ rig, mirror }, call, lived) {
        for (let n = 0; n < 3; n++) await mirror.sync();
        const sides = [mirror.texts().get("note.md"), rig.app.files().get("note.md")?.text];
        const isOpen = mirror.state.load().conflicts.size === 1;
        const open = [TEXTS.mine, TEXTS.theirs];
        if (isOpen) expect(sides, `killed at ${call}`).toEqual(open);
        else expect([open[0], open[1]], `killed at ${call}`).toContain(sides[0]);
        if (!isOpen) expect(sides[1], `killed at ${call}`).toBe(sides[0]);
        expect(isOpen || !lived, `killed at ${call}`).toBe(true);
        expect(mirror.state.intents().filter(({ intent }) => intent.kind !== "set-aside")).toEqual([]);
        expectKept(rig, mirror, ...Object.values(TEXTS));
      },
    });
    expect(calls).toBeGreaterThan(5);
  },
);
