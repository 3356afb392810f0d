import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";

export type Edit = {
  /** Path below `src/`. */
  readonly file: string;
  /**
   * Source to be replaced. If it does not occur exactly once in the file, the mutant is out of
   * date.
   */
  readonly find: string;
  readonly replace: string;
};

/**
 * A mutant: some code of `src` is replaced in memory, to see whether the tests fail. If they pass,
 * a test is missing.
 */
export type Mutant = Edit & {
  readonly id: string;
  /** Promise that the mutant breaks. */
  readonly promise: `I${number}`;
  /** Wrong behaviour of the mutant, as a clause. */
  readonly does: string;
  /** More replacements. If two checks hold one promise, the promise breaks only without both. */
  readonly also?: readonly Edit[];
  /** Test files below `test/`, at least one of which must fail. */
  readonly tests: readonly string[];
};

export const SRC = fileURLToPath(new URL("../../../src/", import.meta.url));

export function editsOf({ file, find, replace, also = [] }: Mutant): readonly Edit[] {
  return [{ file, find, replace }, ...also];
}

/**
 * Returns a source file with the changes of the mutant.
 * @throws if code to be replaced does not occur exactly once
 */
export function plantInto(mutant: Mutant, file: string, source: string): string {
  let mutated = source;
  for (const { find, replace } of editsOf(mutant).filter((edit) => edit.file === file)) {
    const parts = mutated.split(find);
    if (parts.length !== 2)
      throw new Error(
        `mutant ${mutant.id} is out of date: its text occurs ${parts.length - 1} times in src/${file}, not once`,
      );
    mutated = parts.join(replace);
  }
  return mutated;
}

/** @throws if the mutant is out of date or changes nothing */
export function checkMutant(mutant: Mutant): void {
  for (const { file } of editsOf(mutant)) {
    const source = readFileSync(SRC + file, "utf8");
    if (plantInto(mutant, file, source) === source)
      throw new Error(`mutant ${mutant.id} changes nothing in src/${file}`);
  }
}
