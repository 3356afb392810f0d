import type { Caught } from "./caught.ts";

/**
 * The first part of the suite: short stories in memory, until one of them finds a broken promise.
 * @param group the group that is tried before the others, to save time
 * @param first the test that is tried before all others
 * @throws if no test has this name
 */
export async function runFaultTests(
  group: string,
  first: string | null,
): Promise<{ readonly caught: Caught | null; readonly faultTests: number }> {
  // After the mutant was applied, because the tests import the engine.
  const { FAULT_TESTS } = await import("./fault-injection/all.ts");
  const { beginTest, endTest } = await import("../open-databases.ts");
  const groups = Object.entries(FAULT_TESTS);
  const inGroups = [...groups.filter(([name]) => name === group), ...groups.filter(([name]) => name !== group)];
  const all = inGroups.flatMap(([, ofGroup]) => ofGroup);
  const begin = all.filter(({ name }) => name === first);
  if (first !== null && begin.length === 0) throw new Error(`no fault-injection test is called ${first}`);
  let faultTests = 0;
  for (const { name, run } of [...begin, ...all.filter((faultTest) => faultTest.name !== first)]) {
    faultTests++;
    beginTest();
    const says = await run().then(
      (failures) => failures[0],
      (error: unknown) => `threw: ${error instanceof Error ? error.stack : String(error)}`,
    );
    endTest();
    if (says !== undefined) return { caught: { by: name, says }, faultTests };
  }
  return { caught: null, faultTests };
}
