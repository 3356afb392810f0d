import { expect, test } from "vitest";
import { META } from "../../src/mirror/engine/run/meta.ts";
import { makeRunState } from "../../src/mirror/engine/run/run-state.ts";
import { digestOf } from "../../src/contract/digest.ts";
import type { DocId } from "../../src/contract/ids.ts";
import type { Mirror } from "../simulator/mirror.ts";
import { createRig, type Rig } from "../simulator/rig.ts";

/**
 * Returns the state that `status` shows after a stored report of the last run, possibly by an older
 * mdmirror.
 */

function runStateAfter(lastReport: object) {
  const kept = new Map<string, string>([[META.lastReport, JSON.stringify(lastReport)]]);
  return makeRunState({ meta: (key) => kept.get(key) ?? null, blocks: [], newestRun: null });
}

const STEP = { path: "a.md", kind: "refused", code: "forbidden", detail: "no", requestId: "req_1", waits: false };

test("what is kept of a refused step stays a step's", () => {
  const beside = [{ ...STEP, refused: "step" }];
  expect(runStateAfter({ state: "attention", beside, fault: null, staysLocal: null }).attention).toEqual(beside);
});

test("a report of a version that kept its end alone is read", () => {
  expect(runStateAfter({ state: "in-sync" })).toMatchObject({ state: "never", attention: [], staysLocal: null });
});

/**
 * An older version of mdmirror was killed in an effect. Its row in the journal has fewer members.
 */

type Begun = { readonly rig: Rig; readonly mirror: Mirror; readonly id: DocId };

async function begin(): Promise<Begun> {
  const rig = createRig(1);
  rig.app.create("note.md", "one\n");
  const id = rig.app.id("note.md")!;
  const mirror = rig.mirror();
  await mirror.syncTimes(2);
  return { rig, mirror, id };
}

test("I13 I27 a conflict copy was written, and its conflict had not opened yet", async () => {
  const { rig, mirror, id } = await begin();
  mirror.write("note (theirs).md", "theirs\n");
  mirror.state.openIntent(1, { kind: "conflict-copy", id, path: "note (theirs).md", writes: digestOf("theirs\n") });
  await mirror.syncTimes(2);
  expect(mirror.state.intents()).toEqual([]);
  expect(mirror.texts()).toEqual(rig.app.texts());
});
