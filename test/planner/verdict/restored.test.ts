import { expect, test } from "vitest";
import { planOf } from "../table.ts";
import { World } from "../world.ts";
import { guardedKeys, reasonsOf } from "./worlds.ts";

/** So many documents in sync, of which some are gone on one side. */
function synced(count: number, gone: { readonly here?: number; readonly there?: number } = {}): World {
  const world = new World();
  for (let i = 0; i < count; i++) world.synced(`n${String(i).padStart(4, "0")}.md`, `text ${i}`);
  for (const path of [...world.files.keys()].slice(0, gone.here ?? 0)) world.files.delete(path);
  for (const id of [...world.documents.keys()].slice(0, gone.there ?? 0)) world.documents.delete(id);
  return world;
}

test("for a restored service nothing is removed locally without approval, and each removal is asked for once", () => {
  const detail = "the service was restored from a backup, and 2 documents of this linked folder are not in it";
  const world = synced(20, { there: 2 });
  const { verdict } = planOf(world, {}, { restored: true });
  expect(verdict).toMatchObject({ byReason: true, reasons: [{ reason: "service-restored", detail }] });
  const keys = guardedKeys(planOf(world, {}, { restored: true }));
  expect(keys).toHaveLength(2);
  expect(reasonsOf(planOf(world, {}, { restored: true, approved: new Set(keys) }))).toEqual([]);
  // The reason covers none of them.
  const fewer = new Set(["service-restored", keys[0]!]);
  expect(guardedKeys(planOf(world, {}, { restored: true, approved: fewer }))).toEqual([keys[1]]);
  // Where more are gone than need no question, nobody is asked again for it.
  const many = synced(40, { there: 30 });
  const asked = guardedKeys(planOf(many, {}, { restored: true }));
  expect(reasonsOf(planOf(many, {}, { restored: true, approved: new Set(asked) }))).toEqual([]);
  expect(reasonsOf(planOf(synced(20, { here: 2 }), {}, { restored: true }))).toEqual([]);
  expect(reasonsOf(planOf(synced(300), {}, { restored: true, earlierChangeIds: 1 }))).toEqual(["service-restored"]);
});
