import { expect, it } from "vitest";
import { note, withNotes } from "./rig.ts";

it("I04 a file that is moved over a document waits with the deletion of that document, and needs no user", async () => {
  const rig = await withNotes(20);
  const { id } = rig.app.files().get(note(3))!;
  rig.rename(note(3), note(4));
  await rig.pass(5_000);
  expect(rig.daemon.status().pendingDeletions.map(({ path }) => path)).toEqual([note(4)]);
  const { attention } = rig.daemon.status().lastReport!;
  expect(attention.map(({ kind, waits }) => [kind, waits])).toEqual([
    ["path-pending", true],
    ["second-scan", true],
  ]);
  expect([...rig.sent("DELETE"), ...rig.sent("PATCH")]).toEqual([]);
  await rig.pass(30_000);
  expect(rig.daemon.status().lastReport?.state).toBe("in-sync");
  expect(rig.app.files().get(note(4))?.id).toBe(id);
  expect(rig.app.files().has(note(3))).toBe(false);
});

it("I04 a chain of files that are moved over documents waits with the one deletion, and needs no user", async () => {
  const rig = await withNotes(20);
  const ids = [4, 5].map((number) => rig.app.files().get(note(number))!.id);
  rig.rename(note(4), note(3));
  rig.rename(note(5), note(4));
  await rig.pass(5_000);
  const { attention } = rig.daemon.status().lastReport!;
  expect(attention.map(({ kind, waits }) => [kind, waits])).toEqual([
    ["path-pending", true],
    ["second-scan", true],
    ["path-pending", true],
  ]);
  await rig.pass(30_000);
  expect(rig.daemon.status().lastReport?.state).toBe("in-sync");
  expect([3, 4].map((number) => rig.app.files().get(note(number))?.id)).toEqual(ids);
});
