/**
 * fast-check with a fixed seed, so that a failed run can be repeated. The variable
 * MDMIRROR_TEST_SEED sets another seed: a number, or `random`. A failing property prints its seed
 * and path.
 */
import fc from "fast-check";

const FIXED = 20_260_301;

function chosenSeed(): number {
  const wanted = process.env["MDMIRROR_TEST_SEED"] ?? String(FIXED);
  const seed = wanted === "random" ? Math.floor(Math.random() * 2 ** 31) : Number(wanted);
  if (!Number.isSafeInteger(seed)) throw new Error(`MDMIRROR_TEST_SEED is neither a number nor "random": ${wanted}`);
  return seed;
}

/** Integer seed of every property in this process. */
export const seed = chosenSeed();

fc.configureGlobal({ seed });

/** True in a long run, in which tests use all rows of their tables. */
export const MANY_RUNS = process.env["MDMIRROR_TEST_RUNS"] !== undefined;

/**
 * Returns the number of cases for a property or a random history: MDMIRROR_TEST_RUNS if it is set,
 * otherwise the given number.
 */
export function runs(usual: number): number {
  return Number(process.env["MDMIRROR_TEST_RUNS"] ?? usual);
}

const SURROGATES = { first: 0xd800, count: 0x800 } as const;

/**
 * Draws the same characters as fast-check's unit `binary`: any character, also an unassigned one,
 * but no half of a surrogate pair. That unit would keep a table of all 1.1 million characters.
 */
export const anyCharacter: fc.Arbitrary<string> = fc
  .nat({ max: 0x10ffff - SURROGATES.count })
  .map((n) => String.fromCodePoint(n < SURROGATES.first ? n : n + SURROGATES.count), indexOfCharacter);

/** @throws if the value is not a single character, as fast-check expects */
function indexOfCharacter(value: unknown): number {
  const code = typeof value === "string" && value.isWellFormed() ? (value.codePointAt(0) ?? null) : null;
  if (code === null || String.fromCodePoint(code) !== value) throw new Error("not a character");
  return code < SURROGATES.first ? code : code - SURROGATES.count;
}

export { fc };
