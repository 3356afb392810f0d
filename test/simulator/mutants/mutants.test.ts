import { existsSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { MUTANTS } from "./all.ts";
import { FAULT_TESTS } from "./fault-injection/all.ts";
import { checkMutant } from "./mutant.ts";
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
const CONTROLS = Object.values(FAULT_TESTS).flatMap((faultTests) => faultTests.filter(({ name }) => NEEDED.has(name)));

describe("mutants of the source", () => {
  it("are at least forty, each of its own name, and none is out of date", () => {
    expect(new Set(MUTANTS.map(({ id }) => id)).size).toBe(MUTANTS.length);
    expect(MUTANTS.length).toBeGreaterThanOrEqual(40);
    for (const mutant of MUTANTS) {
      checkMutant(mutant);
      const files = Array.isArray(mutant.net) ? mutant.net : [];
      for (const file of files) expect(existsSync(new URL(`../../${file}`, import.meta.url)), file).toBe(true);
    }
  });

  it.each(CONTROLS)("a fault-injection test finds no broken promise without a mutant: $name", async ({ run }) => {
    expect(await run()).toEqual([]);
  });

  it("are caught by the test suite", async () => {
    const jobs = MUTANTS.filter(({ id }) => Object.hasOwn(HERE, id)).map((mutant) => {
      const job = jobOf(mutant);
      return { ...job, first: job.faultTests === null ? null : HERE[mutant.id]! };
    });
    const ends = await runJobs(jobs, () => undefined);
    const missed = ends.filter((end) => !readEnd(end).caught).map((end) => [end.job.mutant?.id, readEnd(end).says]);
    expect(missed).toEqual([]);
    expect(Object.fromEntries(ends.map((end) => [end.job.mutant!.id, readEnd(end).by]))).toEqual(HERE);
  });
});
