import { describe, expect, test } from "vitest";
import { FAULTS } from "../../scripts/soak/faults.ts";
import { injectedFullDisk } from "../../scripts/soak/injected-disk.ts";
import { type Row, tableLines } from "../../scripts/soak/row.ts";

/**
 * Of `npm run soak`, a few rounds of the faults that take seconds: real processes, real files, real
 * HTTP.
 */

const SEED = 5;

async function rowOf(name: string, rounds: number): Promise<Row> {
  const fault = FAULTS.find((one) => one.name === name);
  if (fault === undefined) throw new Error(`no such fault: ${name}`);
  return fault.run({ rounds, seed: SEED });
}

describe("real faults", () => {
  test.each([
    ["I13 kill -9 in a merge run", "kill-merge", 1],
    ["I03 a damaged text store or state", "damage", 2],
    ["I13 many processes at once", "many-syncs", 1],
    ["I08 connections that break", "connections", 1],
    ["I14 saves between plan and write", "races", 50],
    ["I04 the mirrored folder replaced by an empty one", "roots", 1],
    ["I04 its disk taken away", "unmounted", 1],
  ])("%s: nothing is lost, doubled or left over", async (_, name, rounds) => {
    expect((await rowOf(name, rounds)).broken).toEqual([]);
  });

  test("I03 a full disk in memory, where none can be mounted", async () => {
    const row = await injectedFullDisk("full-merge", "as a test", { rounds: 2, seed: SEED });
    expect(row.broken).toEqual([]);
    expect(row.counted["full"]).toBeGreaterThan(0);
  });
});

test("the table tells each breach below, with its fault", () => {
  const rows: Row[] = [
    { fault: "one", rounds: 3, counted: { lost: 0, temps: 1 }, broken: ["round 2: 1 temps"] },
    { fault: "another", rounds: 12, counted: { lost: 0 }, broken: [], note: "not all of it" },
  ];
  expect(tableLines(rows)).toEqual([
    "fault    rounds  counted",
    "-------  ------  ---------------  ------",
    "one      3       lost 0, temps 1  BROKEN",
    "another  12      lost 0           holds",
    "note: another: not all of it",
    "BROKEN: one: round 2: 1 temps",
  ]);
});
