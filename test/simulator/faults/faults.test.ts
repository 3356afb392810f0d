import { existsSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { FAULTS } from "./all.ts";
import { checkFault } from "./fault.ts";
import { jobOf, readEnd, runJobs } from "./run.ts";

/**
 * Does the net hold? All faults are planted by `npm run plant-faults`; here those that the quick
 * drills catch, each by the promise it breaks, and one for a test file. That the net is quiet
 * without a fault is what `drills.test.ts` says.
 */
const HERE = [
  "absence-without-proof",
  "second-look-skipped",
  "delete-budget-ignored",
  "root-unchecked",
  "failed-page-is-absence",
  "any-refusal-is-absence",
  "refusal-forgotten",
  "submission-forgotten",
  "sidecar-uploaded",
  "first-sync-overwrites",
  "late-write-dropped",
  "delete-unsettled",
  "path-before-inode",
  "symlink-followed",
];

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

  it("are caught by the net", async () => {
    const chosen = FAULTS.filter(({ id }) => HERE.includes(id));
    expect(chosen.length).toBe(HERE.length);
    const ends = await runJobs(chosen.map(jobOf), () => undefined);
    const missed = ends.filter((end) => !readEnd(end).caught).map((end) => [end.job.fault?.id, readEnd(end).says]);
    expect(missed).toEqual([]);
  });
});
