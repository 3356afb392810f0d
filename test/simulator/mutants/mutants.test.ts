import { existsSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { FAULTS } from "./all.ts";
import { DRILLS } from "./drills/all.ts";
import { checkFault } from "./fault.ts";
import { jobOf, readEnd, runJobs } from "./run.ts";

/**
 * One mutant for each way to be caught: by a fault-injection test of each group, and by a test
 * file. Each costs a process. `npm run mutants` applies all mutants and runs all fault-injection
 * tests. Beside each mutant is the test that catches it and is tried first, or the test file.
 */
const HERE: Readonly<Record<string, string>> = {
  "absence-without-proof": "a document is missing in the list, and reading it is forbidden",
  "late-write-dropped": "an editor saves into the file that was replaced",
  "delete-unsettled": "each write is drop-before",
  "symlink-followed": "local/inside.test.ts",
};

const NEEDED = new Set(Object.values(HERE));
const CONTROLS = Object.values(DRILLS).flatMap((drills) => drills.filter(({ name }) => NEEDED.has(name)));

describe("faults that are planted on purpose", () => {
  it("are at least forty, each of its own name, and none is out of date", () => {
    expect(new Set(FAULTS.map(({ id }) => id)).size).toBe(FAULTS.length);
    expect(FAULTS.length).toBeGreaterThanOrEqual(40);
    for (const fault of FAULTS) {
      checkFault(fault);
      const files = Array.isArray(fault.net) ? fault.net : [];
      for (const file of files) expect(existsSync(new URL(`../../${file}`, import.meta.url)), file).toBe(true);
    }
  });

  it.each(CONTROLS)("a drill finds no promise broken without a fault: $name", async ({ run }) => {
    expect(await run()).toEqual([]);
  });

  it("are caught by the net", async () => {
    const jobs = FAULTS.filter(({ id }) => Object.hasOwn(HERE, id)).map((fault) => {
      const job = jobOf(fault);
      return { ...job, first: job.drills === null ? null : HERE[fault.id]! };
    });
    const ends = await runJobs(jobs, () => undefined);
    const missed = ends.filter((end) => !readEnd(end).caught).map((end) => [end.job.fault?.id, readEnd(end).says]);
    expect(missed).toEqual([]);
    expect(Object.fromEntries(ends.map((end) => [end.job.fault!.id, readEnd(end).by]))).toEqual(HERE);
  });
});
