import { expect, test } from "vitest";
import { FAULTS } from "../../scripts/soak/faults.ts";
import { type Row, formatTable } from "../../scripts/soak/row.ts";

/** One round of `npm run soak`, with faults of real processes, files and HTTP. */

test("I13 kill -9 in a sync that merges: nothing is lost, doubled or left over", async () => {
  const fault = FAULTS.find(({ name }) => name === "kill-merge")!;
  expect((await fault.run({ rounds: 1, seed: 5 })).broken).toEqual([]);
});

test("the table lists each breach below, with its fault", () => {
  const rows: Row[] = [
    { fault: "one", rounds: 3, counted: { lost: 0, temps: 1 }, broken: ["round 2: 1 temps"] },
    { fault: "another", rounds: 12, counted: { lost: 0 }, broken: [], note: "not all of it" },
  ];
  expect(formatTable(rows)).toEqual([
    "fault    rounds  counted",
    "-------  ------  ---------------  ------",
    "one      3       lost 0, temps 1  BROKEN",
    "another  12      lost 0           holds",
    "note: another: not all of it",
    "BROKEN: one: round 2: 1 temps",
  ]);
});
