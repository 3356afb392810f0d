import { expect, test } from "vitest";
import { type DaemonRig, note, withNotes } from "./rig.ts";

const pendingOf = (rig: DaemonRig) =>
  rig.events.flatMap((event) => (event.kind === "deletion-pending" ? [`${event.path} ${event.asks}`] : []));
const told = (from: number, to: number, asks: boolean) =>
  Array.from({ length: to - from }, (_, n) => `${note(from + n)} ${asks}`);

test("I21 many local deletions that will stop the mirror are announced so from the start, and no run says that nothing is open", async () => {
  const rig = await withNotes(60);
  for (let n = 0; n < 12; n++) rig.remove(note(n));
  await rig.pass(10_000);
  expect(pendingOf(rig).toSorted()).toEqual(told(0, 12, true).toSorted());
  expect(rig.daemon.status().lastReport?.foreseen).toMatchObject([{ reason: "delete-budget-remote" }]);
  await rig.pass(60_000);
  expect(rig.daemon.status().phase.kind).toBe("stopped");
});

test("I21 many local deletions that become too many while they wait are announced again", async () => {
  const rig = await withNotes(60);
  for (let n = 0; n < 5; n++) rig.remove(note(n));
  await rig.pass(5_000);
  expect(pendingOf(rig).toSorted()).toEqual(told(0, 5, false).toSorted());
  expect(rig.daemon.status().lastReport?.foreseen).toBeUndefined();
  rig.events.length = 0;
  for (let n = 5; n < 11; n++) rig.remove(note(n));
  await rig.pass(5_000);
  expect(pendingOf(rig).toSorted()).toEqual(told(0, 11, true).toSorted());
});
