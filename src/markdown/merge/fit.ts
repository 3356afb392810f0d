import { afford } from "./budget.ts";
import { settleColumns, type Three } from "./columns.ts";
import { settleNumbers } from "./numbers.ts";
import type { Reading } from "./reading.ts";

/** As many characters of the texts cost a step. */
const LETTERS_A_STEP = 2;

/**
 * The three texts with what a whole document shares made to fit: numbers that both sides gave, and
 * the columns of tables. Undefined where nothing has to be; "apart" where columns cannot be.
 */
export function fitTexts(base: string, local: string, remote: string, reading: Reading): Three | "apart" | undefined {
  if (!afford(reading, (base.length + local.length + remote.length) / LETTERS_A_STEP)) return undefined;
  const sides = settleNumbers(base, local, remote, reading);
  const texts: Three = [base, ...(sides ?? ([local, remote] as const))];
  return settleColumns(texts, reading) ?? (sides && texts);
}
