import { describe, expect, test } from "vitest";
import { META } from "../../src/mirror/engine/run/meta.ts";
import { guardKey } from "../../src/mirror/planner/verdict/guard-key.ts";
import { type Fixture, settle, openSynced } from "./fixture.ts";

const HOUR_MS = 3_600_000;
const DOCUMENTS = 60;

/** A mirror of 60 documents in sync; 10 deletions within an hour need no question. */
const inSync = () =>
  openSynced(Object.fromEntries(Array.from({ length: DOCUMENTS }, (_, n) => [`n${n}.md`, `text ${n}\n`])));

/** Moves the wall clock; the time that passes stays the same. */
function moveWall({ rig: { clock } }: Fixture, byMs: number): void {
  const { now } = clock;
  clock.now = () => now() + byMs;
}

const remove = {
  locally({ mirror }: Fixture, from: number, to: number): void {
    for (let n = from; n < to; n++) mirror.disk.user.remove(mirror.path(`n${n}.md`));
  },
  remotely({ rig }: Fixture, from: number, to: number): void {
    for (let n = from; n < to; n++) rig.app.remove(`n${n}.md`);
  },
};

async function reasonsOf({ mirror }: Fixture): Promise<readonly string[]> {
  const report = await mirror.sync();
  return report?.safetyStop?.reasons.map(({ reason }) => reason) ?? [];
}

const JUMPS = [
  ["ahead by two hours", 2 * HOUR_MS],
  ["back by two hours", -2 * HOUR_MS],
  ["ahead by years", 1e11],
] as const;
const SIDES = [
  ["locally", "delete-budget-remote"],
  ["remotely", "delete-budget-local"],
] as const;

describe.each(SIDES)("I21 I29 the limit for deletions %s", (side, reason) => {
  test.each(JUMPS)("counts what went within the hour where the clock jumps %s", async (_, byMs) => {
    const fixture = await inSync();
    remove[side](fixture, 0, 6);
    await settle(fixture.mirror);
    moveWall(fixture, byMs);
    remove[side](fixture, 6, 12);
    expect(await reasonsOf(fixture)).toEqual([reason]);
  });

  test.each(JUMPS)("counts what went after an approval where the clock jumps %s", async (_, byMs) => {
    const fixture = await inSync();
    remove[side](fixture, 0, 15);
    const { stopped } = (await fixture.mirror.sync())!;
    fixture.mirror.state.setMeta(META.approved, JSON.stringify(stopped.map(guardKey)));
    await settle(fixture.mirror);
    expect(fixture.rig.app.files().size).toBe(DOCUMENTS - 15);
    moveWall(fixture, byMs);
    remove[side](fixture, 15, 21);
    expect(await reasonsOf(fixture)).toEqual([]);
    remove[side](fixture, 21, 27);
    expect(await reasonsOf(fixture)).toEqual([reason]);
  });

  test("forgets deletions of an hour ago, although the clock stops", async () => {
    const fixture = await inSync();
    const { clock } = fixture.rig;
    const still = clock.now();
    clock.now = () => still;
    remove[side](fixture, 0, 6);
    await settle(fixture.mirror);
    await clock.sleep(HOUR_MS);
    remove[side](fixture, 6, 12);
    expect(await reasonsOf(fixture)).toEqual([]);
  });
});
