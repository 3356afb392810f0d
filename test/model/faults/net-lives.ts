import type { Caught } from "./caught.ts";

/** Of a life. */
const STEPS = 40;

/**
 * The net's third part: seeded lives of several mirrors (test/model/life), which nobody wrote for any fault, until one of them finds a promise broken. What
 * they catch by themselves says how far they would find a fault that nobody thought of.
 */
export async function throwLives(count: number): Promise<{ readonly caught: Caught | null; readonly lives: number }> {
  // After the fault was planted: the lives import the engine.
  const { makePlottedScript } = await import("../life/plots.ts");
  const { runLife } = await import("../life/run.ts");
  for (let seed = 1; seed <= count; seed++) {
    const [says] = (await runLife(makePlottedScript(seed, STEPS))).failures;
    if (says !== undefined) return { caught: { by: `the life of seed ${seed}`, says }, lives: seed };
  }
  return { caught: null, lives: count };
}
