import { expect, test } from "vitest";
import { storeLocalContents } from "../../src/mirror/engine/apply/text-name.ts";
import { observeLocalAsync } from "../../src/mirror/engine/observe/observe.ts";
import { createRig } from "../simulator/rig.ts";

test("a scan of the folder reports between its parts how many files it has read", async () => {
  const mirror = createRig(1).mirror({});
  for (let n = 0; n < 1_500; n++) mirror.write(`${n % 30}/${n}.md`, `text ${n}\n`);
  const world = mirror.world();
  const base = world.state.load();
  const told: (readonly [number, number | null])[] = [];
  const report = (_: string, done: number, total: number | null) => told.push([done, total]);
  const turns = async () => undefined;
  await observeLocalAsync({ ...world, progress: { report } }, base, true, storeLocalContents(world.state, base), turns);
  expect(told[0]).toEqual([0, null]);
  expect(told.at(-1)).toEqual([1_500, 1_500]);
  const between = told.slice(1, -1);
  expect(between.length).toBeGreaterThan(0);
  for (const [index, [done, total]] of between.entries()) {
    expect(total).toBeNull();
    expect(done).toBeGreaterThan(told[index]![0]);
  }
});
