import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import type { Group } from "./drills/all.ts";

export type Edit = {
  /** Below `src/`. */
  readonly file: string;
  /** Occurs exactly once in the file; else the fault is out of date. */
  readonly find: string;
  readonly replace: string;
};

/**
 * A fault that is planted on purpose: one text of `src` replaced by another, in memory, so that the
 * net of tests can be seen to hold. A net that does not catch it has a hole.
 */
export type PlantedFault = Edit & {
  readonly id: string;
  /** The promise that it breaks. */
  readonly promise: `I${number}`;
  /** What the program does wrong with it, as a clause. */
  readonly does: string;
  /** Where two guards hold one promise, both must fall before it is broken. */
  readonly also?: readonly Edit[];
  /**
   * What must catch it: the drills, this group of them first; or, where it is out of the reach of a
   * disk and a wire in memory, test files below `test/`.
   */
  readonly net: Group | readonly string[];
};

export const SRC = fileURLToPath(new URL("../../../src/", import.meta.url));

export function editsOf({ file, find, replace, also = [] }: PlantedFault): readonly Edit[] {
  return [{ file, find, replace }, ...also];
}

/**
 * A source with what the fault changes in it. @throws when a text to be replaced does not occur
 * exactly once
 */
export function plantInto(fault: PlantedFault, file: string, source: string): string {
  let planted = source;
  for (const { find, replace } of editsOf(fault).filter((edit) => edit.file === file)) {
    const parts = planted.split(find);
    if (parts.length !== 2)
      throw new Error(
        `fault ${fault.id} is out of date: its text occurs ${parts.length - 1} times in src/${file}, not once`,
      );
    planted = parts.join(replace);
  }
  return planted;
}

/** @throws when the fault is out of date, or changes nothing */
export function checkFault(fault: PlantedFault): void {
  for (const { file } of editsOf(fault)) {
    const source = readFileSync(SRC + file, "utf8");
    if (plantInto(fault, file, source) === source) throw new Error(`fault ${fault.id} changes nothing in src/${file}`);
  }
}
