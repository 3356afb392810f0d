import type { Caught } from "./caught.ts";

/**
 * The net's first part: small stories in memory, until one of them finds a promise broken.
 * @param first the group that is tried before the others, to save time
 */
export async function throwDrills(
  first: string | null,
): Promise<{ readonly caught: Caught | null; readonly drills: number }> {
  // After the fault was planted: the drills import the engine.
  const { DRILLS } = await import("./drills/all.ts");
  const { beginTest, endTest } = await import("../open-databases.ts");
  const groups = Object.entries(DRILLS);
  const ordered = [...groups.filter(([name]) => name === first), ...groups.filter(([name]) => name !== first)];
  let drills = 0;
  for (const { name, run } of ordered.flatMap(([, group]) => group)) {
    drills++;
    beginTest();
    const says = await run().then(
      (failures) => failures[0],
      (error: unknown) => `threw: ${error instanceof Error ? error.stack : String(error)}`,
    );
    endTest();
    if (says !== undefined) return { caught: { by: name, says }, drills };
  }
  return { caught: null, drills };
}
