import { existsSync } from "node:fs";
import { expect, it } from "vitest";
import { findMutant, MUTANTS } from "./all.ts";
import { checkMutant, runTests } from "./mutant.ts";

it("finds at least forty mutants with ids of their own, none of which is out of date", () => {
  expect(new Set(MUTANTS.map(({ id }) => id)).size).toBe(MUTANTS.length);
  expect(MUTANTS.length).toBeGreaterThanOrEqual(40);
  for (const mutant of MUTANTS) {
    checkMutant(mutant);
    for (const file of mutant.tests) expect(existsSync(new URL(`../../${file}`, import.meta.url)), file).toBe(true);
  }
});

it("catches a mutant by a test file, which passes without the mutant", async () => {
  const mutant = findMutant("path-leaves-the-root");
  expect(await runTests(null, mutant.tests)).toEqual({ kind: "passed" });
  expect(await runTests(mutant, mutant.tests)).toMatchObject({ kind: "failed" });
});
