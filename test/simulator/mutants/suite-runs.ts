import type { Caught } from "./caught.ts";

/** Steps of a simulation run. */
const STEPS = 40;

/**
 * The third part of the suite: seeded runs of several mirrors (test/simulator/runs), which nobody
 * wrote for any mutant, until one of them finds a broken promise. The number of mutants that these
 * runs catch shows how likely they are to find an unforeseen bug. Each seed gives three: a plain
 * run, one with scenarios, and one of documents that link each other.
 */
export async function runSeeds(
  count: number,
): Promise<{ readonly caught: Caught | null; readonly simulations: number }> {
  // After the mutant was applied, because the runs import the engine.
  const { makeScript } = await import("../runs/generate.ts");
  const { makeLinkedScript } = await import("../runs/linked.ts");
  const { makeScenarioScript } = await import("../runs/scenarios.ts");
  const { runSimulation } = await import("../runs/run.ts");
  let simulations = 0;
  for (let seed = 1; seed <= count; seed++) {
    for (const [kind, script] of [
      ["plotted", makeScenarioScript(seed, STEPS)],
      ["plain", makeScript(seed, STEPS)],
      ["linked", makeLinkedScript(seed, STEPS)],
    ] as const) {
      simulations++;
      const [says] = (await runSimulation(script)).failures;
      if (says !== undefined) return { caught: { by: `the ${kind} run of seed ${seed}`, says }, simulations };
    }
  }
  return { caught: null, simulations };
}
