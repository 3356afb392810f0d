/**
 * fast-check with the seed that `npm test` fixes, so that a run that failed fails again. The soak
 * and whoever looks for new cases sets MDMIRROR_TEST_SEED to a number, or to `random`; a property
 * that fails prints the seed and the path that repeat it.
 */
import fc from "fast-check";

const FIXED = 20_260_301;

function chosenSeed(): number {
  const wanted = process.env["MDMIRROR_TEST_SEED"] ?? String(FIXED);
  const seed = wanted === "random" ? Math.floor(Math.random() * 2 ** 31) : Number(wanted);
  if (!Number.isSafeInteger(seed)) throw new Error(`MDMIRROR_TEST_SEED is neither a number nor "random": ${wanted}`);
  return seed;
}

/** Seed of every property of this process: an integer. */
export const seed = chosenSeed();

fc.configureGlobal({ seed });

/** Whether this is a long run: tables then cover everything that they know. */
export const MANY_RUNS = process.env["MDMIRROR_TEST_RUNS"] !== undefined;

/**
 * Returns how many cases a property or a random history runs: as many as MDMIRROR_TEST_RUNS says,
 * otherwise the usual number, which keeps `npm test` short.
 */
export function runs(usual: number): number {
  return Number(process.env["MDMIRROR_TEST_RUNS"] ?? usual);
}

export { fc };
