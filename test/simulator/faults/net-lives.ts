import type { Caught } from "./caught.ts";

/** Of a life. */
const STEPS = 40;

/**
 * The net's third part: seeded lives of several mirrors (test/simulator/life), which nobody wrote
 * for any fault, until one of them finds a promise broken. What they catch by themselves says how
 * far they would find a fault that nobody thought of. Of each seed three: a plain life, one with
 * plots, which meets less by chance, and one of documents that link each other.
 */
export async function throwLives(count: number): Promise<{ readonly caught: Caught | null; readonly lives: number }> {
  // After the fault was planted: the lives import the engine.
  const { makeScript } = await import("../life/generate.ts");
  const { makeLinkedScript } = await import("../life/linked.ts");
  const { makePlottedScript } = await import("../life/plots.ts");
  const { runLife } = await import("../life/run.ts");
  let lives = 0;
  for (let seed = 1; seed <= count; seed++) {
    for (const [kind, script] of [
      ["plotted", makePlottedScript(seed, STEPS)],
      ["plain", makeScript(seed, STEPS)],
      ["linked", makeLinkedScript(seed, STEPS)],
    ] as const) {
      lives++;
      const [says] = (await runLife(script)).failures;
      if (says !== undefined) return { caught: { by: `the ${kind} life of seed ${seed}`, says }, lives };
    }
  }
  return { caught: null, lives };
}
